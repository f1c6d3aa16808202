import { applyEdits, type Edit, type FormattingOptions, modify } from "jsonc-parser"
import { type Entry, PACKAGE, parseConfig, type PluginKey, valueOf, withoutMark } from "./entries.ts"

// Adds or removes this package in the text of a config file. Everything else of the text stays byte for byte:
// comments, order, indentation, line ends, trailing commas. Pure.

export type Wanted = {
  readonly path: string
  readonly key: PluginKey
  /** How a new entry is written. */
  readonly entry: string | { readonly package: string }
}

export type Changed =
  | { readonly ok: true; readonly text: string; readonly changed: boolean }
  | { readonly ok: false; readonly error: string }

const EMPTY = "{}\n"

/** The text with the package in its list. An entry that is there, however it is written, is left alone. */
export function withPlugin(text: string, wanted: Wanted): Changed {
  const config = parseConfig(wanted.path, text)
  if (!config.ok) return config
  if (config.entries.some((entry) => entry.key === wanted.key)) return { ok: true, text, changed: false }
  const body = withoutMark(text)
  const mark = text.slice(0, text.length - body.length)
  const whole = config.root === undefined ? (body.trim() === "" ? EMPTY : body) : body
  const list = valueOf(config.root, wanted.key)
  if (list !== undefined && list.type !== "array")
    return {
      ok: false,
      error: `${wanted.path}: "${wanted.key}" is no list; make it one, or remove it, and run this again`,
    }
  const options = { formattingOptions: layoutOf(whole), isArrayInsertion: true }
  const edits =
    list === undefined
      ? modify(whole, [wanted.key], [wanted.entry], { formattingOptions: options.formattingOptions })
      : modify(whole, [wanted.key, list.children?.length ?? 0], wanted.entry, options)
  return { ok: true, text: mark + applied(whole, edits), changed: true }
}

/** The text without any entry of the package in the list. A list that becomes empty goes too. */
export function withoutPlugin(text: string, wanted: Pick<Wanted, "path" | "key">): Changed {
  const config = parseConfig(wanted.path, text)
  if (!config.ok) return config
  const ours = config.entries.filter((entry) => entry.key === wanted.key)
  if (ours.length === 0) return { ok: true, text, changed: false }
  const body = withoutMark(text)
  const mark = text.slice(0, text.length - body.length)
  const list = valueOf(config.root, wanted.key)
  const formattingOptions = layoutOf(body)
  if (list?.children?.length === ours.length)
    return {
      ok: true,
      text: mark + applied(body, modify(body, [wanted.key], undefined, { formattingOptions })),
      changed: true,
    }
  let left = body
  // From the end, so that the positions of those before it stay.
  for (const entry of [...ours].sort(lastFirst))
    left = applied(left, modify(left, [wanted.key, entry.index], undefined, { formattingOptions }))
  return { ok: true, text: mark + left, changed: true }
}

/** The entry of a new line in a list: V1 takes the name, V2 an object too. */
export function entryFor(host: "v1" | "v2"): Wanted["entry"] {
  return host === "v1" ? PACKAGE : { package: PACKAGE }
}

function lastFirst(one: Entry, other: Entry): number {
  return other.index - one.index
}

function applied(text: string, edits: Edit[]): string {
  return applyEdits(text, edits)
}

/** The indentation and line ends that the text has. */
function layoutOf(text: string): FormattingOptions {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1]
  const insertSpaces = !(indent?.startsWith("\t") ?? false)
  return {
    insertSpaces,
    tabSize: insertSpaces ? Math.min(8, indent?.length ?? 2) : 4,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
    insertFinalNewline: false,
  }
}
