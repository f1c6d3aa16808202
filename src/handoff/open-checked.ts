import { constants } from "node:fs"
import { type FileHandle, open, readlink, realpath, stat } from "node:fs/promises"
import { errorCode } from "./file-errors.ts"

// Opens the file that was checked and no other. Between a check of a path and its opening a folder of it may be swapped
// for a link, so what counts is where the opened file is. Linux tells that of a descriptor. Elsewhere the path is looked
// at again, twice around the file's own number: who swaps a folder would have to do it at five moments in a row.

/** The file at `real`, a path without links; undefined when that is not what was opened. Throws what the system reports. */
export async function openChecked(real: string): Promise<FileHandle | undefined> {
  // No link is followed at its end, no pipe waited for.
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)
  const handle = await open(real, flags)
  try {
    if (await isAt(handle, real)) return handle
    // Removed right after it was opened: Linux then tells another name.
    if ((await handle.stat()).nlink === 0)
      throw Object.assign(new Error(`${real} was removed`), { code: "ENOENT" })
  } catch (error) {
    await handle.close()
    throw error
  }
  await handle.close()
  return undefined
}

async function isAt(handle: FileHandle, real: string): Promise<boolean> {
  const opened = await pathOf(handle)
  return opened === undefined ? isStillAt(handle, real) : opened === real
}

/** Where Linux has the opened file; undefined on a system that does not tell. */
async function pathOf(handle: FileHandle): Promise<string | undefined> {
  if (process.platform !== "linux") return undefined
  try {
    return await readlink(`/proc/self/fd/${handle.fd}`)
  } catch (error) {
    // A container may have no /proc.
    if (errorCode(error) === "") throw error
    return undefined
  }
}

/** Whether the path leads to this file without a link, before and after a look at its number. For systems without /proc. */
export async function isStillAt(handle: FileHandle, real: string): Promise<boolean> {
  const opened = await handle.stat({ bigint: true })
  if ((await realpath(real)) !== real) return false
  const named = await stat(real, { bigint: true })
  return named.dev === opened.dev && named.ino === opened.ino && (await realpath(real)) === real
}
