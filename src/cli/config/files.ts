import { existsSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join, resolve } from "node:path"

// Where OpenCode's config files are: the user's folder, a file named by OPENCODE_CONFIG, and those of the folders
// from the project down to where one stands.

type Environment = Readonly<Record<string, string | undefined>>

/** OpenCode's config folder of the user. */
export function configFolder(env: Environment): string {
  const base = env["XDG_CONFIG_HOME"]
  const home = env["HOME"] ?? homedir()
  return join(base === undefined || base === "" ? join(home, ".config") : base, "opencode")
}

/** The names of a config file in one folder, first choice first. */
export const MAIN_NAMES = ["opencode.json", "opencode.jsonc"] as const
export const TERMINAL_NAMES = ["tui.json", "tui.jsonc"] as const

/** Of the user's folder, in the order in which a later one takes the place of an earlier one. */
export const USER_NAMES = ["config.json", ...MAIN_NAMES] as const

export type ConfigFile = {
  readonly path: string
  readonly part: "main" | "terminal"
  /** In the user's folder, where files are merged and not joined. */
  readonly user: boolean
  /** Put there by an administrator; read after everything else. */
  readonly managed: boolean
}

/** Every config file that exists and counts in `directory`, in the order in which OpenCode 1.18 reads them. */
export function configFiles(env: Environment, directory: string): readonly ConfigFile[] {
  const user = configFolder(env)
  const ownFolder = env["OPENCODE_CONFIG_DIR"]
  const ancestors = env["OPENCODE_DISABLE_PROJECT_CONFIG"] ? [] : foldersUp(directory)
  const home = env["HOME"] ?? homedir()
  // Unlike the project's files, the `.opencode` folders are read from the nearest to the outermost.
  const dotFolders = [...ancestors, home].map((folder) => join(folder, ".opencode"))
  const folders = [...new Set([...dotFolders, ...(ownFolder ? [resolve(directory, ownFolder)] : [])])]
  const all = [
    ...USER_NAMES.map((name) => file(join(user, name), "main", { user: true })),
    ...TERMINAL_NAMES.map((name) => file(join(user, name), "terminal", { user: true })),
    ...named("OPENCODE_CONFIG", "main"),
    ...named("OPENCODE_TUI_CONFIG", "terminal"),
    ...[...ancestors.toReversed(), ...folders].flatMap((folder) => [
      ...MAIN_NAMES.map((name) => file(join(folder, name), "main")),
      ...TERMINAL_NAMES.map((name) => file(join(folder, name), "terminal")),
    ]),
    ...MAIN_NAMES.map((name) => file(join(managedFolder(env), name), "main", { managed: true })),
  ]
  const unique = new Map(all.map((one) => [one.path, one]))
  return [...unique.values()].filter((one) => existsSync(one.path))

  function named(variable: string, part: ConfigFile["part"]): readonly ConfigFile[] {
    const path = env[variable]
    return path ? [file(resolve(directory, path), part)] : []
  }
}

function file(path: string, part: ConfigFile["part"], more: Partial<ConfigFile> = {}): ConfigFile {
  return { path, part, user: false, managed: false, ...more }
}

/** The administrator's folder; OpenCode's own tests name another one. */
function managedFolder(env: Environment): string {
  const named = env["OPENCODE_TEST_MANAGED_CONFIG_DIR"]
  if (named) return named
  if (process.platform === "darwin") return "/Library/Application Support/opencode"
  if (process.platform === "win32") return join(env["ProgramData"] || "C:\\ProgramData", "opencode")
  return "/etc/opencode"
}

/** A folder and those around it, nearest first, up to the repository's root; without one all of them. */
function foldersUp(directory: string): readonly string[] {
  const folders: string[] = []
  for (let folder = directory; ; folder = dirname(folder)) {
    folders.push(folder)
    if (existsSync(join(folder, ".git")) || dirname(folder) === folder) return folders
  }
}

/** The folders of a project's own config, outermost first; each with its `.opencode`. */
export function projectFolders(directory: string): readonly string[] {
  const folders: string[] = []
  for (let folder = directory; ; folder = dirname(folder)) {
    folders.unshift(folder, join(folder, ".opencode"))
    // Beyond the repository lies what is not the project.
    if (existsSync(join(folder, ".git"))) return folders
    if (dirname(folder) === folder) return [directory, join(directory, ".opencode")]
  }
}
