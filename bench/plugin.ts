import { pathToFileURL } from "node:url"
import * as z from "zod"
import type { Load } from "./figures.ts"

// The built plugin as a V1 host starts it, with a client that never answers.

const module = z.object({
  default: z.object({
    server: z.custom<(input: unknown, options: unknown) => Promise<unknown>>(
      (value) => typeof value === "function",
    ),
  }),
})

/** Imports the file and calls its server part; the hooks and what both took. */
export async function startPlugin(
  file: string,
  dataDir: string,
): Promise<{ readonly hooks: unknown; readonly load: Load }> {
  const cpu = process.cpuUsage()
  const started = performance.now()
  const loaded: unknown = await import(pathToFileURL(file).href)
  const { server } = module.parse(loaded).default
  const hooks = await server(input(), { dataDir })
  const ms = performance.now() - started
  const { user, system } = process.cpuUsage(cpu)
  return { hooks, load: { ms, cpuMs: (user + system) / 1_000 } }
}

function input(): object {
  return {
    client: silent(),
    project: { id: "prj_bench", worktree: "/", time: { created: 0 } },
    directory: "/",
    worktree: "/",
    serverUrl: new URL("http://127.0.0.1:1"),
    experimental_workspace: { register: () => undefined },
    $: silent(),
  }
}

/** Any property is a function whose promise never settles. */
function silent(): object {
  const never = () => new Promise(() => undefined)
  return new Proxy(never, { get: (_target, name) => (name === "then" ? undefined : silent()) })
}
