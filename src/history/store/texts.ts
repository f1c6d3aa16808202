import { inflateRawSync } from "node:zlib"
import { foldsPlainly } from "../../text/fold.ts"
import type { Role } from "../../session/model.ts"
import { deflate } from "../../storage/deflate.ts"
import type { Database, SqlValue, Values } from "../../storage/sqlite.ts"
import { DamageError } from "../file/damage.ts"
import { numberIn, numberOf } from "../file/rows.ts"
import { bodySum, checkBody } from "../file/sums.ts"
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
  database
    .prepare("INSERT OR REPLACE INTO texts(rid, flags, sum, body) VALUES(?, ?, ?, ?)")
    .run(rid, flags, bodySum(keyOf(rid, flags), body), body)
}

/** A text at another row or with other flags has another sum. */
function keyOf(rid: number, flags: number): number {
  return rid * (PLAIN + USER + 1) + flags
}

/**
 * The texts of a stretch, first those that need not be inflated: they often decide alone. Throws DamageError when one is
 * not as it was stored, or not there. Inside of a read that sees one state of the file.
 */
export function textsIn(database: Database, stretch: Stretch): readonly StoredText[] {
  const { first, last, role } = stretch
  const rows = database
    .prepare(`SELECT rid, flags, sum, body FROM texts WHERE rid BETWEEN ? AND ? AND (flags & ${USER}) = ?`)
    .values(first, last, role === "user" ? USER : 0)
  if (rows.length !== stretch.texts) checkTexts(database, stretch, rows.length)
  const texts = rows.map(stored)
  return texts.some((one) => one.deflated)
    ? [...texts.filter((one) => !one.deflated), ...texts.filter((one) => one.deflated)]
    : texts
}

/** A stretch has lost texts since it was written, or got one that was empty then: the messages tell how many there are. */
function checkTexts(database: Database, { first, last, role }: Stretch, found: number): void {
  const row = database
    .prepare(
      "SELECT count(*) AS n FROM messages NOT INDEXED WHERE rid BETWEEN ? AND ? AND role = ? AND units > 0",
    )
    .get(first, last, role)
  if (row === undefined || numberIn(row, "n") !== found) throw new DamageError("Texts are missing.")
}

/** Inflated when it is looked at. */
function stored([ridValue, flagsValue, sum, body]: Values): StoredText {
  const rid = numberOf(ridValue, "rid")
  const flags = numberOf(flagsValue, "flags")
  checkBody("texts", keyOf(rid, flags), body, sum)
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

/** The text of one row; undefined when there is none. Throws DamageError when it is not as it was stored. */
export function textAt(database: Database, rid: number): StoredText | undefined {
  const [row] = database.prepare("SELECT rid, flags, sum, body FROM texts WHERE rid = ?").values(rid)
  return row && stored(row)
}

/** A stored body as text. */
function textOf(body: SqlValue | undefined): string {
  if (typeof body === "string") return body
  return body instanceof Uint8Array ? inflateRawSync(body).toString() : ""
}
