// A tool's arguments from what the model wrote: raw, without defaults, sometimes not an object at all.

import * as z from "zod/mini"
import { nearest } from "../text/nearest.ts"
import { printableTitle, shownValue } from "../text/printable.ts"
import type { Definition } from "./tool.ts"

/** What `parseInput` makes of a definition's arguments. */
export type InputOf<Described extends Definition> = z.output<z.ZodMiniObject<Described["input"]>>

export type ParsedInput<Shape extends z.core.$ZodShape> =
  | { readonly ok: true; readonly value: z.output<z.ZodMiniObject<Shape>> }
  | { readonly ok: false; readonly error: string }

/**
 * The arguments of a tool, with their defaults. `null` counts as absent, also for the whole input; an
 * unknown key is refused with the nearest known one. The error is one line: the argument, the value, what to write.
 */
export function parseInput<Shape extends z.core.$ZodShape>(
  definition: { readonly name: string; readonly input: Shape },
  raw: unknown,
): ParsedInput<Shape> {
  const { name, input } = definition
  const known = Object.keys(input)
  if (raw !== undefined && raw !== null && (typeof raw !== "object" || Array.isArray(raw)))
    return refuse(`got ${shownValue(raw)} instead of an object of arguments; ${knownArguments(known)}`)
  const given = Object.entries(raw ?? {}).filter(([, value]) => value !== null && value !== undefined)
  const unknown = Object.keys(raw ?? {}).find((key) => !known.includes(key))
  if (unknown !== undefined) return refuse(unknownArgument(unknown, known))
  const parsed = z.object(input).safeParse(Object.fromEntries(given))
  if (parsed.success) return { ok: true, value: parsed.data }
  return refuse(
    parsed.error.issues.map((issue) => wrongArgument(issue, Object.fromEntries(given))).join("; "),
  )

  function refuse(reason: string): { ok: false; error: string } {
    return { ok: false, error: `${name}: ${reason}` }
  }
}

function unknownArgument(key: string, known: readonly string[]): string {
  const close = nearest(key, known)
  const advice = close === undefined ? knownArguments(known) : `did you mean \`${close}\`?`
  return `unknown argument \`${printableTitle(key.slice(0, MAX_KEY_UNITS)).slice(1, -1)}\`, ${advice}`
}

function knownArguments(known: readonly string[]): string {
  return known.length === 0
    ? "it takes no arguments"
    : `the arguments are ${known.map((key) => `\`${key}\``).join(", ")}`
}

/** How much of an unknown key is repeated. */
const MAX_KEY_UNITS = 80

function wrongArgument(issue: z.core.$ZodIssue, given: Readonly<Record<string, unknown>>): string {
  const name = `\`${issue.path.map((step, index) => pathStep(step, index)).join("")}\``
  const value = issue.path.reduce<unknown>(
    (from, step) => (typeof from === "object" && from !== null ? Reflect.get(from, step) : undefined),
    given,
  )
  if (value === undefined) return `${name} is required; write ${whatToWrite(issue)}`
  return `${name} is ${shownValue(value)}; write ${whatToWrite(issue)}`
}

function pathStep(step: PropertyKey, index: number): string {
  if (typeof step === "number") return `[${step}]`
  return index === 0 ? String(step) : `.${String(step)}`
}

function whatToWrite(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return issue.message.startsWith(NO_WORDS)
        ? (TYPES.get(issue.expected) ?? issue.expected)
        : issue.message
    case "invalid_value":
      return issue.values.map((value) => shownValue(value)).join(" or ")
    case "too_small":
      return `at least ${issue.minimum}${unitOf(issue.origin)}`
    case "too_big":
      return `at most ${issue.maximum}${unitOf(issue.origin)}`
    case "invalid_format":
    case "not_multiple_of":
    case "unrecognized_keys":
    case "invalid_union":
    case "invalid_key":
    case "invalid_element":
    case "custom":
      return issue.message
  }
}

/** What zod says of a schema that has no words of its own. */
const NO_WORDS = "Invalid input"

const TYPES: ReadonlyMap<string, string> = new Map([
  ["string", "a string"],
  ["number", "a number"],
  ["int", "a whole number"],
  ["boolean", "true or false"],
  ["array", "a list"],
  ["object", "an object"],
])

function unitOf(origin: string): string {
  return origin === "string" ? " characters" : origin === "array" ? " entries" : ""
}
