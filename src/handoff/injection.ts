import { homedir } from "node:os"
import { posix, win32 } from "node:path"
import { oneLine } from "../text/printable.ts"
import { sliceUnits } from "../text/unicode.ts"
import { attachedKey } from "./attached.ts"
import { MAX_SCAN_BYTES, MIN_SCAN_BYTES, readLines, type ReadOutcome } from "./read-file.ts"
import type { ReadFormat } from "./read-format.ts"
import type { ReadRules } from "./read-rules.ts"
import { MAX_REFERENCES, parseReferences, type Reference } from "./references.ts"
import { openProject, resolveSpellings, type Project, type Refusal } from "./resolve.ts"
import type { LineRange } from "./spellings.ts"

// What a sent draft adds to its message: the files it names, in order, within a budget, and one line that
// names every file left out. One bad path never blocks the rest.

export type InjectionRequest = {
  /** The prompt as the user sent it. */
  readonly text: string
  readonly directory: string
  readonly worktree: string
  readonly limits: { readonly maxFiles: number; readonly maxBytes: number; readonly maxFileBytes: number }
  readonly format: ReadFormat
  readonly rules: ReadRules
  /** Keys of the files whose contents the message holds already (attached.ts). */
  readonly alreadyAttached: ReadonlySet<string>
  readonly home?: string
  readonly platform?: NodeJS.Platform
}

type InjectedFile = {
  /** Absolute, as the host would name it. */
  readonly path: string
  /** Short, for people: relative to the session's folder, with its line range. */
  readonly name: string
  readonly header: string
  readonly body: string
  readonly range?: LineRange
}

type SkippedFile = { readonly reference: string; readonly reason: string }

export type Injection = {
  readonly files: readonly InjectedFile[]
  /** "Not included: …" with a reason for each; absent when nothing was left out. */
  readonly note: string | undefined
  /** UTF-8 bytes of all bodies. */
  readonly bytes: number
  readonly skipped: readonly SkippedFile[]
}

/** Longest name of one file in the note, in UTF-16 units: a note stays one short line. */
export const MAX_NAME_UNITS = 200

/** Reads what the prompt names. Takes one file at a time, so memory is bounded by the budget. Never throws. */
export async function planInjection(request: InjectionRequest): Promise<Injection> {
  const { limits, format } = request
  const files: InjectedFile[] = []
  const skipped = new Map<string, SkippedFile>()
  const seen = new Set<string>()
  const references = parseReferences(request.text)
  const platform = request.platform ?? process.platform
  const place = {
    directory: request.directory,
    worktree: request.worktree,
    home: request.home ?? homedir(),
    platform,
  }
  const project = await openProject(place, request.rules)
  let bytes = 0
  let scanBytes = MAX_SCAN_BYTES
  let covered = 0
  let full = false

  for (const reference of references) {
    if (reference.offset < covered) continue
    try {
      await include(reference)
    } catch (error) {
      skip(reference, `failed: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  if (references.length === MAX_REFERENCES)
    skipped.set("", { reference: `names after the first ${MAX_REFERENCES}`, reason: "not looked at" })
  return { files, note: noteOf([...skipped.values()]), bytes, skipped: [...skipped.values()] }

  async function include(reference: Reference): Promise<void> {
    const found = await resolveSpellings(reference.spellings, project)
    if (found.kind === "refused") {
      if (found.reason !== "missing" || reference.meantAsFile) skip(reference, refusalText(found.reason))
      return
    }
    covered = reference.offset + found.spelling.length
    const range = found.spelling.range
    const key = JSON.stringify([found.real, range?.start, range?.end])
    if (seen.has(key) || isAttached(found.path, range) || isAttached(found.real, range)) return
    seen.add(key)

    const left = limits.maxBytes - bytes
    const maxBytes = Math.min(limits.maxFileBytes, left) - format.frameBytes(found.path)
    if (full || files.length >= limits.maxFiles || maxBytes <= 0) return skip(reference, "over the budget")
    const ranged = range === undefined ? {} : { range }
    const read = await readLines(found.real, {
      name: found.path,
      style: format,
      maxBytes,
      scanBytes: Math.max(scanBytes, MIN_SCAN_BYTES),
      ...ranged,
    })
    scanBytes -= read.scanned
    if (read.kind !== "page") return skip(reference, reasonOf(read, range))
    full = read.page.end === "budget" && left <= limits.maxFileBytes
    const body = format.body(found.path, read.page)
    bytes += Buffer.byteLength(body)
    const name = nameOf(found.path, range, project)
    files.push({ path: found.path, name, header: format.header(found.path, range), body, ...ranged })
  }

  function isAttached(path: string, range: LineRange | undefined): boolean {
    return request.alreadyAttached.has(path) || request.alreadyAttached.has(attachedKey(path, range))
  }

  function skip(reference: Reference, reason: string): void {
    const name = oneLine(sliceUnits(reference.name, 0, MAX_NAME_UNITS))
    skipped.set(`${name} (${reason})`, { reference: name, reason })
  }
}

function refusalText(reason: Refusal): string {
  if (reason === "outside") return "outside the project"
  if (reason === "unknown") return "not read: the host did not tell its read rules"
  return reason === "refused" ? "refused by the host's read rules" : reason
}

function reasonOf(read: Exclude<ReadOutcome, { kind: "page" }>, range: LineRange | undefined): string {
  if (read.kind === "binary") return `binary, ${sizeText(read.size)}`
  if (read.kind === "swapped") return "not read: its path led elsewhere when it was opened"
  if (read.kind !== "past the end") return read.kind
  if (read.total === undefined) return `line ${range?.start ?? 1} is too far into the file`
  return `line ${range?.start ?? 1} is past the end, ${read.total} ${read.total === 1 ? "line" : "lines"}`
}

function noteOf(skipped: readonly SkippedFile[]): string | undefined {
  if (skipped.length === 0) return undefined
  return `Not included: ${skipped.map((file) => `${file.reference} (${file.reason})`).join(", ")}`
}

function nameOf(path: string, range: LineRange | undefined, project: Project): string {
  const paths = project.platform === "win32" ? win32 : posix
  const relative = paths.relative(project.directory, path)
  const name = relative.startsWith("..") ? path : relative.replaceAll(paths.sep, "/")
  if (range === undefined) return name
  return `${name}#${range.start}${range.end === undefined ? "" : `-${range.end}`}`
}

/** 12582912 → "12 MB". Binary units, rounded, at least "1 KB" above 1023 bytes. */
function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KB`
  return `${Math.round(bytes / (1024 * 1024))} MB`
}
