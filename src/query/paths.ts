import { composed } from "../text/compose.ts"

// Paths as people and tools write them: backslashes count as slashes, drive-letter paths ignore case,
// relative paths match at slash boundaries, and `é` is `é` however it is written. Pure; no file system is asked.

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

/** The path with a leading `~` written out, as a shell does it; `~user` stays. */
export function expandHome(path: string, home: string): string {
  return /^~(?=$|[/\\])/.test(path) ? home + path.slice(1) : path
}

/** True for `/a`, `C:/a`, `//server/share`. */
export function isAbsolutePath(path: string): boolean {
  const normal = normalizePath(path)
  return normal.startsWith("/") || DRIVE.test(normal)
}

/** The form under which two spellings of one path are equal. */
export function pathKey(path: string): string {
  const normal = composed(normalizePath(path))
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
  const wanted = ignoreCase ? pathKey(pattern).toLowerCase() : pathKey(pattern)
  const given = ignoreCase ? pathKey(path).toLowerCase() : pathKey(path)
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
  const pattern = pathKey(glob).replace(/(?<!\/)\/+$/, "")
  return reachesEnd(pattern.match(PIECES) ?? [], pathKey(directory))
}

/** What a glob is made of; a pair of surrogates is one character. */
const PIECES = /\*\*\/|\*\*|\*|[^]/gu

/** The places in the glob a path may have come to, kept as a set: time is pieces times characters, however stars stand. */
function reachesEnd(pieces: readonly string[], path: string): boolean {
  let places = arrivedAt(pieces, [0])
  for (const character of path) {
    // Behind the whole glob begins what lies below the folder.
    if (places.has(pieces.length) && character === "/") return true
    const staying = new Set<number>()
    const going: number[] = []
    for (const place of places) {
      const piece = pieces[place]
      if (piece === "**/") {
        staying.add(place)
        if (character === "/") going.push(place + 1)
      } else if (piece === "**" || (piece === "*" && character !== "/")) going.push(place)
      else if (piece === "?" ? character !== "/" : piece === character) going.push(place + 1)
    }
    places = arrivedAt(pieces, going)
    for (const place of staying) places.add(place)
    if (places.size === 0) return false
  }
  return places.has(pieces.length)
}

/** The places and those behind stars, which may stand for nothing. */
function arrivedAt(pieces: readonly string[], going: readonly number[]): Set<number> {
  const places = new Set(going)
  for (const place of places) if (pieces[place]?.startsWith("*") === true) places.add(place + 1)
  return places
}
