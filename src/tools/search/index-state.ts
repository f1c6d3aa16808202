// What is to be said about the index: how complete it is, and that it cannot answer.

import { oneLine } from "../../text/printable.ts"
import { sliceUnits } from "../../text/unicode.ts"
import type { HistoryServices } from "./services.ts"

/** `indexed 812 of 940 sessions`, or "" when all are. */
export async function indexedOf(services: Pick<HistoryServices, "history">): Promise<string> {
  const status = await services.history.status()
  if (!status.ok) return ""
  const { complete, sessions, progress } = status.value
  if (progress?.total === undefined)
    // Before the first listing only what is stored is known.
    return sessions === 0 || complete < sessions
      ? `indexed ${complete} sessions so far, how many there are is not known yet`
      : ""
  const open = progress.pending + progress.failed
  if (open === 0) return ""
  const failed = progress.failed === 0 ? "" : `, ${progress.failed} failed`
  return `indexed ${Math.max(0, progress.total - open)} of ${progress.total} sessions${failed}`
}

/** Of a fault's words: enough for two paths and what to do. */
const FAULT_MAX_UNITS = 1_000

/** A fault of the index as the one line of an answer. */
export function indexFault(message: string): string {
  return `the history index cannot answer: ${sliceUnits(oneLine(message), 0, FAULT_MAX_UNITS)}`
}
