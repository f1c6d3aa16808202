// Host data of unknown shape: strings and records with every text repaired, whatever was delivered.

import { isPrintable } from "../text/printable.ts"
import { repairText } from "../text/unicode.ts"

/** Deeper data keeps its texts as they are: no tool nests this far, and the walk must not exhaust the stack. */
export const MAX_REPAIR_DEPTH = 100

/** An object that is not a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** A host's id. Ids are printed as they are, so nothing that could break a line or steer a terminal is one. */
export function isId(value: unknown): value is string {
  return typeof value === "string" && value !== "" && isPrintable(value)
}

/** The farthest time from 1970 that a calendar has, in milliseconds: JavaScript's own limit. */
const MAX_TIME_MS = 8.64e15

/** A time in milliseconds since the epoch, or 0 for what is none: one broken time must not break a list of sessions. */
export function milliseconds(value: unknown): number {
  return typeof value === "number" && Math.abs(value) <= MAX_TIME_MS ? value : 0
}

/** The repaired text, or "" for anything but a string. */
export function repaired(value: unknown): string {
  return typeof value === "string" ? repairText(value) : ""
}

/** The record with every text and key in it repaired, itself when nothing had to be; {} for anything else. */
export function repairedRecord(value: unknown): Readonly<Record<string, unknown>> {
  const whole = isRecord(value) ? repairedValue(value, 0) : undefined
  return isRecord(whole) ? whole : {}
}

function repairedValue(value: unknown, depth: number): unknown {
  if (typeof value === "string") return repairText(value)
  if (typeof value !== "object" || value === null || depth >= MAX_REPAIR_DEPTH) return value
  if (Array.isArray(value)) {
    const entries = value.map((entry: unknown) => repairedValue(entry, depth + 1))
    return entries.every((entry, index) => entry === value[index]) ? value : entries
  }
  let changed = false
  const entries = Object.entries(value).map(([key, entry]: [string, unknown]): [string, unknown] => {
    const next: [string, unknown] = [repairText(key), repairedValue(entry, depth + 1)]
    changed ||= next[0] !== key || next[1] !== entry
    return next
  })
  return changed ? Object.fromEntries(entries) : value
}
