import type { TuiPluginApi } from "@opencode-ai/plugin/tui"

// The terminal part's entry. It runs inside the terminal and puts drafts into its prompt; lazy like plugin.ts.

export default {
  id: "opencode-baton",

  /** OpenCode V1's terminal. */
  async tui(api: TuiPluginApi): Promise<void> {
    const terminal = await import("./terminal/v1.ts")
    terminal.start(api)
  },

  /** OpenCode V2's terminal. */
  async setup(context: unknown): Promise<(() => void) | undefined> {
    const terminal = await import("./terminal/v2.ts")
    return terminal.start(context)
  },
}
