import type { Database } from "../../storage/sqlite.ts"
import { DamageError } from "../file/damage.ts"
import { bytesOf, numberOf } from "../file/rows.ts"
import { gramKey } from "../file/schema.ts"
import { bodySum, checkBody } from "../file/sums.ts"
import type { GramRow } from "./cursor.ts"
import type { Run } from "./runs.ts"

// The rows of grams in the file. A run has all of its rows, also those without grams.

export function putGrams(database: Database, id: number, body: Uint8Array): void {
  database.prepare("INSERT INTO grams(id, sum, body) VALUES(?, ?, ?)").run(id, bodySum(id, body), body)
}

/** The row of a run that begins with the gram. Throws DamageError when it is not as it was written, or not there. */
export function gramsAt(database: Database, run: Run, gram: number): Uint8Array {
  const id = gramKey(run.id, gram)
  const [row] = database.prepare("SELECT sum, body FROM grams WHERE id = ?").values(id)
  if (row === undefined) throw new DamageError("Rows of grams are missing.")
  checkBody("grams", id, row[1], row[0])
  return bytesOf(row[1], "body")
}

/** The rows of a slice of grams that have some. None when another process took the run out of use meanwhile. */
export function gramsBetween(
  database: Database,
  run: Run,
  { from, to }: { readonly from: number; readonly to: number },
): readonly GramRow[] {
  const firstKey = gramKey(run.id, from)
  const rows = database
    .prepare("SELECT id, sum, body FROM grams WHERE id >= ? AND id < ?")
    .values(firstKey, gramKey(run.id, to))
  if (rows.length !== Math.ceil((to - from) / 2 ** run.shift)) {
    if (database.prepare("SELECT 1 FROM runs WHERE id = ? AND state = 'whole'").get(run.id))
      throw new DamageError("Rows of grams are missing.")
    return []
  }
  return rows.flatMap(([idValue, sum, bodyValue]) => {
    const id = numberOf(idValue, "id")
    checkBody("grams", id, bodyValue, sum)
    const body = bytesOf(bodyValue, "body")
    return body.length === 0 ? [] : [{ place: id - firstKey, body }]
  })
}
