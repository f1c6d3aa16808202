import { field, textField } from "../../session/capability.ts"
import { UNREADABLE, unreadableID } from "../../session/unreadable.ts"
import { found, isInside, longest, stopsAt, type Ask, type At } from "./ask-rows.ts"
import type { PageQuery } from "./calls.ts"
import type { Trouble } from "./trouble.ts"

// What lies before a message that cannot be had: it is reached from the beginning of the session.

/** Messages of one page from the beginning, behind an unreadable one. */
const BEHIND_PAGE = 100

/** Pages from the beginning that are looked for: 100,000 messages, far beyond any session. */
const BEHIND_PAGES_MAX = 1_000

/** What lies before an unreadable message, as pages from the beginning; the last one ends at it. */
export type Behind = {
  /** The message behind the unreadable one; "" when it is the newest. */
  readonly newer: string
  readonly pages: readonly PageQuery[]
  /** The last message before it. */
  readonly last: { readonly id: string; readonly created: number } | undefined
}

/** The pages from the beginning up to a message that cannot be had. */
export async function lookBehind(ask: Ask, newer: string): Promise<Behind | Trouble> {
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

/** One of its pages, oldest message first. */
export async function pageBehind(
  ask: Ask,
  behind: Behind,
  number: number,
): Promise<readonly unknown[] | Trouble> {
  const query = behind.pages[number]
  if (query === undefined) return cured
  const page = found(await ask(query))
  return page.trouble ?? page.rows
}

/** The message that stands for what lies between two others. */
export function gapBetween(older: Behind["last"], newer: unknown) {
  const created = older?.created ?? Math.max(0, createdOf(newer) - 1)
  return { id: unreadableID(older?.id ?? ""), type: UNREADABLE, time: { created } }
}

function createdOf(row: unknown): number {
  const created = field(field(row, "time"), "created")
  return typeof created === "number" ? created : 0
}

/** What could not be had before can be had now, or has moved. */
const cured: Trouble = { reason: "failed", message: "the session changed while it was read; read it again" }
