import { field, textField } from "../../session/capability.ts"
import { isRecord } from "../../session/from-unknown.ts"
import { UNREADABLE, unreadableID } from "../../session/unreadable.ts"
import type { HostFault, HostResult } from "../host.ts"
import type { Calls, PageQuery } from "./calls.ts"
import { faultOf, type Outcome, type Trouble } from "./trouble.ts"

// A session's messages as the host delivers them, page by page from the newest. V2 gives a cursor with every page
// that holds something, the last one too. One stored message that it cannot decode fails every page that holds it:
// the rest is then read from both ends, and an empty message stands where the two do not meet.

/** The service's own bound of a page. */
export const PAGE_MAX = 200

/** A page that brought more than this makes the next ones of its session smaller: the host builds each as one text. */
export const PAGE_BYTES = 8 * 1024 * 1024

/** Messages of one page from the beginning, behind an unreadable one. */
const BEHIND_PAGE = 100

/** Pages from the beginning that are looked for: 100,000 messages, far beyond any session. */
const BEHIND_PAGES_MAX = 1_000

/** Sessions of which sizes and unreadable places are remembered. */
const REMEMBERED_MAX = 200

/** Oldest message first. `older` may lead to an empty page. */
export type RowPage = { readonly rows: readonly unknown[]; readonly older?: string }

export type RowReader = (
  sessionID: string,
  page: { readonly limit: number; readonly older?: string },
  signal?: AbortSignal,
) => Promise<HostResult<RowPage>>

type Known = {
  /** Bytes of a message, as the last page had them. */
  weight?: number
  behind?: Behind
}

/** What lies before an unreadable message, as pages from the beginning; the last one ends at it. */
type Behind = {
  /** The message behind the unreadable one; "" when it is the newest. */
  readonly newer: string
  readonly pages: readonly PageQuery[]
  /** The last message before it. */
  readonly last: { readonly id: string; readonly created: number } | undefined
}

/** How a cursor of ours begins; the number of a page from the beginning follows. */
const BEHIND = "behind:"

/** A cursor that this reader made itself: it leads to a page that holds something. */
export function isOwnCursor(cursor: string): boolean {
  return cursor.startsWith(BEHIND)
}

/** Reads pages of rows. What it remembers is bounded, and only saves requests. */
export function rowReader(calls: Calls): RowReader {
  const remembered = new Map<string, Known>()

  return async (id, page, signal) => {
    const known = remember(id)
    const ask: Ask = (query) => calls.messages(id, query, signal)
    if (page.older !== undefined && isOwnCursor(page.older)) {
      const behind = known.behind ?? (await lookBehind(ask, ""))
      return isTrouble(behind)
        ? fault(behind)
        : pageBehind(ask, behind, Number(page.older.slice(BEHIND.length)))
    }

    const at = page.older === undefined ? { order: "desc" as const } : { cursor: page.older }
    const found = await longest(ask, at, limitFor(known, page.limit))
    const { trouble } = found
    if (trouble !== undefined && !isInside(trouble)) return fault(trouble)
    const rows = found.rows.toReversed()
    if (rows.length > 0) known.weight = found.bytes / rows.length
    if (!stopsAt(found)) {
      if (found.next !== undefined && found.next === page.older) return fault(repeated(id))
      const more = found.next === undefined || rows.length === 0 ? {} : { older: found.next }
      return { ok: true, value: { rows, ...more } }
    }

    const newer = textField(rows[0], "id")
    const behind = known.behind?.newer === newer && newer !== "" ? known.behind : await lookBehind(ask, newer)
    if (isTrouble(behind)) return fault(behind)
    known.behind = behind
    const more = behind.pages.length === 0 ? {} : { older: `${BEHIND}${behind.pages.length - 1}` }
    return { ok: true, value: { rows: [gapBetween(behind.last, rows[0]), ...rows], ...more } }
  }

  function remember(id: string): Known {
    const known = remembered.get(id) ?? {}
    remembered.delete(id)
    remembered.set(id, known)
    for (const oldest of remembered.keys()) if (remembered.size > REMEMBERED_MAX) remembered.delete(oldest)
    return known
  }
}

