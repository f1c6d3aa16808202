import { readdirSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Context } from "../context.ts"
import { indexPath } from "../index-file.ts"
import { error, type Finding, warning, well } from "./finding.ts"

// The folder of the index: whom it is open to, and what was left in it.

const ABOUT = "files"

/** Built files of a killed process are older than any building takes. */
const ABANDONED_MS = 600_000

export function fileFindings(context: Context): readonly Finding[] {
  const folder = dirname(indexPath(context.dataDir))
  const kind = statSync(folder, { throwIfNoEntry: false })
  if (kind === undefined) return []
  if (!kind.isDirectory())
    return [error(ABOUT, `${folder} is no folder, so there can be no index`, "move that file away")]
  const files = readdirSync(folder).map((name) => join(folder, name))
  const findings = [
    ...(process.platform === "win32" ? [] : openToOthers(folder, files)),
    ...files.flatMap((file) => leftBehind(file, context.now())),
  ]
  return findings.length === 0 ? [well(ABOUT, `${folder} is private to you`)] : findings
}

function openToOthers(folder: string, files: readonly string[]): readonly Finding[] {
  const isOpen = (path: string) => (statSync(path).mode & 0o077) !== 0
  return [
    ...(isOpen(folder)
      ? [warning(ABOUT, `${folder} can be entered by other users`, `chmod 700 ${folder}`)]
      : []),
    ...files
      .filter((file) => file.includes(".sqlite") && isOpen(file))
      .map((file) => warning(ABOUT, `${file} can be read by other users`, `chmod 600 ${file}`)),
  ]
}

function leftBehind(file: string, now: number): readonly Finding[] {
  if (/\.\d+-\w+\.new$/.test(file) && now - statSync(file).mtimeMs > ABANDONED_MS)
    return [warning(ABOUT, `${file} was left by a process that was killed`, `remove it: rm ${file}`)]
  if (file.endsWith(".damaged"))
    return [
      warning(
        ABOUT,
        `${file} is a damaged index that was set aside`,
        `remove it when \`baton status\` looks complete: rm ${file}`,
      ),
    ]
  return []
}
