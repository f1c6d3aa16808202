import type { FileEdit } from "../history/contract.ts"
import { pathKey, resolvePath } from "../query/paths.ts"

// What an edit changed, out of what the index keeps of its tool call: the call's input, a field a line. Where the
// fields cannot be told apart for certain there is no diff rather than a wrong one.

/** Lines of context around a change. */
export const CONTEXT_LINES = 3

export type DiffLine = { readonly kind: " " | "-" | "+"; readonly text: string }

/** The diff of one edit from the tool texts of its message; undefined when they do not hold it. */
export function diffOf(edit: FileEdit, toolTexts: readonly string[]): readonly DiffLine[] | undefined {
  const found: DiffLine[] = []
  for (const text of toolTexts) {
    const [name = "", ...rest] = text.split("\n")
    if (edit.tool === "" || name !== edit.tool) continue
    const lines = diffOfCall(edit, rest.join("\n"))
    if (lines !== undefined) found.push(...lines)
  }
  return found.length === 0 ? undefined : found
}

function diffOfCall(edit: FileEdit, input: string): readonly DiffLine[] | undefined {
  const patch = fieldOf(input, ["patchText", "patch", "input"])
  if (patch !== undefined && /^\*\*\* (Begin Patch|Add|Update|Delete)/m.test(patch))
    return patchLines(edit, patch)
  const path = /^(?:filePath|file_path|path): (.*)$/m.exec(input)?.[1]
  if (path === undefined || !isSame(edit, path)) return undefined
  const content = /(?:^|\n)content: ([\s\S]*)$/.exec(input)?.[1]
  if (edit.kind === "write" && content !== undefined) return marked("+", content.split("\n"))
  const parts = input.split(
    /(?:^|\n)(?:edits\.\d+\.)?(oldString|newString|replaceAll|filePath|file_path|path): /,
  )
  const steps: DiffLine[] = []
  let old: string | undefined
  for (let at = 1; at < parts.length; at += 2) {
    const [field, value] = [parts[at], parts[at + 1] ?? ""]
    if (field === "oldString") {
      if (old !== undefined) return undefined
      old = value
    } else if (field === "newString") {
      if (old === undefined) return undefined
      steps.push(...changed(old.split("\n"), value.split("\n")))
      old = undefined
    }
  }
  return steps.length === 0 || old !== undefined ? undefined : steps
}

/** A field that is the last of the input: nothing behind it can be mistaken for it. */
function fieldOf(input: string, names: readonly string[]): string | undefined {
  for (const name of names) if (input.startsWith(`${name}: `)) return input.slice(name.length + 2)
  return undefined
}

function isSame(edit: FileEdit, path: string): boolean {
  return pathKey(resolvePath(edit.session.directory, path)) === pathKey(edit.path)
}

/** The stretch of a patch that is about this file. */
function patchLines(edit: FileEdit, patch: string): readonly DiffLine[] | undefined {
  const lines: DiffLine[] = []
  let inside = false
  for (const line of patch.split("\n")) {
    const head = /^\*\*\* (?:Add|Update|Delete) File: (.+?)\s*$/.exec(line)
    if (head !== null) {
      const path = head[1] ?? ""
      inside =
        isSame(edit, path) ||
        (edit.movedFrom !== undefined && isSame({ ...edit, path: edit.movedFrom }, path))
      continue
    }
    if (!inside || line.startsWith("***")) continue
    if (line.startsWith("+") || line.startsWith("-"))
      lines.push({ kind: line[0] === "+" ? "+" : "-", text: line.slice(1) })
    else if (!line.startsWith("@@"))
      lines.push({ kind: " ", text: line.startsWith(" ") ? line.slice(1) : line })
    else if (lines.length > 0) lines.push({ kind: " ", text: "…" })
  }
  return lines.length === 0 ? undefined : lines
}

/** Old and new lines with what they share at both ends as context. */
function changed(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  const most = Math.min(before.length, after.length)
  let start = 0
  while (start < most && before[start] === after[start]) start++
  let end = 0
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end++
  return [
    ...marked(" ", before.slice(Math.max(0, start - CONTEXT_LINES), start)),
    ...marked("-", before.slice(start, before.length - end)),
    ...marked("+", after.slice(start, after.length - end)),
    ...marked(" ", before.slice(before.length - end, before.length - end + CONTEXT_LINES)),
  ]
}

function marked(kind: DiffLine["kind"], lines: readonly string[]): readonly DiffLine[] {
  return lines.map((text) => ({ kind, text }))
}
