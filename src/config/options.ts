// The plugin's options: every key optional, a wrong one explained and replaced by its default.

import { posix, win32 } from "node:path"
import * as z from "zod"
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

/**
 * The options of what the user wrote; `null` counts as absent, `inject.maxFiles` may be nested or one flat key.
 * Each problem is one line that names the key, the value and what to write. Never throws.
 */
export function parseOptions(raw: unknown): { options: Options; problems: string[] } {
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
  return { options: dataDir === undefined ? options : { ...options, dataDir }, problems }

  function read<Value, Fallback>(rule: Rule<Value>, fallback: Fallback): Value | Fallback {
    const value = given.get(rule.key)
    if (value === undefined || value === null) return fallback
    const parsed = rule.schema.safeParse(value)
    if (parsed.success) return parsed.data
    problems.push(problemOf(rule, value, parsed.error, fallback))
    return fallback
  }
}

type Rule<Value> = { readonly key: string; readonly schema: z.ZodType<Value>; readonly write: string }

const TOOLS = {
  key: "tools",
  schema: z.array(z.enum(TOOL_GROUPS)).transform((groups) => [...new Set(groups)]),
  write: `a list of ${TOOL_GROUPS.map((group) => `"${group}"`).join(", ")}`,
}
const OTHER_PROJECTS = {
  key: "otherProjects",
  schema: z.enum(["allow", "ask", "deny"]),
  write: '"allow", "ask" or "deny"',
}
const EXCLUDE = {
  key: "exclude",
  schema: z.array(z.string().refine((entry) => entry.trim() !== "")),
  write: 'a list of project ids or directory globs, such as ["/home/me/private/**"]',
}
const MASK_SECRETS = { key: "maskSecrets", schema: z.boolean(), write: "true or false" }
const MAX_FILES = wholeNumber("inject.maxFiles", MAX_INJECT_FILES)
const MAX_BYTES = wholeNumber("inject.maxBytes", MAX_INJECT_BYTES)
const MAX_FILE_BYTES = wholeNumber("inject.maxFileBytes", MAX_INJECT_BYTES)
const READ_FORMAT = {
  key: "readFormat",
  schema: z.enum(["auto", "numbered"]),
  write: '"auto" or "numbered"',
}
const DATA_DIR = {
  key: "dataDir",
  schema: z.string().refine((path) => isAbsolute(path) && !path.includes("\0")),
  write: "an absolute path",
}

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

function problemOf(rule: Rule<unknown>, value: unknown, error: z.ZodError, fallback: unknown): string {
  const index = error.issues[0]?.path[0]
  const wrong =
    Array.isArray(value) && typeof index === "number" ? shownValue(value[index]) : shownValue(value)
  const used = fallback === undefined ? "the host's data directory" : JSON.stringify(fallback)
  return `option "${rule.key}": got ${wrong}; write ${rule.write}. Using ${used}.`
}

function wholeNumber(key: string, max: number): Rule<number> {
  return { key, schema: z.number().int().min(0).max(max), write: `a whole number from 0 to ${max}` }
}

function isAbsolute(path: string): boolean {
  return posix.isAbsolute(path) || win32.isAbsolute(path)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
