import { readlinkSync, realpathSync } from "node:fs"
import { basename, dirname, isAbsolute, join, resolve } from "node:path"
import { isWithin, resolvePath } from "../query/paths.ts"

// One place may have several names: people write the symlink, hosts store the folder behind it, or the reverse. Whatever
// compares folders compares them as they are written and by these paths.

/** No system takes a longer path; what is longer names nothing on a disk. */
const MAX_PATH_UNITS = 4_096

/** As many links behind each other as Linux follows. */
const MAX_LINKS = 40

/**
 * The path with its symlinks resolved, also one whose target is gone; what does not exist stays as it is written behind
 * what does. A path that is not absolute here comes back unchanged. Asks the disk; never throws. An answer is kept until
 * other code has its turn, so that a loop over sessions asks once a folder.
 */
export function realPath(path: string): string {
  if (!isAbsolute(path) || path.length > MAX_PATH_UNITS) return path
  const known = answers.get(path)
  if (known !== undefined) return known
  if (answers.size === 0) queueMicrotask(() => answers.clear())
  const real = resolved(path, MAX_LINKS)
  answers.set(path, real)
  return real
}

const answers = new Map<string, string>()

function resolved(path: string, links: number): string {
  const existing = tried(() => realpathSync.native(path))
  if (existing !== undefined) return existing
  const target = links === 0 ? undefined : tried(() => readlinkSync(path))
  if (target !== undefined) return resolved(resolve(dirname(path), target), links - 1)
  const folder = dirname(path)
  return folder === path ? path : join(resolved(folder, links), basename(path))
}

function tried(read: () => string): string | undefined {
  try {
    return read()
  } catch {
    // Not there, or not ours to see: then it has no other name that counts.
    return undefined
  }
}

/** The names a folder goes by: as written, and its real path where that is another one. */
export function namesOf(path: string): readonly string[] {
  return [...new Set([path, realPath(path)])]
}

/** True when `path` is `directory` or below it, by any of their names. */
export function isPlacedIn(directory: string, path: string): boolean {
  return namesOf(directory).some((folder) => namesOf(path).some((name) => isWithin(folder, name)))
}

/** The glob with symlinks resolved in what stands before its first star or question mark. */
export function realGlob(glob: string): string {
  const fixed = glob.search(/[*?]/)
  if (fixed < 0) return realPath(glob)
  const end = glob.lastIndexOf("/", fixed)
  return end <= 0 ? glob : realPath(glob.slice(0, end)) + glob.slice(end)
}

/**
 * A `path:` value and what else means the same file or folder: its real path, and of folders that sessions ran in under
 * another name that name. A relative value is looked up in `from`; a slash at the end stays.
 */
export function pathNames(
  value: string,
  from: string | undefined,
  folders: Iterable<string>,
): readonly string[] {
  const slash = /[/\\]$/.test(value) ? "/" : ""
  const written = isAbsolute(value) ? value : from === undefined ? undefined : resolvePath(from, value)
  if (written === undefined || !isAbsolute(written)) return [value]
  const real = realPath(resolve(written))
  // Without a link below `from` the relative value itself says everything.
  if (!isAbsolute(value) && real === resolve(realPath(from ?? ""), value)) return [value]
  const names = new Set([value, real + slash])
  for (const folder of folders) {
    const place = realPath(folder)
    if (place !== folder && isWithin(place, real)) names.add(join(folder, real.slice(place.length)) + slash)
  }
  return [...names]
}
