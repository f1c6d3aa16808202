import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

// Private folders with files. A test file that makes them says `afterEach(removeFolders)`.

export type Folder = {
  readonly path: string
  /** Writes files, folders included. */
  write(files: Readonly<Record<string, string | Uint8Array>>): void
}

const made: string[] = []

export function makeFolder(files: Readonly<Record<string, string | Uint8Array>> = {}): Folder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "baton-handoff-")))
  made.push(path)
  const folder: Folder = {
    path,
    write(files) {
      for (const [name, content] of Object.entries(files)) {
        mkdirSync(dirname(join(path, name)), { recursive: true })
        writeFileSync(join(path, name), content)
      }
    },
  }
  folder.write(files)
  return folder
}

export function removeFolders(): void {
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true })
}
