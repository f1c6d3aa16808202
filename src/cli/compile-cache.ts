import * as modules from "node:module"
import { homedir } from "node:os"
import { join } from "node:path"

// Compiled code is kept between runs where the runtime can (Node 22.8): a search starts in half the time. It lies in
// a folder of the user's own, because what lies there is run.

/** Best effort: without it the command is only slower. */
export function enableCompileCache(env: NodeJS.ProcessEnv): void {
  const enable: unknown = Reflect.get(modules, "enableCompileCache")
  if (typeof enable !== "function") return
  const caches = env["XDG_CACHE_HOME"] || join(env["HOME"] || homedir(), ".cache")
  // Whatever goes wrong there is told in its answer, which nobody needs.
  Reflect.apply(enable, modules, [join(caches, "opencode-baton")])
}
