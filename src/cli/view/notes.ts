import type { Coverage, Hidden, HiddenCounts, NoHitHelp } from "../../history/contract.ts"
import { shownWord, shownWords } from "../../tools/search/describe.ts"
import { indexedOf } from "../../tools/search/index-state.ts"
import { counted } from "../../tools/search/notes.ts"
import type { HistoryServices } from "../../tools/search/services.ts"
import { clip } from "../layout.ts"
import { titleOf, type Look } from "./text.ts"

// What an answer does not show, each with the way to get it. One line each.

/** Matches that are hidden unless asked for. */
export function hiddenLines(hidden: HiddenCounts): readonly string[] {
  return [
    line(hidden.subagents, "in subagent sessions", "subagents"),
    line(hidden.archived, "in archived sessions", "archived"),
    line(hidden.reverted, "only in reverted messages", "reverted"),
  ].filter((text) => text !== "")

  function line(count: number, where: string, include: Hidden): string {
    if (count === 0)
      return hidden.uncounted?.includes(include) === true
        ? `matches ${where} were not counted: --include ${include}`
        : ""
    return `+${count}${hidden.atLeast ? " or more" : ""} ${count === 1 && !hidden.atLeast ? "match" : "matches"} ${where}: --include ${include}`
  }
}

/** How far the search reached and how complete the index is. */
export async function reachLines(
  services: Pick<HistoryServices, "history">,
  coverage: Coverage,
): Promise<readonly string[]> {
  const indexed = await indexedOf(services)
  return [
    coverage.complete
      ? ""
      : `searched ${coverage.searched} of ${coverage.sessions} sessions, newest first, until the time of one search was over: a longer word, a date or a path narrows it`,
    indexed === "" ? "" : `the index is not complete (${indexed}): \`baton index\` brings it up to date`,
  ].filter((text) => text !== "")
}

/** No hit is an answer: each word alone, close spellings, sessions that come near, other projects. */
export function helpLines(help: NoHitHelp | undefined, look: Look): readonly string[] {
  if (help === undefined) return []
  const { columns } = look.output
  return [
    ...help.words.map((word) => {
      const name = `  ${shownWord(word.word)}: `
      if (word.sessions > 0)
        return `${name}in ${word.atLeast ? `${word.sessions} or more sessions` : counted(word.sessions, "session")}`
      if (word.close.length === 0) return `${name}in no session`
      return `${name}in no session; did you mean ${word.close.map(shownWord).join(", ")}?`
    }),
    ...(help.closest.length === 0 ? [] : ["Closest sessions; they do not hold every word:"]),
    ...help.closest.flatMap(({ session, words }) => [
      `  ${clip(titleOf(session, look), columns - 2)}`,
      look.output.paint.faint(`  ${session.id} · holds ${shownWords(words)}`),
    ]),
    ...(help.elsewhere === 0
      ? []
      : [`${counted(help.elsewhere, "match", "matches")} in other projects: --project all`]),
  ]
}
