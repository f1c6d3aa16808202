import { existsSync, readFileSync, statSync } from "node:fs"
import { dirname, isAbsolute, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { type Node, parseTree, type ParseError, printParseErrorCode, stripComments } from "jsonc-parser"
import { isRecord } from "../../session/from-unknown.ts"
import { readText } from "./read-text.ts"

// Plugin entries of a config file, and which of them is this package, however it is written: by name, with a
// version, as a path or file URL, alone, as V1's pair with options or as V2's object.

export const PACKAGE = "opencode-baton"

/** V1 reads `plugin`, V2 reads `plugins`. */
export type PluginKey = "plugin" | "plugins"

export type Entry = {
  readonly key: PluginKey
  /** Position in its list. */
  readonly index: number
  readonly spec: string
  readonly options?: Readonly<Record<string, unknown>>
}

export type ReadConfig =
  | {
      readonly ok: true
      readonly text: string
      readonly root: Node | undefined
      readonly entries: readonly Entry[]
    }
  | { readonly ok: false; readonly error: string }

/** The config's text, tree and our entries. Errors are one line with the place in the file. */
export function readConfig(path: string): ReadConfig {
  try {
    return parseConfig(path, readText(path))
  } catch (error) {
    return unreadable(path, error)
  }
}

/** The answer for a config that could not be read. */
export function unreadable(name: string, error: unknown): ReadConfig {
  return {
    ok: false,
    error: `${name} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
  }
}

/** As `readConfig`, of a text that stands or will stand at `path`. */
export function parseConfig(path: string, text: string): ReadConfig {
  const body = withoutMark(text)
  if (stripComments(body).trim() === "") return { ok: true, text, root: undefined, entries: [] }
  const errors: ParseError[] = []
  const root = parseTree(body, errors, { allowTrailingComma: true, disallowComments: false })
  const first = errors[0]
  if (first !== undefined)
    return {
      ok: false,
      error: `${path}:${lineOf(body, first.offset)}: not valid JSON (${printParseErrorCode(first.error)})`,
    }
  if (root !== undefined && root.type !== "object")
    return {
      ok: false,
      error: `${path}: holds ${root.type === "array" ? "a list" : `a ${root.type}`} instead of an object`,
    }
  const entries = (["plugin", "plugins"] as const).flatMap((key) => entriesOf(root, key, dirname(path)))
  return { ok: true, text, root, entries }
}

/** A byte order mark is no JSON and stays where it is. */
export function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text
}

/** The value of a top-level key as a node; of a key that is written twice the last one, as OpenCode reads it. */
export function valueOf(root: Node | undefined, key: string): Node | undefined {
  return root?.children?.findLast((property) => property.children?.[0]?.value === key)?.children?.[1]
}

function entriesOf(root: Node | undefined, key: PluginKey, folder: string): readonly Entry[] {
  const items = valueOf(root, key)?.children ?? []
  return items.flatMap((item, index) => {
    const { spec, options } = specOf(item)
    if (spec === undefined || !isOurs(spec, folder)) return []
    return [{ key, index, spec, ...(options === undefined ? {} : { options }) }]
  })
}

function specOf(item: Node): { spec?: string; options?: Readonly<Record<string, unknown>> } {
  const string = (node: Node | undefined) => (node?.type === "string" ? String(node.value) : undefined)
  const withOptions = (spec: string | undefined, node: Node | undefined) => {
    const options = node === undefined ? undefined : plain(node)
    return {
      ...(spec === undefined ? {} : { spec }),
      ...(isRecord(options) ? { options } : {}),
    }
  }
  if (item.type === "string") return { spec: String(item.value) }
  if (item.type === "array") return withOptions(string(item.children?.[0]), item.children?.[1])
  if (item.type === "object") return withOptions(string(valueOf(item, "package")), valueOf(item, "options"))
  return {}
}

/** The node as the value it stands for. */
function plain(node: Node): unknown {
  if (node.type === "array") return (node.children ?? []).map(plain)
  if (node.type !== "object") return node.value
  return Object.fromEntries(
    (node.children ?? []).map(({ children }) => [
      String(children?.[0]?.value),
      children?.[1] && plain(children[1]),
    ]),
  )
}

/** Whether a plugin entry is this package. A local one is judged by its package.json. */
export function isOurs(spec: string, folder: string): boolean {
  if (spec === PACKAGE || spec.startsWith(`${PACKAGE}@`)) return true
  const path = localPath(spec, folder)
  if (path === undefined) return false
  if (/(^|[/\\])opencode-baton-[^/\\]*\.tgz$/.test(path)) return true
  for (const at of [path, dirname(path), dirname(dirname(path))]) {
    const manifest = join(at, "package.json")
    if (existsSync(manifest) && statSync(manifest).isFile()) return nameIn(manifest) === PACKAGE
  }
  return false
}

function localPath(spec: string, folder: string): string | undefined {
  if (spec.startsWith("file://")) {
    try {
      return fileURLToPath(spec)
    } catch (error) {
      if (error instanceof TypeError) return undefined
      throw error
    }
  }
  if (spec.startsWith("file:")) return resolve(folder, spec.slice("file:".length))
  return isAbsolute(spec) || /^\.{1,2}[/\\]/.test(spec) ? resolve(folder, spec) : undefined
}

function nameIn(manifest: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(readFileSync(manifest, "utf8"))
    return isRecord(parsed) && typeof parsed["name"] === "string" ? parsed["name"] : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length
}
