import type { EditsAnswer, EditsRequest } from "../history/contract.ts"
import type { Caller } from "../hosts/host.ts"
import { HISTORY_SEARCH_EDITS } from "./definitions/history.ts"
import { type InputOf, parseInput } from "./input.ts"
import { SEPARATOR } from "./search/describe.ts"
import { editBlocks } from "./search/edit-block.ts"
import { helpLines } from "./search/help-text.ts"
import { EDITS_SHOWN_MAX } from "./search/limits.ts"
import { cappedNote, counted, folderNotes, hiddenNotes, reachNotes } from "./search/notes.ts"
import { prepare } from "./search/prepare.ts"
import { askIndex } from "./search/request.ts"
import { indexFault } from "./search/index-state.ts"
import type { HistoryServices } from "./search/services.ts"
import { textAnswer } from "./search/text-answer.ts"
import { clockOf } from "./search/when.ts"
import type { Tool } from "./tool.ts"

// Who changed a file, when, and after which prompt.

type Input = InputOf<typeof HISTORY_SEARCH_EDITS>

/** Lists file edits, newest first. The answer is text; trouble is one line. */
export function historySearchEdits(services: HistoryServices): Tool {
  return {
    ...HISTORY_SEARCH_EDITS,
    async run(raw, caller) {
      const parsed = parseInput(HISTORY_SEARCH_EDITS, raw)
      if (!parsed.ok) return parsed.error
      return search(services, caller, parsed.value)
    },
  }
}

async function search(services: HistoryServices, caller: Caller, value: Input): Promise<string> {
  const prepared = await prepare(services, caller, value)
  if (!prepared.ok) return prepared.error
  const request: EditsRequest = {
    ...prepared.filter,
    limit: Math.min(value.limit ?? EDITS_SHOWN_MAX, EDITS_SHOWN_MAX),
  }
  const found = await askIndex(
    services,
    caller,
    () => services.history.edits(request, caller.signal),
    (answer) => answer.edits.length === 0,
  )
  if (!found.ok) return indexFault(found.fault.message)
  const answer = found.value
  const clock = clockOf(services.timeZone)
  const mask = services.options.maskSecrets
  const none = answer.edits.length === 0
  return textAnswer({
    head: none
      ? `No edit${SEPARATOR}${prepared.described}`
      : `${countOf(answer)}${SEPARATOR}${prepared.described}${SEPARATOR}newest first`,
    blocks: none ? helpLines(answer.help, clock, services.options) : editBlocks(answer.edits, clock, mask),
    notes: [
      ...(answer.more
        ? [`More edits exist; narrow with a path:, a date or words, or raise limit (max ${EDITS_SHOWN_MAX})`]
        : []),
      ...(none ? folderNotes(prepared.filter.path) : []),
      ...cappedNote(value.limit, EDITS_SHOWN_MAX),
      ...(value.sort === "relevance" ? ["Edits are always listed newest first"] : []),
      ...(answer.knownSince === undefined
        ? []
        : [`The index knows edits here since ${clock.time(answer.knownSince)}`]),
      ...hiddenNotes(answer.hidden),
      ...(await reachNotes(services, answer.coverage)),
      ...found.late,
      `Times: ${clock.zone}`,
    ],
    unit: none ? "lines" : "groups of edits",
    maxBytes: services.maxAnswerBytes,
  })
}

/** `3 edits`, and apart from them what did not change a file. */
function countOf(answer: EditsAnswer): string {
  const count = (status: string) => answer.edits.filter((edit) => edit.status === status).length
  const apart = [
    count("failed") === 0 ? "" : `${count("failed")} failed`,
    count("unchanged") === 0 ? "" : `${count("unchanged")} without a change`,
  ].filter((part) => part !== "")
  return counted(count("done"), "edit") + (apart.length === 0 ? "" : ` (and ${apart.join(", ")})`)
}
