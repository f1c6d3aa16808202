import { pathKey, resolvePath } from "../../query/paths.ts"
import type { Message, ToolPart } from "../../session/model.ts"
import type { EditKind, EditStatus } from "../contract.ts"
import { patchFiles } from "./patch-text.ts"

// Which files a message edited: finished write, edit, multi-edit and apply_patch calls and the host's own
// record of changed files. One row a file; a call's row is preferred to the record's. Pure.

export type MessageEdit = {
  /** Absolute, forward slashes. */
  readonly path: string
  readonly movedFrom?: string
  readonly kind: EditKind
  readonly status: EditStatus
  /** Empty for the host's record. */
  readonly tool: string
}

/** Files of one message that are recorded; a checkout of a whole tree is not a list of edits. */
export const MAX_EDITS_PER_MESSAGE = 1_000

/** The edits of a message in part order. Relative paths are taken from the session's directory. */
export function editsOf(message: Message, directory: string): readonly MessageEdit[] {
  const byPath = new Map<string, MessageEdit>()
  for (const part of message.parts) {
    const found =
      part.type === "tool" ? toolEdits(part) : part.type === "patch" ? snapshotEdits(part.files) : []
    for (const edit of found) {
      const path = resolvePath(directory, edit.path)
      const key = pathKey(path)
      const known = byPath.get(key)
      if (path === "" || (known ? rank(known) <= rank(edit) : byPath.size >= MAX_EDITS_PER_MESSAGE)) continue
      const movedFrom =
        edit.movedFrom === undefined ? {} : { movedFrom: resolvePath(directory, edit.movedFrom) }
      byPath.set(key, { ...edit, path, ...movedFrom })
    }
  }
  // The host's record lists both ends of a move; the move's own row tells it.
  for (const { status, movedFrom } of byPath.values()) {
    if (status !== "done" || movedFrom === undefined) continue
    const key = pathKey(movedFrom)
    if (byPath.get(key)?.kind === "snapshot") byPath.delete(key)
  }
  return [...byPath.values()]
}

/** Lower is told in preference: what happened before what did not, a call before a record of its effect. */
function rank(edit: MessageEdit): number {
  if (edit.status === "failed") return 3
  if (edit.status === "unchanged") return 2
  return edit.kind === "snapshot" ? 1 : 0
}

function snapshotEdits(files: readonly string[]): readonly MessageEdit[] {
  return files.map((path) => ({ path, kind: "snapshot", status: "done", tool: "" }))
}

function toolEdits(part: ToolPart): readonly MessageEdit[] {
  if (part.status !== "completed" && part.status !== "error") return []
  const name = part.tool.toLowerCase().replaceAll(/[-_]/g, "")
  const failed = part.status === "error"
  if (name === "applypatch" || name === "patch") {
    return patchFiles(textOf(part.input, "patchText", "patch", "input")).map(({ changed, ...file }) => ({
      ...file,
      status: failed ? "failed" : changed ? "done" : "unchanged",
      tool: part.tool,
    }))
  }
  if (name !== "write" && name !== "edit" && name !== "multiedit") return []
  const path = textOf(part.input, "filePath", "file_path", "path")
  if (path === "") return []
  const status = failed ? "failed" : isUnchanged(part) ? "unchanged" : "done"
  return [{ path, kind: name === "write" ? "write" : "edit", status, tool: part.tool }]
}

/** The call says so itself (old and new text are equal), or the host's diff of it holds no change. */
function isUnchanged(part: ToolPart): boolean {
  const steps = Array.isArray(part.input["edits"]) ? part.input["edits"] : [part.input]
  if (steps.length > 0 && steps.every(replacesNothing)) return true
  const { diff } = part.metadata
  return typeof diff === "string" && diff !== "" && !/^@@/m.test(diff)
}

function replacesNothing(step: unknown): boolean {
  if (typeof step !== "object" || step === null) return false
  const before = "oldString" in step ? step.oldString : undefined
  const after = "newString" in step ? step.newString : undefined
  return typeof before === "string" && before === after
}

function textOf(input: Readonly<Record<string, unknown>>, ...names: readonly string[]): string {
  for (const name of names) {
    const value = input[name]
    if (typeof value === "string" && value !== "") return value
  }
  return ""
}
