// How complete the index is, in words; silent where there is nothing to say.

import type { HistoryServices } from "./services.ts"

/** `indexed 812 of 940 sessions`, or "" when all are, or nobody knows. */
export async function indexedOf(services: HistoryServices): Promise<string> {
  const status = await services.history.status()
  if (!status.ok) return ""
  const { complete, progress } = status.value
  if (progress?.total === undefined) return complete < status.value.sessions ? incomplete(complete) : ""
  if (complete >= progress.total && progress.pending === 0 && progress.failed === 0) return ""
  const failed = progress.failed === 0 ? "" : `, ${progress.failed} failed`
  return `indexed ${Math.min(complete, progress.total)} of ${progress.total} sessions${failed}`

  function incomplete(count: number): string {
    return `indexed ${count} sessions so far, the number of all is not known yet`
  }
}
