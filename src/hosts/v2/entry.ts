import { isServer } from "./context.ts"
import type { Cleanup } from "./setup.ts"

// What the host calls on V2. A V1 host that also starts its V2 side has nothing for us to do there, and pays for
// nothing but this.

/** Starts one plugin instance; the rule is that of `setup` in setup.ts. */
export async function setup(context: unknown): Promise<Cleanup | undefined> {
  if (!isServer(context)) return undefined
  const host = await import("./setup.ts")
  return host.setup(context)
}
