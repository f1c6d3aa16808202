import type {
  Coverage,
  FileEdit,
  HiddenCounts,
  Hit,
  NoHitHelp,
  SessionMatch,
  StoredSession,
} from "../../history/contract.ts"
import { cleanText } from "../../reading/content.ts"
import { printableJson } from "../../text/printable.ts"
import type { Asked } from "../asking.ts"
import type { Output } from "../output.ts"

// `--json`: the documented form for scripts. A key is added, never renamed or removed, while VERSION stays.

/** The form of every JSON answer, in its `version`. */
export const JSON_VERSION = 1

/** Writes one JSON document: for a script on one line, for a person indented. */
export function writeJson(output: Output, value: Readonly<Record<string, unknown>>): Promise<void> {
  const whole = { version: JSON_VERSION, ...value }
  return output.write(`${printableJson(whole, output.isTerminal ? 2 : undefined)}\n`)
}

export type JsonText = (text: string) => string

/** Makes a text from history safe to print, secrets masked; line breaks stay. */
export function jsonText(maskSecrets: boolean): JsonText {
  return (text) => cleanText(text, maskSecrets).text
}

export function askedJson({ filter, described, sort }: Asked) {
  return {
    described,
    words: filter.words,
    excluded: filter.excluded,
    path: filter.path ?? null,
    role: filter.role ?? null,
    from: timeJson(filter.from),
    to: timeJson(filter.to),
    include: filter.include,
    sort,
  }
}

export function sessionJson(session: StoredSession, text: JsonText) {
  return {
    sessionID: session.id,
    title: text(session.title),
    projectID: session.projectID,
    directory: session.directory,
    created: timeJson(session.created),
    updated: timeJson(session.updated),
    messages: session.messages,
    parentID: session.parentID ?? null,
    handoffFrom: session.handoffFrom ?? null,
    forkedFrom: session.forkedFrom ?? null,
    archived: timeJson(session.archived),
  }
}

export function matchJson(match: SessionMatch, text: JsonText) {
  return {
    ...sessionJson(match.session, text),
    alsoInForks: match.alsoInForks,
    onlyReverted: match.reverted,
  }
}

export function hitJson(hit: Hit, text: JsonText) {
  return {
    word: hit.word,
    words: hit.words,
    where: hit.where,
    messageID: hit.messageID ?? null,
    role: hit.role ?? null,
    kind: hit.kind ?? null,
    created: timeJson(hit.created),
    reverted: hit.reverted === true,
    excerpt: text(hit.excerpt),
  }
}

export function editJson(edit: FileEdit, text: JsonText) {
  return {
    sessionID: edit.session.id,
    title: text(edit.session.title),
    directory: edit.session.directory,
    messageID: edit.messageID,
    at: timeJson(edit.at),
    path: edit.path,
    movedFrom: edit.movedFrom ?? null,
    kind: edit.kind,
    status: edit.status,
    tool: edit.tool,
    first: edit.first,
    reverted: edit.reverted,
    alsoInForks: edit.alsoInForks,
    prompt:
      edit.prompt === undefined
        ? null
        : { messageID: edit.prompt.messageID, text: text(edit.prompt.text), cut: edit.prompt.cut },
  }
}

/** What was left out and how far the search reached; the same keys in every search. */
export function reachJson(answer: {
  readonly more: boolean
  readonly hidden: HiddenCounts
  readonly coverage: Coverage
}) {
  return { more: answer.more, hidden: answer.hidden, coverage: answer.coverage }
}

export function helpJson(help: NoHitHelp | undefined, text: JsonText) {
  if (help === undefined) return {}
  return {
    help: {
      words: help.words,
      closest: help.closest.map(({ session, words }) => ({ ...sessionJson(session, text), words })),
      elsewhere: help.elsewhere,
    },
  }
}

/** A time as ISO 8601 in UTC; null for none or one outside of the calendar. */
export function timeJson(ms: number | undefined): string | null {
  if (ms === undefined) return null
  const date = new Date(ms)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}
