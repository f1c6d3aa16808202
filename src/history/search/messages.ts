import type { Role } from "../../session/model.ts"
import type { Database } from "../../storage/sqlite.ts"
import type { DocumentKind } from "../contract.ts"
import type { Matcher } from "./matcher.ts"
import { DamageError } from "../file/damage.ts"
import { numberIn, textIn } from "../file/rows.ts"
import { sessionKeyOf } from "../file/schema.ts"
import type { Catalog } from "../read/catalog.ts"
import { readSegments } from "../documents/segments.ts"
import { nameOf, type Stretch } from "../runs/runs.ts"
import { type StoredText, textAt, textsIn } from "../store/texts.ts"

// Reads message rows and texts for a search. Texts of a stretch are kept as long as it is near: its other words
// and its excerpts come next. What is not there was lost: DamageError.

export type MessageRow = {
  readonly rid: number
  readonly id: string
  readonly created: number
  readonly role: Role
  readonly summary: boolean
  readonly segments: string
}

export type MessageReader = {
  row(rid: number): MessageRow
  texts(stretch: Stretch): readonly StoredText[]
  text(rid: number): StoredText
}

/** Text kept in memory during one search, in units: enough for the excerpts of an answer. */
const KEPT_UNITS = 1024 * 1024

export function createMessageReader(database: Database, catalog: Catalog): MessageReader {
  const kept = new Map<string, readonly StoredText[]>()
  const byRow = new Map<number, StoredText>()
  let units = 0
  return {
    texts: (stretch) => {
      const name = nameOf(stretch)
      const known = kept.get(name)
      if (known) return known
      if (units > KEPT_UNITS) {
        kept.clear()
        byRow.clear()
        units = 0
      }
      const read = textsIn(database, stretch)
      kept.set(name, read)
      for (const stored of read) {
        byRow.set(stored.rid, stored)
        units += stored.size
      }
      return read
    },
    text: (rid) => {
      const stored = byRow.get(rid) ?? textAt(database, rid)
      if (!stored) throw new DamageError("A text is missing.")
      return stored
    },
    row: (rid) => {
      const entry = catalog.byKey(sessionKeyOf(rid))
      if (entry) catalog.checked.messages(entry)
      const row = database
        .prepare("SELECT id, created, role, summary, segments FROM messages WHERE rid = ?")
        .get(rid)
      if (!row) throw new DamageError("A message is missing.")
      return {
        rid,
        id: textIn(row, "id"),
        created: numberIn(row, "created"),
        role: textIn(row, "role") === "user" ? "user" : "assistant",
        summary: numberIn(row, "summary") === 1,
        segments: textIn(row, "segments"),
      }
    },
  }
}

/** True when a document of one of the kinds holds the word. */
export function holdsInKinds(
  row: MessageRow,
  stored: StoredText,
  word: Matcher,
  kinds: ReadonlySet<DocumentKind>,
): boolean {
  return readSegments(row.segments).some(
    ({ kind, start, end }) => kinds.has(kind) && word.isIn(stored.text.slice(start, end), stored.plain),
  )
}
