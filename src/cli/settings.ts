import { existsSync } from "node:fs"
import { type Options, parseOptions } from "../config/options.ts"
import { configFiles } from "./config/files.ts"
import { type Entry, readConfig } from "./config/entries.ts"

// The plugin's own options, as they stand in OpenCode's config: what is excluded or masked there is so here too.

type Environment = Readonly<Record<string, string | undefined>>

/** The options of the entry nearest to `directory`; the defaults without one. `problems` are lines for the user. */
export function settingsFor(
  env: Environment,
  directory: string,
): { readonly options: Options; readonly problems: readonly string[] } {
  const entries: Entry[] = []
  const problems: string[] = []
  for (const file of configFiles(env, directory)) {
    if (file.part !== "main" || !existsSync(file.path)) continue
    const config = readConfig(file.path)
    if (config.ok) entries.push(...config.entries)
    else problems.push(config.error)
  }
  const { options, problems: wrong } = parseOptions(entries.at(-1)?.options)
  // Any entry may load the plugin: what one of them excludes is meant to be kept out.
  const exclude = [...new Set(entries.flatMap((entry) => parseOptions(entry.options).options.exclude))]
  return { options: { ...options, exclude }, problems: [...problems, ...wrong] }
}
