import { existsSync } from "node:fs"
import { join } from "node:path"
import { entryFor, withoutPlugin, withPlugin } from "./change.ts"
import { type PluginKey, readConfig } from "./entries.ts"
import { configFolder, MAIN_NAMES, projectFolders, TERMINAL_NAMES } from "./files.ts"

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
  for (const { names, key } of listsOf(options.host)) {
    const present = names.map((name) => join(folder, name)).filter((path) => existsSync(path))
    const texts = present.map((path) => ({ path, config: readConfig(path) }))
    const broken = texts.find(({ config }) => !config.ok)
    if (broken?.config.ok === false) return unreadable(broken.config.error)
    // The host reads both names: one entry in either is enough.
    const holds = texts.find(({ config }) => config.ok && config.entries.some((entry) => entry.key === key))
    const chosen = holds ?? texts[0]
    const path = chosen?.path ?? join(folder, names[0])
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
  for (const { names, key } of listsOf(options.host)) {
    for (const path of names.map((name) => join(folder, name)).filter((path) => existsSync(path))) {
      const text = readConfig(path)
      if (!text.ok) return unreadable(text.error)
      const changed = withoutPlugin(text.text, { path, key })
      if (!changed.ok) return changed
      targets.push({ path, before: text.text, after: changed.text, changed: changed.changed })
    }
  }
  return { ok: true, targets }
}

function listsOf(
  host: "v1" | "v2",
): readonly { readonly names: readonly [string, ...string[]]; readonly key: PluginKey }[] {
  if (host === "v2") return [{ names: MAIN_NAMES, key: "plugins" }]
  return [
    { names: MAIN_NAMES, key: "plugin" },
    { names: TERMINAL_NAMES, key: "plugin" },
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
