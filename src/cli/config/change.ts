import { type Entry, PACKAGE, parseConfig, type PluginKey, valueOf, withoutMark } from "./entries.ts"
import { insertLast, removeMember } from "./splice.ts"

// Adds or removes this package in the text of a config file. Everything else of the text stays byte for byte. Pure.

export type Wanted = {
  readonly path: string
  readonly key: PluginKey
  /** How a new entry is written. */
  readonly entry: string | { readonly package: string }
}

export type Changed =
  | { readonly ok: true; readonly text: string; readonly changed: boolean }
  | { readonly ok: false; readonly error: string }

/** The text with the package in its list. An entry that is there, however it is written, is left alone. */
export function withPlugin(text: string, wanted: Wanted): Changed {
  const config = parseConfig(wanted.path, text)
  if (!config.ok) return config
  if (config.entries.some((entry) => entry.key === wanted.key)) return { ok: true, text, changed: false }
  const body = withoutMark(text)
  const mark = text.slice(0, text.length - body.length)
  const done = (changed: string): Changed => ({ ok: true, text: mark + changed, changed: true })
  const member = spaced(wanted.entry)
  const property = `"${wanted.key}": [${member}]`
  if (config.root === undefined) {
    const eol = body.includes("\r\n") ? "\r\n" : "\n"
    const kept = body.trim() === "" ? "" : `${body.trimEnd()}${eol}`
    return done(`${kept}{${eol}  ${property}${eol}}${eol}`)
  }
  const list = valueOf(config.root, wanted.key)
  if (list !== undefined && list.type !== "array")
    return {
      ok: false,
      error: `${wanted.path}: "${wanted.key}" is no list; make it one, or remove it, and run this again`,
    }
  return done(
    list === undefined
      ? insertLast(body, config.root, property, indentOf(body))
      : insertLast(body, list, member, indentOf(body)),
  )
}

/** The text without any entry of the package in the list. A list that becomes empty goes too, unless it is kept. */
export function withoutPlugin(
  text: string,
  wanted: Pick<Wanted, "path" | "key"> & { readonly keepEmpty?: boolean },
): Changed {
  const config = parseConfig(wanted.path, text)
  if (!config.ok) return config
  const ours = config.entries.filter((entry) => entry.key === wanted.key)
  const list = valueOf(config.root, wanted.key)
  if (ours.length === 0 || list === undefined || config.root === undefined)
    return { ok: true, text, changed: false }
  const body = withoutMark(text)
  const mark = text.slice(0, text.length - body.length)
  if (list.children?.length === ours.length && wanted.keepEmpty !== true) {
    const at = config.root.children?.indexOf(list.parent ?? list) ?? -1
    return { ok: true, text: mark + removeMember(body, config.root, at), changed: true }
  }
  const last = [...ours].sort(lastFirst)[0]
  if (last === undefined) return { ok: true, text, changed: false }
  const left = mark + removeMember(body, list, last.index)
  // Positions change with every removal: the rest is found anew.
  const rest = withoutPlugin(left, wanted)
  return rest.ok ? { ...rest, changed: true } : rest
}

/** The entry of a new line in a list: V1 takes the name, V2 an object too. */
export function entryFor(host: "v1" | "v2"): Wanted["entry"] {
  return host === "v1" ? PACKAGE : { package: PACKAGE }
}

function spaced(entry: Wanted["entry"]): string {
  return typeof entry === "string" ? JSON.stringify(entry) : `{ "package": ${JSON.stringify(entry.package)} }`
}

function lastFirst(one: Entry, other: Entry): number {
  return other.index - one.index
}

/** One step of the text's own indentation; two spaces where it has none. */
function indentOf(text: string): string {
  return /^([ \t]+)\S/m.exec(text)?.[1] ?? "  "
}
