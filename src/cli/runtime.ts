// Which runtime can run the command: one whose SQLite has full-text search. Written for the oldest Node that has
// modules, because it is that Node which has to say what it lacks.

export type Versions = { readonly node: string; readonly bun?: string | undefined }

/**
 * Measured: Node has SQLite from 22.5 on, with FTS5 from 22.16 and 24.0 on (22.15 and 23.11 have none); Bun always.
 */
export function canRun(versions: Versions): boolean {
  if (versions.bun !== undefined) return true
  const parts = versions.node.split(".").map(Number)
  const major = parts[0] || 0
  return major >= 24 || (major === 22 && (parts[1] || 0) >= 16)
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
  return `baton: needs a SQLite with full-text search: Node 22.16, Node 24 or later, or Bun. This is Node ${versions.node}; install one of them and run it again`
}
