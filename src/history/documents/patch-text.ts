// The files an apply_patch text names: `*** Add File:`, `*** Update File:` (with `*** Move to:`), `*** Delete File:`.

export type PatchFile = {
  readonly path: string
  readonly movedFrom?: string
  readonly kind: "add" | "update" | "delete" | "move"
  /** False for an update without an added or removed line. */
  readonly changed: boolean
}

/** The files in the order of the patch; empty when it is no patch of this form. */
export function patchFiles(patch: string): readonly PatchFile[] {
  const files: PatchFile[] = []
  for (const line of patch.split(/\r?\n/)) {
    const head = patchHead(line)
    const last = files.at(-1)
    if (head) files.push(opened(head.verb, head.path))
    else if (last?.kind === "update" && line.startsWith("*** Move to: ")) {
      files[files.length - 1] = {
        path: line.slice(13).trim(),
        movedFrom: last.path,
        kind: "move",
        changed: true,
      }
    } else if (last && !last.changed && /^[+-]/.test(line))
      files[files.length - 1] = { ...last, changed: true }
  }
  return files
}

/** The verb and the path of a line that begins a file of a patch; without the blanks behind the path. */
export function patchHead(line: string): { readonly verb: string; readonly path: string } | undefined {
  const [, verb, path] = HEAD.exec(line) ?? []
  return verb === undefined || path === undefined ? undefined : { verb, path }
}

/** Up to the last character that is no blank, found from the end: a lazy path would look at all blanks again and again. */
const HEAD = /^\*\*\* (Add|Update|Delete) File: ([^]*\S)/

function opened(verb: string, path: string): PatchFile {
  if (verb === "Add") return { path, kind: "add", changed: true }
  if (verb === "Delete") return { path, kind: "delete", changed: true }
  return { path, kind: "update", changed: false }
}