type Ask = (query: PageQuery) => Promise<Outcome>

/** Where a page begins. */
type At = Omit<PageQuery, "limit">

function limitFor(known: Known, asked: number): number {
  const fitting = Math.floor(PAGE_BYTES / Math.max(1, known.weight ?? 1))
  return Math.max(1, Math.min(PAGE_MAX, asked, fitting))
}

type Found = {
  /** In the order that was asked for. */
  readonly rows: readonly unknown[]
  readonly next?: string | undefined
  readonly bytes: number
  /** Why these are fewer than asked for. */
  readonly trouble?: Trouble
}

/** A page, or as much of it as comes before what the host cannot deliver. That is asked for twice: it may be busy. */
async function longest(ask: Ask, at: At, limit: number): Promise<Found> {
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
function stopsAt(page: Found): boolean {
  return page.trouble?.reason === "undecodable" || (page.trouble !== undefined && page.rows.length === 0)
}

/** The pages from the beginning up to a message that cannot be had. */
async function lookBehind(ask: Ask, newer: string): Promise<Behind | Trouble> {
  const pages: PageQuery[] = []
  let last: Behind["last"]
  let at: At = { order: "asc" }
  while (pages.length < BEHIND_PAGES_MAX) {
    const page = await longest(ask, at, BEHIND_PAGE)
    if (page.trouble !== undefined && !isInside(page.trouble)) return page.trouble
    const row = page.rows.at(-1)
    if (row !== undefined) {
      pages.push({ ...at, limit: page.rows.length })
      last = { id: textField(row, "id"), created: createdOf(row) }
    }
    if (stopsAt(page)) return { newer, pages, last }
    const isPast = newer !== "" && page.rows.some((one) => textField(one, "id") === newer)
    if (isPast || page.next === undefined || row === undefined) return cured
    at = { cursor: page.next }
  }
  return { newer, pages: [], last: undefined }
}

async function pageBehind(ask: Ask, behind: Behind, number: number): Promise<HostResult<RowPage>> {
  const query = behind.pages[number]
  if (query === undefined) return fault(cured)
  const page = found(await ask(query))
  if (page.trouble !== undefined) return fault(page.trouble)
  return {
    ok: true,
    value: { rows: page.rows, ...(number === 0 ? {} : { older: `${BEHIND}${number - 1}` }) },
  }
}

function found(outcome: Outcome): Found {
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

/** The message that stands for what lies between two others. */
function gapBetween(older: Behind["last"], newer: unknown) {
  const created = older?.created ?? Math.max(0, createdOf(newer) - 1)
  return { id: unreadableID(older?.id ?? ""), type: UNREADABLE, time: { created } }
}

function createdOf(row: unknown): number {
  const created = field(field(row, "time"), "created")
  return typeof created === "number" ? created : 0
}

/** Trouble of what is asked for, and not of asking. */
function isInside(trouble: Trouble): boolean {
  return trouble.reason === "undecodable" || trouble.reason === "too-large"
}

function isTrouble(value: Behind | Trouble): value is Trouble {
  return "reason" in value
}

function fault(trouble: Trouble): { readonly ok: false; readonly fault: HostFault } {
  return { ok: false, fault: faultOf(trouble) }
}

function repeated(id: string): Trouble {
  return { reason: "failed", message: `messages of ${id}: OpenCode repeated a page cursor` }
}

const otherForm: Trouble = {
  reason: "failed",
  message: "messages: OpenCode answered in a form this version does not read",
}

/** What could not be had before can be had now, or has moved. */
const cured: Trouble = { reason: "failed", message: "the session changed while it was read; read it again" }
