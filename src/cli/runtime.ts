// Which runtime can run the command: one that has a SQLite. Written for the oldest Node that has modules, because it
// is that Node which has to say what it lacks.

export type Versions = { readonly node: string; readonly bun?: string | undefined }

/** The flag behind which older Nodes keep their SQLite. */
export const SQLITE_FLAG = "--experimental-sqlite"

/**
 * What has SQLite: Bun always; Node 22.5 to 22.12 and 23.0 to 23.3 behind a flag, later ones without. Measured with
 * 22.5.1, 22.12.0, 22.13.0, 22.23 and 24.
 */
export function sqliteIn(versions: Versions): "yes" | "behind the flag" | "no" {
  if (versions.bun !== undefined) return "yes"
  const parts = versions.node.split(".").map(Number)
  const major = parts[0] || 0
  const minor = parts[1] || 0
  if (major >= 24 || (major === 23 && minor >= 4) || (major === 22 && minor >= 13)) return "yes"
  return major === 23 || (major === 22 && minor >= 5) ? "behind the flag" : "no"
}

/** Where a runtime that can may lie, best first: the package's own (`root` is above `dist`), then Bun in PATH. */
export function otherRuntimes(
  root: string,
  path: string,
  separator: string,
  ending: string,
): readonly string[] {
  const beside = [`${root}/node_modules/node/bin/node${ending}`, `${root}/node_modules/bun/bin/bun.exe`]
  const folders = path.split(separator).filter((folder) => folder !== "")
  return beside.concat(folders.map((folder) => `${folder}/bun${ending}`))
}

/** The one line for a runtime that cannot do it. */
export function tooOld(versions: Versions): string {
  return `baton: needs a runtime with SQLite: Node 22.5 or later, or Bun. This is Node ${versions.node}; install one of them and run it again`
}
