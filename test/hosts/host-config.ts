import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { MARK } from "./process-table.ts"

// What OpenCode is told at its start: the environment and the config of a world.

/** A plugin as the host's config takes it: an absolute path, file URL or package, with options or without. */
export type PluginEntry = string | readonly [path: string, options: Readonly<Record<string, unknown>>]

const repository = fileURLToPath(new URL("../../", import.meta.url))

/** The plugin and the terminal part as `npm run build` makes them. */
export const BUILT_PLUGIN = join(repository, "index.js")
export const BUILT_TERMINAL_PART = join(repository, "tui.js")

/** What OpenCode and git need of the outside. Nothing else comes in: no OPENCODE_*, no proxy. */
const PASSED_ON = ["PATH", "LANG", "LC_ALL", "TZ"] as const

/** `entries`; throws one line when a built file is among them and not built yet. */
export function checkedPlugins(entries: readonly PluginEntry[]): readonly PluginEntry[] {
  for (const entry of entries) {
    const path = typeof entry === "string" ? entry : entry[0]
    const built = path === BUILT_PLUGIN || path === BUILT_TERMINAL_PART
    if (built && !existsSync(path)) throw new Error(`${path} is missing: npm run build`)
  }
  return entries
}

/** The host's catalogue of models in a world: empty, because the config names the only one there is. */
export const MODELS_FILE = "models.json"

/** The whole environment of a world's programs. */
export function environment(root: string): Record<string, string> {
  const passed = PASSED_ON.flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return {
    // The terminal draws with characters outside ASCII.
    LANG: "C.UTF-8",
    ...Object.fromEntries(passed),
    [MARK]: root,
    HOME: join(root, "home"),
    TMPDIR: join(root, "tmp"),
    XDG_DATA_HOME: join(root, "data"),
    XDG_CONFIG_HOME: join(root, "config"),
    XDG_CACHE_HOME: join(root, "cache"),
    XDG_STATE_HOME: join(root, "state"),
    GIT_CONFIG_NOSYSTEM: "1",
    OPENCODE_TEST_MANAGED_CONFIG_DIR: join(root, "managed"),
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    // Its own catalogue of thousands of models takes two seconds of processor time at each start and first prompt,
    // and two thirds of a core while a terminal shows its home screen.
    OPENCODE_MODELS_PATH: join(root, MODELS_FILE),
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  }
}

/** opencode.json with the scripted model. It is always named: without one the host tries a remote model. */
export function hostConfig(baseURL: string): Record<string, unknown> {
  const limit = { context: 200_000, output: 8_000 }
  return {
    autoupdate: false,
    share: "disabled",
    model: "fake/scripted",
    small_model: "fake/scripted",
    provider: {
      fake: {
        npm: "@ai-sdk/openai-compatible",
        options: { baseURL, apiKey: "none" },
        models: { scripted: { name: "Scripted", tool_call: true, limit } },
      },
    },
  }
}
