import * as z from "zod"
import type { DefinitionFigures } from "./figures.ts"
import { startPlugin } from "./plugin.ts"

// What the tools cost in every request to a model: name, description and arguments as JSON schema.

const hooks = z.object({
  tool: z.record(
    z.string(),
    z.object({
      description: z.string(),
      args: z.record(
        z.string(),
        z.custom<z.ZodType>((value) => typeof value === "object" && value !== null),
      ),
    }),
  ),
})

export async function measureDefinitions(plugin: string, dataDir: string): Promise<DefinitionFigures> {
  const started = await startPlugin(plugin, dataDir)
  return Object.entries(hooks.parse(started.hooks).tool).map(([name, { description, args }]) => {
    const parameters = z.toJSONSchema(z.object(args), { io: "input", metadata: described(args) })
    return { name, characters: JSON.stringify({ name, description, parameters }).length }
  })
}

/** The host reads an argument's description from the schema itself: the plugin's zod is another copy. */
function described(args: Readonly<Record<string, z.ZodType>>) {
  const registry = z.registry<{ description: string }>()
  for (const schema of Object.values(args))
    if (typeof schema.description === "string") registry.add(schema, { description: schema.description })
  return registry
}
