import { existsSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"

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

export type ConfigFile = { readonly path: string; readonly part: "main" | "terminal" }

/** Every config file that exists and counts in `directory`, the user's first, the nearest last. */
export function configFiles(env: Environment, directory: string): readonly ConfigFile[] {
  const folders = [configFolder(env), ...projectFolders(directory)]
  const named = env["OPENCODE_CONFIG"]
  const own = env["OPENCODE_CONFIG_DIR"]
  const files = [...folders, ...(own ? [own] : [])].flatMap((folder) => [
    // `config.json` is the old name of the user's file.
    ...(folder === folders[0] ? [{ path: join(folder, "config.json"), part: "main" as const }] : []),
    ...MAIN_NAMES.map((name) => ({ path: join(folder, name), part: "main" as const })),
    ...TERMINAL_NAMES.map((name) => ({ path: join(folder, name), part: "terminal" as const })),
  ])
  const all = [...files, ...(named ? [{ path: named, part: "main" as const }] : [])]
  const unique = new Map(all.map((file) => [file.path, file]))
  return [...unique.values()].filter((file) => existsSync(file.path))
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
