import { existsSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { type Entry, parseConfig, type ReadConfig, unreadable, valueOf } from "./entries.ts"
import { configFiles } from "./files.ts"
import { readText } from "./read-text.ts"
import { withVariables } from "./variables.ts"

// Where the plugin stands in the configs that OpenCode reads, with variables written out, in the order in which it reads
// them (1.18's ConfigPaths and loadInstanceState). Lists of plugins are joined across sources; only in the user's own
// folder a later file's list takes the place of an earlier one's.

type Environment = Readonly<Record<string, string | undefined>>

export type Loaded = { readonly place: string; readonly part: "main" | "terminal"; readonly entry: Entry }

export type Effective = {
  /** The last one is the one whose options count. */
  readonly loaded: readonly Loaded[]
  /** Configs that cannot be read, a line each. */
  readonly errors: readonly string[]
}

/** The variable that holds a config's text itself. */
const CONTENT = "OPENCODE_CONFIG_CONTENT"

/** Every entry of the plugin that counts for an OpenCode started in `directory` with this environment. */
export function effectiveEntries(env: Environment, directory: string): Effective {
  const loaded: Loaded[] = []
  const errors: string[] = []
  const files = configFiles(env, directory).map((file) => ({ ...file, config: readSource(file.path, env) }))
  for (const [at, { path, part, user, config }] of files.entries()) {
    if (!config.ok) errors.push(config.error)
    else
      for (const entry of config.entries) {
        const isReplaced = files
          .slice(at + 1)
          .some(
            (later) =>
              user && part === "main" && later.user && later.part === part && has(later.config, entry.key),
          )
        if (!isReplaced) loaded.push({ place: path, part, entry })
      }
  }
  const content = env[CONTENT]
  if (content === undefined || content === "") return { loaded, errors }
  const config = parsed(CONTENT, join(directory, CONTENT), content, env)
  if (!config.ok) return { loaded, errors: [...errors, config.error] }
  const own = config.entries.map((entry): Loaded => ({ place: CONTENT, part: "main", entry }))
  // An administrator's file comes behind everything.
  const managed = new Set(files.filter((file) => file.managed).map((file) => file.path))
  return {
    loaded: [
      ...loaded.filter((one) => !managed.has(one.place)),
      ...own,
      ...loaded.filter((one) => managed.has(one.place)),
    ],
    errors,
  }
}

function has(config: ReadConfig, key: string): boolean {
  return config.ok && valueOf(config.root, key) !== undefined
}

function readSource(path: string, env: Environment): ReadConfig {
  try {
    return parsed(path, path, readText(path), env)
  } catch (error) {
    return unreadable(path, error)
  }
}

function parsed(name: string, path: string, text: string, env: Environment): ReadConfig {
  try {
    const home = env["HOME"] ?? homedir()
    const whole = withVariables(text, { env, path, home, read: fileText })
    const config = parseConfig(path, whole)
    return config.ok || name === path ? config : { ok: false, error: config.error.replace(path, name) }
  } catch (error) {
    return unreadable(name, error)
  }
}

function fileText(path: string): string {
  if (!existsSync(path)) throw new Error(`{file:${path}} does not exist`)
  return readText(path)
}
