import { inflateRawSync } from "node:zlib"
import { foldsPlainly } from "../../text/fold.ts"
import type { Role } from "../../session/model.ts"
import { deflate } from "../../storage/deflate.ts"
import type { Database, SqlValue } from "../../storage/sqlite.ts"
import { numberIn } from "../file/rows.ts"
import type { Stretch } from "../runs/runs.ts"

// The text of a message as it is stored: once, capitals kept, long ones deflated (every runtime can inflate).

/** Below this, deflating saves little and costs every comparison (docs/engine.md). In UTF-16 units. */
export const DEFLATE_UNITS = 2 * 1024

/** The folded text differs from the text in ASCII capitals only. */
const PLAIN = 1
const USER = 2

export type StoredText = {
  readonly rid: number
  readonly text: string
  readonly plain: boolean
  /** Looking at it costs more than reading its message's row. */
  readonly deflated: boolean
  /** About its length. */
  readonly size: number
}

export function putText(database: Database, rid: number, text: string, role: Role): void {
  const flags = (foldsPlainly(text) ? PLAIN : 0) | (role === "user" ? USER : 0)
  const body = text.length < DEFLATE_UNITS ? text : deflate(text)
  database.prepare("INSERT OR REPLACE INTO texts(rid, flags, body) VALUES(?, ?, ?)").run(rid, flags, body)
}

/** The texts of a stretch, first those that need not be inflated: they often decide alone. */
export function textsIn(database: Database, { first, last, role }: Stretch): readonly StoredText[] {
  const rows = database
    .prepare(`SELECT rid, flags, body FROM texts WHERE rid BETWEEN ? AND ? AND (flags & ${USER}) = ?`)
    .all(first, last, role === "user" ? USER : 0)
  const texts = rows.map((row) => stored(numberIn(row, "rid"), numberIn(row, "flags"), row["body"]))
  return texts.some((one) => one.deflated)
    ? [...texts.filter((one) => !one.deflated), ...texts.filter((one) => one.deflated)]
    : texts
}

/** Inflated when it is looked at. */
function stored(rid: number, flags: number, body: SqlValue | undefined): StoredText {
  let text = body
  return {
    rid,
    plain: (flags & PLAIN) !== 0,
    deflated: typeof body !== "string",
    // Deflated it is about half as long.
    size: typeof body === "string" ? body.length : body instanceof Uint8Array ? 2 * body.length : 0,
    get text() {
      if (typeof text !== "string") text = textOf(text)
      return text
    },
  }
}

/** The text of one row. */
export function textAt(database: Database, rid: number): StoredText {
  const row = database.prepare("SELECT flags, body FROM texts WHERE rid = ?").get(rid)
  return row
    ? stored(rid, numberIn(row, "flags"), row["body"])
    : { rid, text: "", plain: true, deflated: false, size: 0 }
}

/** A stored body as text; "" when there is none. */
export function textOf(body: SqlValue | undefined): string {
  if (typeof body === "string") return body
  return body instanceof Uint8Array ? inflateRawSync(body).toString() : ""
}
