// The plugin's options: every key optional, a wrong one explained and replaced by its default. Read at the host's
// start, so by hand: a library of schemas takes longer to load than all of this.

import { posix, win32 } from "node:path"
import { nearest } from "../text/nearest.ts"
import { printableTitle, shownValue } from "../text/printable.ts"

export const TOOL_GROUPS = ["handoff", "history", "sessions"] as const
export type ToolGroup = (typeof TOOL_GROUPS)[number]

export type Options = {
  /** Which groups of tools are registered. */
  readonly tools: readonly ToolGroup[]
  /** Reading or searching outside the current project. */
  readonly otherProjects: "allow" | "ask" | "deny"
  /** Project ids or directory globs that are never indexed, listed or read. */
  readonly exclude: readonly string[]
  /** Whether known secret formats are replaced in the index and in answers. */
  readonly maskSecrets: boolean
  /** Budget of one handoff's files. */
  readonly inject: { readonly maxFiles: number; readonly maxBytes: number; readonly maxFileBytes: number }
  readonly readFormat: "auto" | "numbered"
  /** Where the index folder lives; absent means the host's data directory. */
  readonly dataDir?: string
}

/** More files than this in one message help no model and only stall the host. */
export const MAX_INJECT_FILES = 500

/** A message is one row of the host's database and one request to the model: 16 MiB is far above both. */
export const MAX_INJECT_BYTES = 16 * 1024 * 1024

export const DEFAULT_OPTIONS: Options = {
  tools: TOOL_GROUPS,
  otherProjects: "ask",
  exclude: [],
  maskSecrets: true,
  inject: { maxFiles: 20, maxBytes: 512 * 1024, maxFileBytes: 128 * 1024 },
  readFormat: "auto",
}

export type ParsedOptions = {
  readonly options: Options
  readonly problems: string[]
  /** The problem of `exclude`, where it has one: it is not known what to keep out, so nothing may be indexed. */
  readonly excludeProblem?: string
}

/**
 * The options of what the user wrote; `null` counts as absent, `inject.maxFiles` may be nested or one flat key.
 * Each problem is one line that names the key, the value and what to write. Never throws.
 */
export function parseOptions(raw: unknown): ParsedOptions {
  const problems: string[] = []
  const given = flatten(raw, problems)
  const options: Options = {
    tools: read(TOOLS, DEFAULT_OPTIONS.tools),
    otherProjects: read(OTHER_PROJECTS, DEFAULT_OPTIONS.otherProjects),
    exclude: read(EXCLUDE, DEFAULT_OPTIONS.exclude),
    maskSecrets: read(MASK_SECRETS, DEFAULT_OPTIONS.maskSecrets),
    inject: {
      maxFiles: read(MAX_FILES, DEFAULT_OPTIONS.inject.maxFiles),
      maxBytes: read(MAX_BYTES, DEFAULT_OPTIONS.inject.maxBytes),
      maxFileBytes: read(MAX_FILE_BYTES, DEFAULT_OPTIONS.inject.maxFileBytes),
    },
    readFormat: read(READ_FORMAT, DEFAULT_OPTIONS.readFormat),
  }
  const dataDir = read(DATA_DIR, undefined)
  const excludeProblem = problems.find((problem) => problem.startsWith(`option "${EXCLUDE.key}"`))
  return {
    options: dataDir === undefined ? options : { ...options, dataDir: withHome(dataDir) },
    problems,
    ...(excludeProblem === undefined ? {} : { excludeProblem }),
  }

  function read<Value, Fallback>(rule: Rule<Value>, fallback: Fallback): Value | Fallback {
    const value = given.get(rule.key)
    if (value === undefined || value === null) return fallback
    const parsed = rule.read(value)
    if (parsed.ok) return parsed.value
    const used = parsed.kept ?? fallback
    problems.push(problemOf(rule, parsed.wrong, used))
    return used
  }
}

type Rule<Value> = {
  readonly key: string
  read(value: unknown): Read<Value>
  /** What to write instead of a wrong value. */
  readonly write: string
}

/** The value as it is used, or what in it is wrong (of a list the first entry that is) and what of it is used all the same. */
type Read<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly wrong: unknown; readonly kept?: Value }

const isToolGroup = oneOf(TOOL_GROUPS)
const isBoolean = (value: unknown) => typeof value === "boolean"

/** An id has none of these; what has one is a glob, and only from a root, the home folder or `**` on can it match. */
const PLACE = /[/\\*?]/
const ROOTED = /^(?:[/\\]|[A-Za-z]:[/\\]|~(?:$|[/\\])|\*\*)/
const keepsOut = (value: unknown): value is string =>
  typeof value === "string" && value.trim() !== "" && (!PLACE.test(value) || ROOTED.test(value))

