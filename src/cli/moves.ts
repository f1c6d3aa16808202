import type { EditsAnswer, FileEdit, Filter, History, HistoryResult } from "../history/contract.ts"
import { pathKey } from "../query/paths.ts"

// A file's edits under all the names it had: before a move under the old name, after it under the new one.

/** Names followed for one file; more is a tool that moves files about. */
export const NAMES_MAX = 20

/** The edits of a file, newest first, its moves followed both ways. `limit` counts them all together. */
export async function editsThroughMoves(
  history: History,
  filter: Filter,
  limit: number,
  signal: AbortSignal,
): Promise<HistoryResult<EditsAnswer>> {
  const first = await history.edits({ ...filter, limit }, signal)
  if (!first.ok) return first
  const edits = new Map<string, FileEdit>()
  const asked = new Set<string>()
  let more = first.value.more
  const waiting = moves(first.value.edits)
  keep(first.value.edits)
  for (let next = waiting.shift(); next !== undefined && asked.size < NAMES_MAX; next = waiting.shift()) {
    const name = JSON.stringify([pathKey(next.path), next.from, next.to])
    if (asked.has(name)) continue
    asked.add(name)
    const answer = await history.edits(
      { ...filter, ...narrowed(filter, next), path: next.path, limit },
      signal,
    )
    if (!answer.ok) return answer
    more ||= answer.value.more
    keep(answer.value.edits)
    waiting.push(...moves(answer.value.edits))
  }
  const all = [...edits.values()].sort(
    (one, other) => other.at - one.at || (one.messageID < other.messageID ? 1 : -1),
  )
  return { ok: true, value: { ...first.value, edits: all.slice(0, limit), more: more || all.length > limit } }

  function keep(found: readonly FileEdit[]): void {
    for (const edit of found) edits.set(JSON.stringify([edit.session.id, edit.messageID, edit.path]), edit)
  }
}

type Name = { readonly path: string; readonly from?: number; readonly to?: number }

/** Where the file was before its moves and where it went with them. */
function moves(edits: readonly FileEdit[]): Name[] {
  return edits
    .filter((edit) => edit.status === "done")
    .flatMap((edit) =>
      edit.movedFrom === undefined
        ? []
        : [
            { path: edit.movedFrom, to: edit.at },
            { path: edit.path, from: edit.at },
          ],
    )
}

function narrowed(filter: Filter, { from, to }: Name): Pick<Filter, "from" | "to"> {
  const since = Math.max(from ?? Number.NEGATIVE_INFINITY, filter.from ?? Number.NEGATIVE_INFINITY)
  const until = Math.min(to ?? Number.POSITIVE_INFINITY, filter.to ?? Number.POSITIVE_INFINITY)
  return {
    ...(Number.isFinite(since) ? { from: since } : {}),
    ...(Number.isFinite(until) ? { to: until } : {}),
  }
}
