import type { Hooks, PluginInput, PluginOptions } from "@opencode-ai/plugin"

// The package's entry on both hosts. It imports nothing at load, so that a host which reads the file pays
// for the half it uses and for nothing else.

export default {
  id: "opencode-baton",

  /** OpenCode V1 (1.18). Returns the hooks; reads nothing and waits for nothing. */
  async server(input: PluginInput, options?: PluginOptions): Promise<Hooks> {
    const host = await import("./hosts/v1/server.ts")
    return host.server(input, options)
  },

  /** OpenCode V2, and V1 hosts that also start their V2 side with a reduced context. */
  async setup(context: unknown): Promise<(() => Promise<void>) | undefined> {
    const host = await import("./hosts/v2/entry.ts")
    return host.setup(context)
  },
}