const TOOLS: Rule<readonly ToolGroup[]> = {
  key: "tools",
  read(value) {
    const groups = list(isToolGroup)(value)
    return groups.ok ? { ok: true, value: [...new Set(groups.value)] } : groups
  },
  write: `a list of ${TOOL_GROUPS.map((group) => `"${group}"`).join(", ")}`,
}
const OTHER_PROJECTS = {
  key: "otherProjects",
  read: only(oneOf(["allow", "ask", "deny"])),
  write: '"allow", "ask" or "deny"',
}
const EXCLUDE: Rule<readonly string[]> = {
  key: "exclude",
  // One wrong entry lays open nothing that another one keeps out.
  read(value) {
    const entries = list(keepsOut)(value)
    const all: readonly unknown[] = Array.isArray(value) ? value : [value]
    return entries.ok ? entries : { ...entries, kept: all.filter(keepsOut) }
  },
  write:
    'a list of project ids or absolute directory globs, such as ["/home/me/private/**"] or ["~/private"]',
}
const MASK_SECRETS = { key: "maskSecrets", read: only(isBoolean), write: "true or false" }
const MAX_FILES = wholeNumber("inject.maxFiles", MAX_INJECT_FILES)
const MAX_BYTES = wholeNumber("inject.maxBytes", MAX_INJECT_BYTES)
const MAX_FILE_BYTES = wholeNumber("inject.maxFileBytes", MAX_INJECT_BYTES)
const READ_FORMAT = {
  key: "readFormat",
  read: only(oneOf(["auto", "numbered"])),
  write: '"auto" or "numbered"',
}
const DATA_DIR = { key: "dataDir", read: only(isFolderPath), write: "an absolute path, or one below ~/" }

const RULES = [
  TOOLS,
  OTHER_PROJECTS,
  EXCLUDE,
  MASK_SECRETS,
  MAX_FILES,
  MAX_BYTES,
  MAX_FILE_BYTES,
  READ_FORMAT,
  DATA_DIR,
]
const KEYS = RULES.map((rule) => rule.key)
const INJECT_KEYS = KEYS.filter((key) => key.startsWith("inject."))

/** The known keys with what was written for them; everything else becomes a problem. */
function flatten(raw: unknown, problems: string[]): ReadonlyMap<string, unknown> {
  const given = new Map<string, unknown>()
  if (raw === undefined || raw === null) return given
  if (!isRecord(raw)) {
    problems.push(
      `options: got ${shownValue(raw)}; write an object such as {"maskSecrets": true}. Using the defaults.`,
    )
    return given
  }
  for (const [key, value] of Object.entries(raw)) {
    if (key !== "inject") add(key, value)
    else if (isRecord(value))
      for (const [inner, entry] of Object.entries(value)) add(`inject.${inner}`, entry)
    else if (value !== null && value !== undefined)
      problems.push(
        `option "inject": got ${shownValue(value)}; write an object such as {"maxFiles": 20}. Using the defaults.`,
      )
  }
  return given

  function add(key: string, value: unknown): void {
    if (!KEYS.includes(key)) problems.push(unknownKey(key, value))
    else if (given.has(key))
      problems.push(`option "${key}": written twice; ${shownValue(value)} is ignored. Write it once.`)
    else given.set(key, value)
  }
}

function unknownKey(key: string, value: unknown): string {
  const close =
    nearest(key, KEYS) ?? INJECT_KEYS.find((known) => nearest(key, [known.slice("inject.".length)]))
  const advice = close ? `did you mean "${close}"?` : `known options: ${KEYS.join(", ")}.`
  return `unknown option ${printableTitle(key.slice(0, 80))} (${shownValue(value)}): ${advice} It is ignored.`
}

function problemOf(rule: Rule<unknown>, wrong: unknown, fallback: unknown): string {
  const used = fallback === undefined ? "the host's data directory" : JSON.stringify(fallback)
  return `option "${rule.key}": got ${shownValue(wrong)}; write ${rule.write}. Using ${used}.`
}

type Test<Value> = (value: unknown) => value is Value

function only<Value>(test: Test<Value>): (value: unknown) => Read<Value> {
  return (value) => (test(value) ? { ok: true, value } : { ok: false, wrong: value })
}

function list<Value>(test: Test<Value>): (value: unknown) => Read<readonly Value[]> {
  return (value) => {
    if (!Array.isArray(value)) return { ok: false, wrong: value }
    const entries: readonly unknown[] = value
    return entries.every(test)
      ? { ok: true, value: entries }
      : { ok: false, wrong: entries.find((entry) => !test(entry)) }
  }
}

function oneOf<const Word extends string>(words: readonly Word[]): Test<Word> {
  return (value): value is Word => words.some((word) => word === value)
}

function wholeNumber(key: string, max: number): Rule<number> {
  const isInRange = (value: unknown): value is number =>
    typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= max
  return { key, read: only(isInRange), write: `a whole number from 0 to ${max}` }
}

const HOME = /^~(?=$|[/\\])/

/** From the environment alone: node:os would be loaded at the host's start for it. */
const homeFolder = (): string | undefined => process.env["HOME"] || process.env["USERPROFILE"] || undefined

function withHome(path: string): string {
  return path.replace(HOME, () => homeFolder() ?? "~")
}

function isFolderPath(value: unknown): value is string {
  return (
    typeof value === "string" &&
    (posix.isAbsolute(value) ||
      win32.isAbsolute(value) ||
      (HOME.test(value) && homeFolder() !== undefined)) &&
    !value.includes("\0")
  )
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
