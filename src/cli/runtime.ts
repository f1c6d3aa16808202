// Which runtime can run the command: one with SQLite. Written for the oldest Node that has modules, because it is
// that Node which has to say what it lacks.

export type Versions = { readonly node: string; readonly bun?: string | undefined }

export type Choice =
  /** This process can do it. */
  | { readonly kind: "here" }
  /** The same Node can, with a flag: its SQLite is there and hidden. */
  | { readonly kind: "flag"; readonly flag: string }
  /** Another runtime is needed. */
  | { readonly kind: "other" }

/** The first Node with `node:sqlite`, as the user is told. */
export const NODE_NEEDED = "22.5"

/** What this process can do. Node hid SQLite behind a flag up to 22.12 and 23.3. */
export function chooseRuntime(versions: Versions): Choice {
  if (versions.bun !== undefined) return { kind: "here" }
  const parts = versions.node.split(".").map(Number)
  const major = parts[0] || 0
  const minor = parts[1] || 0
  if (major > 23 || (major === 23 && minor >= 4) || (major === 22 && minor >= 13)) return { kind: "here" }
  if (major === 23 || (major === 22 && minor >= 5)) return { kind: "flag", flag: "--experimental-sqlite" }
  return { kind: "other" }
}

/** Where a runtime of the package's own may lie, best first; `root` is the folder above `dist`. */
export function ownRuntimes(
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
  return `baton: needs Node ${NODE_NEEDED} or later, or Bun, and this is Node ${versions.node}; install one of them and run it again`
}
