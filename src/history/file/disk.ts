import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs"
import { APPLICATION_ID, LAYOUT_VERSION } from "./schema.ts"

// The index as files of a folder: what lies there, and moving it out of the way. SQLite opens none of them here.

/** Moves a damaged file aside, replacing an earlier one, and says so. */
export function moveAside(path: string): string {
  const aside = damagedPath(path)
  for (const end of ENDINGS) if (existsSync(path + end)) renameSync(path + end, aside + end)
  return `The index was damaged; it was moved to ${aside} and is being rebuilt.`
}

/** Removes a damaged copy kept beside the index: forgotten text must not survive in it. */
export function removeDamaged(path: string): void {
  removeIndex(damagedPath(path))
}

/** Device and inode of the file now at the path. */
export function identityOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false })
  return stat ? `${stat.dev}:${stat.ino}` : ""
}

const ENDINGS = ["", "-wal", "-shm", "-journal"]

function damagedPath(path: string): string {
  return `${path}.damaged`
}

export function removeIndex(path: string): void {
  for (const end of ENDINGS) rmSync(path + end, { force: true })
}

export function makeFolder(folder: string): string | undefined {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    chmodSync(folder, 0o700)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch (error) {
    if (error instanceof Error) return false
    throw error
  }
}

type Found =
  | { readonly kind: "none" | "ours" | "foreign" | "damaged" }
  | { readonly kind: "older" | "newer"; readonly version: number }
  | { readonly kind: "not-a-file"; readonly at: string }

/** Read from the file's first 100 bytes, so that another program's file is not even opened by SQLite. */
export function inspectIndex(path: string): Found {
  // Opening a pipe would wait for its other end for ever.
  const other = ENDINGS.map((end) => path + end).find((at) => isOtherThanFile(at))
  if (other !== undefined) return { kind: "not-a-file", at: other }
  const size = statSync(path, { throwIfNoEntry: false })?.size
  if (size === undefined) return { kind: "none" }
  const header = new Uint8Array(100)
  const file = openSync(path, "r")
  try {
    readSync(file, header, 0, 100, 0)
  } finally {
    closeSync(file)
  }
  if (new TextDecoder().decode(header.subarray(0, 15)) !== "SQLite format 3") return { kind: "damaged" }
  const fields = new DataView(header.buffer)
  if (fields.getUint32(68) !== APPLICATION_ID) return { kind: "foreign" }
  const version = fields.getUint32(60)
  if (version === LAYOUT_VERSION) return { kind: "ours" }
  return { kind: version < LAYOUT_VERSION ? "older" : "newer", version }
}

/** True for a folder, a pipe, a socket or a device. */
function isOtherThanFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === false
}

/** True for what a folder that cannot be written to, or a file that another process holds, is told by. */
export function isFileTrouble(error: unknown): error is Error {
  return isCode(error, "EACCES", "EBUSY", "EEXIST", "EISDIR", "ENOTEMPTY", "EPERM", "EROFS")
}

export function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return (
    error instanceof Error && "code" in error && typeof error.code === "string" && codes.includes(error.code)
  )
}
