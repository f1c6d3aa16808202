// The question to the index, as the three searches ask it.

import type { HistoryResult } from "../../history/contract.ts"
import type { Caller } from "../../hosts/host.ts"
import { oneLine } from "../../text/printable.ts"
import type { HistoryServices } from "./services.ts"

/** What the index answered, and what is to be said about how current it is. */
export type IndexAnswer<Answer> =
  | { readonly ok: true; readonly value: Answer; readonly late: readonly string[] }
  | Extract<HistoryResult<Answer>, { ok: false }>

/** Asks the index; an answer of nothing is asked again after catching up with the host. */
export async function askIndex<Answer>(
  services: HistoryServices,
  caller: Caller,
  ask: () => Promise<HistoryResult<Answer>>,
  isNothing: (answer: Answer) => boolean,
): Promise<IndexAnswer<Answer>> {
  const first = await ask()
  if (!first.ok) return first
  if (!isNothing(first.value) || services.catchUp === undefined)
    return { ...first, late: lateNotes(services.unlisted?.(), undefined) }
  const why = await services.catchUp(caller.signal)
  const again = await ask()
  return again.ok ? { ...again, late: lateNotes(services.unlisted?.(), why) } : again
}

/** One reason is told: without a listing there is no catching up either. */
function lateNotes(unlisted: string | undefined, why: string | undefined): readonly string[] {
  if (unlisted !== undefined)
    return [
      `OpenCode's sessions cannot be listed now (${oneLine(unlisted)}); what happened lately may be missing`,
    ]
  return why === undefined
    ? []
    : [`The index could not catch up with OpenCode (${oneLine(why)}); what happened lately may be missing`]
}
