import { field, textField } from "../../session/capability.ts"
import { isRecord } from "../../session/from-unknown.ts"
import type { PageQuery } from "./calls.ts"
import type { Outcome, Trouble } from "./trouble.ts"

// One page of messages as the host delivers it, and how much of a page can be had when not all of it can.

export type Ask = (query: PageQuery) => Promise<Outcome>

/** Where a page begins. */
export type At = Omit<PageQuery, "limit">

export type Found = {
  /** In the order that was asked for. */
  readonly rows: readonly unknown[]
  readonly next?: string | undefined
  readonly bytes: number
  /** Why these are fewer than asked for. */
  readonly trouble?: Trouble
}

/** A page, or as much of it as comes before what the host cannot deliver. That is asked for twice: it may be busy. */
export async function longest(ask: Ask, at: At, limit: number): Promise<Found> {
  const whole = found(await ask({ ...at, limit }))
  if (whole.trouble === undefined || !isInside(whole.trouble)) return whole
  let best = whole
  let good = 0
  for (let bad = limit + 1; bad - good > 1;) {
    const size = Math.floor((good + bad) / 2)
    const part = found(await ask({ ...at, limit: size }))
    if (part.trouble === undefined) {
      best = part
      good = size
    } else if (isInside(part.trouble)) bad = size
    else return part
  }
  return good === limit ? best : { ...best, trouble: whole.trouble }
}

/** Whether the message behind these cannot be had. Too many at once are no reason to give up the next one. */
export function stopsAt(page: Found): boolean {
  return page.trouble?.reason === "undecodable" || (page.trouble !== undefined && page.rows.length === 0)
}

/** An outcome as a page; without rows when it is none. */
export function found(outcome: Outcome): Found {
  if (!outcome.ok) return { rows: [], bytes: 0, trouble: outcome.trouble }
  const rows = rowsOf(outcome)
  if (rows === undefined) return { rows: [], bytes: 0, trouble: otherForm }
  const bytes = outcome.bytes ?? rows.reduce((sum: number, row) => sum + attachedUnits(row), 0)
  return { rows, next: nextOf(outcome), bytes }
}

/** The rows of a page, `{ data, cursor }`; a bare list is a page without more. */
export function rowsOf(outcome: Outcome): readonly unknown[] | undefined {
  if (!outcome.ok) return undefined
  const rows: unknown = Array.isArray(outcome.value)
    ? outcome.value
    : isRecord(outcome.value) && outcome.value["data"]
  return Array.isArray(rows) ? rows : undefined
}

/** Where the next page starts, as far as the host tells. */
export function nextOf(outcome: Outcome): string | undefined {
  const next = outcome.ok && isRecord(outcome.value) ? textField(outcome.value["cursor"], "next") : ""
  return next === "" ? undefined : next
}

/** Attachments are nearly all of a message that is large. */
function attachedUnits(row: unknown): number {
  const files = field(row, "files")
  if (!Array.isArray(files)) return 0
  return files.reduce((sum: number, file: unknown) => sum + textField(file, "data").length, 0)
}

/** Trouble of what is asked for, and not of asking. */
export function isInside(trouble: Trouble): boolean {
  return trouble.reason === "undecodable" || trouble.reason === "too-large"
}

const otherForm: Trouble = {
  reason: "failed",
  message: "messages: OpenCode answered in a form this version does not read",
}
