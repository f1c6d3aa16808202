import * as z from "zod"
import { invalid, Refusal, shape, text, undecodable } from "./strict.ts"
import type { Row, Store } from "./store.ts"

// V2's pages: the cursor holds the filters and the anchor and not the limit, it comes with every page that holds
// something, the last one too, and it cannot be combined with what it holds.

const MESSAGES_MAX = 200
const DEFAULT = 50

const cursorSchema = z.object({ order: z.enum(["asc", "desc"]), anchor: z.string() })

type Query = Readonly<Record<string, unknown>>
export type Page = { readonly data: readonly Row[]; readonly cursor: { readonly next?: string } }

export function messagePage(store: Store, sessionID: string, query: Query): Page {
  shape("messages", query, [], ["limit", "order", "cursor"])
  store.session(sessionID)
  store.pages.push(`${sessionID} ${String(query["limit"])}`)
  if (query["cursor"] !== undefined && query["order"] !== undefined)
    throw invalid("Cursor cannot be combined with order")
  const found = page(store.messages.get(sessionID) ?? [], query, MESSAGES_MAX, "desc")
  if (found.data.some((row) => store.undecodable.has(row.id))) throw undecodable()
  return found
}

export function sessionPage(store: Store, query: Query): Page {
  const filters = ["order", "search", "parentID", "directory", "project", "subpath"]
  shape("sessions", query, [], ["limit", "cursor", ...filters])
  if (query["cursor"] !== undefined && filters.some((name) => query[name] !== undefined))
    throw invalid("Cursor cannot be combined with filters")
  const filter = filters.find((name) => name !== "order" && query[name] !== undefined)
  if (filter !== undefined) throw new Error(`the contract host does not know how to filter by ${filter}`)
  return page(store.newestFirst().reverse(), query, Number.MAX_SAFE_INTEGER, "desc")
}

/** `rows` are oldest first. */
function page(rows: readonly Row[], query: Query, max: number, fallback: "asc" | "desc"): Page {
  const limit = query["limit"] === undefined ? DEFAULT : Number(query["limit"])
  if (!Number.isInteger(limit) || limit < 1 || limit > max)
    throw invalid(`limit ${limit} is not within 1..${max}`)
  const from = query["cursor"] === undefined ? undefined : decode(text("cursor", query["cursor"]))
  const order =
    from?.order ?? (query["order"] === undefined ? fallback : cursorSchema.shape.order.parse(query["order"]))
  const ordered = order === "asc" ? [...rows] : rows.toReversed()
  const start = from === undefined ? 0 : ordered.findIndex((row) => row.id === from.anchor) + 1
  if (from !== undefined && start === 0) throw new Refusal("InvalidCursorError", 400, "the anchor is gone")
  const data = ordered.slice(start, start + limit)
  const last = data.at(-1)
  return { data, cursor: last === undefined ? {} : { next: encode({ order, anchor: last.id }) } }
}

function encode(cursor: z.infer<typeof cursorSchema>): string {
  return Buffer.from(JSON.stringify(cursor)).toString("base64url")
}

function decode(value: string): z.infer<typeof cursorSchema> {
  try {
    return cursorSchema.parse(JSON.parse(Buffer.from(value, "base64url").toString("utf8")))
  } catch (error) {
    throw new Refusal("InvalidCursorError", 400, `not a cursor: ${String(error)}`)
  }
}
