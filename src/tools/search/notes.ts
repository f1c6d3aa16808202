// What an answer does not show, one sentence each, with the way to get it.

import type { Coverage, Hidden, HiddenCounts } from "../../history/contract.ts"
import { shownWord } from "./describe.ts"
import { indexedOf } from "./index-state.ts"
import type { HistoryServices } from "./services.ts"

/** Matches that are hidden unless asked for. */
export function hiddenNotes(hidden: HiddenCounts): readonly string[] {
  return [
    note(hidden.subagents, "in subagent sessions", "subagents"),
    note(hidden.archived, "in archived sessions", "archived"),
    note(hidden.reverted, "only in reverted messages", "reverted"),
  ].filter((line) => line !== "")

  function note(count: number, where: string, include: Hidden): string {
    if (count === 0)
      return hidden.uncounted?.includes(include) === true
        ? `Matches ${where} were not counted (include: ["${include}"])`
        : ""
    const more = hidden.atLeast ? " or more" : ""
    return `+${count}${more} ${count === 1 && !hidden.atLeast ? "match" : "matches"} ${where} (include: ["${include}"])`
  }
}

/** How far the search reached, and how much of the history the index holds. */
export async function reachNotes(services: HistoryServices, coverage: Coverage): Promise<readonly string[]> {
  const indexed = await indexedOf(services)
  return [
    coverage.complete ? "" : `${shortOf(coverage)}; a longer word, a date or a path narrows it`,
    indexed === "" ? "" : `The index is not complete: ${indexed}; what is missing may match too`,
  ].filter((line) => line !== "")
}

/** Every session was looked at, and still not all of the matching ones compared: the order by relevance has a bound. */
function shortOf(coverage: Coverage): string {
  if (coverage.searched >= coverage.sessions) return "Only the newest of the matching sessions were ranked"
  return `Searched ${coverage.searched} of ${coverage.sessions} sessions, newest first, then the time of one search was over`
}

/** What to say when nothing was found under a path whose last name has no ending: a folder may be meant. */
export function folderNotes(path: string | undefined): readonly string[] {
  const isBare = path !== undefined && /(?:^|[/\\])[^./\\]+$/.test(path)
  return isBare
    ? [`path:${shownWord(path)} is a file; a folder has a slash at its end, path:${shownWord(`${path}/`)}`]
    : []
}

/** What to say about a session that only the index holds. */
export const STORED_NOTE = "OpenCode does not have this session any more: text as indexed"

/** What to say about a limit above the cap. */
export function cappedNote(limit: number | undefined, cap: number): readonly string[] {
  return limit !== undefined && limit > cap ? [`limit ${limit} was lowered to ${cap}`] : []
}

/** `1 session`, `3 sessions`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}
