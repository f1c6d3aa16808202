// Paths as people and tools write them: backslashes count as slashes, drive-letter paths ignore case,
// relative paths match at slash boundaries. Pure; no file system is asked.

const DRIVE = /^[a-z]:(\/|$)/i

/** The path with forward slashes, no `./` in front, no doubled or `/./` separators. A trailing slash stays. */
export function normalizePath(path: string): string {
  const slashed = path.replaceAll("\\", "/")
  const root = slashed.startsWith("//") ? "/" : ""
  return (
    root +
    slashed
      .replace(/\/(?:\.?\/)+/g, "/")
      .replace(/^(?:\.\/)+/, "")
      .replace(/^\.$/, "")
  )
}

/** True for `/a`, `C:/a`, `//server/share`. */
export function isAbsolutePath(path: string): boolean {
  const normal = normalizePath(path)
  return normal.startsWith("/") || DRIVE.test(normal)
}

/** The form under which two spellings of one path are equal. */
export function pathKey(path: string): string {
  const normal = normalizePath(path)
  return DRIVE.test(normal) ? normal.toLowerCase() : normal
}

/** `path` made absolute against a directory, with `.` and `..` resolved. */
export function resolvePath(directory: string, path: string): string {
  const normal = normalizePath(path)
  const whole = isAbsolutePath(normal) ? normal : `${normalizePath(directory)}/${normal}`
  const root = whole.startsWith("//") ? "//" : whole.startsWith("/") ? "/" : ""
  const kept: string[] = []
  for (const segment of whole.split("/")) {
    if (segment === "" || segment === ".") continue
    if (segment === ".." && kept.length > 0 && kept.at(-1) !== "..") kept.pop()
    else if (segment !== ".." || root === "") kept.push(segment)
  }
  return root + kept.join("/")
}

/**
 * True when `path` (of an edit) is meant by `pattern` (behind `path:`): equality for absolute patterns, a
 * slash-bounded suffix for relative ones; a trailing slash means the folder and everything below.
 */
export function matchesPath(pattern: string, path: string): boolean {
  const ignoreCase = DRIVE.test(normalizePath(path)) || DRIVE.test(normalizePath(pattern))
  const wanted = ignoreCase ? normalizePath(pattern).toLowerCase() : normalizePath(pattern)
  const given = ignoreCase ? normalizePath(path).toLowerCase() : normalizePath(path)
  if (wanted === "") return true
  if (!wanted.endsWith("/"))
    return given === wanted || (!isAbsolutePath(wanted) && given.endsWith(`/${wanted}`))
  if (isAbsolutePath(wanted)) return `${given}/`.startsWith(wanted)
  return `/${given}/`.includes(`/${wanted}`)
}

/** True when `path` is `directory` or below it. */
export function isWithin(directory: string, path: string): boolean {
  const folder = pathKey(directory)
  return matchesPath(folder.endsWith("/") ? folder : `${folder}/`, pathKey(path))
}

/**
 * True when a directory is meant by a glob of the `exclude` option: `*` and `?` stay within a segment, `**`
 * crosses segments; what lies below a matching directory is meant too.
 */
export function matchesGlob(glob: string, directory: string): boolean {
  const pattern = pathKey(glob).replace(/\/+$/, "")
  const source = pattern.replace(/\*\*\/|\*\*|\*|\?|[.+^${}()|[\]\\]/g, globPiece)
  return new RegExp(`^${source}(?:/.*)?$`, "su").test(pathKey(directory))
}

function globPiece(piece: string): string {
  if (piece === "**/") return "(?:.*/)?"
  if (piece === "**") return ".*"
  if (piece === "*") return "[^/]*"
  if (piece === "?") return "[^/]"
  return `\\${piece}`
}
