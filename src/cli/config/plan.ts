import { existsSync } from "node:fs"
import { join } from "node:path"
import { entryFor, withoutPlugin, withPlugin } from "./change.ts"
import { type PluginKey, readConfig, valueOf } from "./entries.ts"
import { configFolder, MAIN_NAMES, projectFolders, TERMINAL_NAMES, USER_NAMES } from "./files.ts"

// Which files an install or uninstall changes, and how, before anything is written.

type Environment = Readonly<Record<string, string | undefined>>

export type Target = {
  readonly path: string
  /** Absent: the file is made. */
  readonly before?: string
  readonly after: string
  readonly changed: boolean
}

export type Plan =
  | { readonly ok: true; readonly targets: readonly Target[] }
  | { readonly ok: false; readonly error: string }

export type PlanOptions = { readonly host: "v1" | "v2"; readonly project: boolean }

/** The server part's list, and on V1 the terminal part's. */
export function planInstall(env: Environment, directory: string, options: PlanOptions): Plan {
  const folder = folderFor(env, directory, options)
  const targets: Target[] = []
  for (const { names, key, replaces, usualName } of listsOf(options)) {
    const present = names.map((name) => join(folder, name)).filter((path) => existsSync(path))
    const texts = present.map((path) => ({ path, config: readConfig(path) }))
    const broken = texts.find(({ config }) => !config.ok)
    if (broken?.config.ok === false) return unreadable(broken.config.error)
    const holds = texts.find(({ config }) => config.ok && config.entries.some((entry) => entry.key === key))
    // In the user's folder the last list takes the place of the others; elsewhere one entry in either is enough.
    const counts = texts.findLast(({ config }) => config.ok && valueOf(config.root, key) !== undefined)
    const usual = texts.find(({ path }) => path !== join(folder, "config.json"))
    const chosen = (replaces ? counts : holds) ?? usual
    const path = chosen?.path ?? join(folder, usualName)
    const text = chosen?.config.ok === true ? chosen.config : undefined
    const changed = withPlugin(text?.text ?? "", { path, key, entry: entryFor(options.host) })
    if (!changed.ok) return changed
    targets.push({ path, ...(text && { before: text.text }), after: changed.text, changed: changed.changed })
  }
  return { ok: true, targets }
}

/** Every file of the folder that names the package. */
export function planUninstall(env: Environment, directory: string, options: PlanOptions): Plan {
  const folder = folderFor(env, directory, options)
  const targets: Target[] = []
  for (const { names, key, replaces } of listsOf(options)) {
    const lists: string[] = []
    for (const path of names.map((name) => join(folder, name)).filter((path) => existsSync(path))) {
      const text = readConfig(path)
      if (!text.ok) return unreadable(text.error)
      // An emptied list that goes would bring an earlier file's list back.
      const keepEmpty = replaces && lists.length > 0
      if (valueOf(text.root, key) !== undefined) lists.push(path)
      const changed = withoutPlugin(text.text, { path, key, keepEmpty })
      if (!changed.ok) return changed
      targets.push({ path, before: text.text, after: changed.text, changed: changed.changed })
    }
  }
  return { ok: true, targets }
}

type List = {
  readonly names: readonly string[]
  /** The file that is made when there is none. */
  readonly usualName: string
  readonly key: PluginKey
  /** Whether a later file's list takes the place of an earlier one's. */
  readonly replaces: boolean
}

function listsOf({ host, project }: PlanOptions): readonly List[] {
  const names = project ? MAIN_NAMES : USER_NAMES
  const main = { names, usualName: MAIN_NAMES[0], replaces: !project }
  if (host === "v2") return [{ ...main, key: "plugins" }]
  return [
    { ...main, key: "plugin" },
    { names: TERMINAL_NAMES, usualName: TERMINAL_NAMES[0], key: "plugin", replaces: false },
  ]
}

/** A project's config lies in its `.opencode`, where the host's own command writes it too. */
function folderFor(env: Environment, directory: string, options: PlanOptions): string {
  if (!options.project) return configFolder(env)
  const [root] = projectFolders(directory)
  return join(root ?? directory, ".opencode")
}

function unreadable(error: string): Plan {
  return { ok: false, error: `${error}; put it right by hand, then run this again` }
}
