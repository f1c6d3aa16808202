import {
  accessSync,
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { dirname } from "node:path"

// Puts a changed config in place: the old one is copied beside it, the new one appears complete. Behind a symlink
// the file that it names is changed, and the link stays.

export type Written =
  | { readonly ok: true; readonly backup?: string }
  | { readonly ok: false; readonly error: string }

/** Writes the text unless the file is no longer what it was when it was read. */
export function replaceFile(path: string, text: string, before: string | undefined): Written {
  try {
    if (before === undefined) {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text, { flag: "wx" })
      return { ok: true }
    }
    const target = realpathSync(path)
    accessSync(target, constants.W_OK)
    if (readFileSync(target, "utf8") !== before)
      return { ok: false, error: `${path} was changed by somebody else meanwhile; run this again` }
    const backup = backupName(target)
    copyFileSync(target, backup, constants.COPYFILE_EXCL)
    const partial = `${target}.${process.pid}.part`
    try {
      writeFileSync(partial, text, { flag: "wx" })
      chmodSync(partial, statSync(target).mode)
      renameSync(partial, target)
    } finally {
      rmSync(partial, { force: true })
    }
    return { ok: true, backup }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return {
      ok: false,
      error: `${path} cannot be written: ${why}; make the file and its folder writable, then run this again`,
    }
  }
}

/** The first free name, so that no earlier copy is lost. */
function backupName(path: string): string {
  for (let number = 1; ; number++) {
    const name = `${path}.bak${number === 1 ? "" : number}`
    if (!existsSync(name)) return name
  }
}
