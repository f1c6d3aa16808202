import type { FileEdit } from "../history/contract.ts"
import { patchHead } from "../history/documents/patch-text.ts"
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
  const fields = fieldsOf(input)
  const paths = fields.filter(({ name }) => PATH_FIELDS.has(name))
  const [path] = paths
  // A second one is a line of some text: then nothing tells where that text ends.
  if (path === undefined || paths.length > 1 || !isSame(edit, path.value)) return undefined
  const rest = fields.filter((field) => field !== path)
  const [only] = rest
  if (only?.name === "content") return rest.length === 1 ? marked("+", linesOf(only.value, true)) : undefined
  const texts = rest.filter(({ name }) => name !== "replaceAll")
  const steps: DiffLine[] = []
  const seen = new Set<string>()
  for (let at = 0; at < texts.length; at += 2) {
    const [before, after] = [texts[at], texts[at + 1]]
    if (before?.name !== "oldString" || after?.name !== "newString" || before.step !== after.step)
      return undefined
    if (seen.has(before.step)) return undefined
    seen.add(before.step)
    const whole = [before, after].every(({ value }) => value === "" || value.endsWith("\n"))
    steps.push(...changed(linesOf(before.value, whole), linesOf(after.value, whole)))
  }
  return steps.length === 0 ? undefined : steps
}

const PATH_FIELDS: ReadonlySet<string> = new Set(["filePath", "file_path", "path"])

type Field = {
  readonly name: string
  /** Of a list of edits the position, as in `edits.2`; "" outside of one. */
  readonly step: string
  readonly value: string
}

/** Every line that begins like a field, and what follows up to the next one. */
function fieldsOf(input: string): readonly Field[] {
  const heads = [
    ...input.matchAll(
      /(?:^|\n)((?:edits\.\d{1,9}\.)?)(oldString|newString|replaceAll|content|filePath|file_path|path): /g,
    ),
  ]
  return heads.map((head, at) => ({
    name: head[2] ?? "",
    step: head[1] ?? "",
    value: input.slice(head.index + head[0].length, heads[at + 1]?.index ?? input.length),
  }))
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
    const path = patchHead(line)?.path
    if (path !== undefined) {
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

/** The lines of a text; of `whole` ones the last line break begins no further line. */
function linesOf(text: string, whole: boolean): readonly string[] {
  if (text === "") return []
  return (whole && text.endsWith("\n") ? text.slice(0, -1) : text).split("\n")
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
