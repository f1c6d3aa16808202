import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

// A private folder with files, gone at the end of the block that holds it.

export type Folder = Disposable & {
  readonly path: string
  /** Writes files, folders included. */
  write(files: Readonly<Record<string, string | Uint8Array>>): void
}

export function makeFolder(files: Readonly<Record<string, string | Uint8Array>> = {}): Folder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "baton-handoff-")))
  const folder: Folder = {
    path,
    write(files) {
      for (const [name, content] of Object.entries(files)) {
        mkdirSync(dirname(join(path, name)), { recursive: true })
        writeFileSync(join(path, name), content)
      }
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  }
  folder.write(files)
  return folder
}
