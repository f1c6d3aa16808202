import type { Role } from "../../session/model.ts"
import { fold } from "../../text/fold.ts"
import type { Database } from "../../storage/sqlite.ts"
import type { DocumentKind } from "../contract.ts"
import { bytesIn, numberIn, textIn } from "../rows.ts"
import { readSegments } from "../segments.ts"

// Reads message rows and texts for a search, each text folded once as long as it is near.

export type MessageRow = {
  readonly rid: number
  readonly id: string
  readonly created: number
  readonly role: Role
  readonly summary: boolean
  readonly segments: string
  readonly print: Uint8Array
}

export type MessageReader = {
  row(rid: number): MessageRow | undefined
  text(rid: number): string
  /** True when the text, or its documents of the given kinds, holds the folded word. */
  holds(row: MessageRow, folded: string, kinds: ReadonlySet<DocumentKind> | undefined): boolean
}

/** Folded text kept in memory during one search. */
const KEPT_UNITS = 4 * 1024 * 1024

export function createMessageReader(database: Database): MessageReader {
  const kept = new Map<number, string>()
  let keptUnits = 0
  const text = (rid: number): string => {
    const row = database.prepare("SELECT body FROM texts WHERE rid = ?").get(rid)
    return row ? textIn(row, "body") : ""
  }
  const folded = (rid: number): string => {
    const known = kept.get(rid)
    if (known !== undefined) return known
    if (keptUnits > KEPT_UNITS) {
      kept.clear()
      keptUnits = 0
    }
    const made = fold(text(rid))
    kept.set(rid, made)
    keptUnits += made.length
    return made
  }
  return {
    text,
    row: (rid) => {
      const row = database
        .prepare("SELECT id, created, role, summary, segments, print FROM messages WHERE rid = ?")
        .get(rid)
      if (!row) return undefined
      return {
        rid,
        id: textIn(row, "id"),
        created: numberIn(row, "created"),
        role: textIn(row, "role") === "user" ? "user" : "assistant",
        summary: numberIn(row, "summary") === 1,
        segments: textIn(row, "segments"),
        print: bytesIn(row, "print"),
      }
    },
    holds: (row, word, kinds) => {
      if (kinds === undefined) return folded(row.rid).includes(word)
      const whole = text(row.rid)
      return readSegments(row.segments).some(
        (segment) => kinds.has(segment.kind) && fold(whole.slice(segment.start, segment.end)).includes(word),
      )
    },
  }
}
