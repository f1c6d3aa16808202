import type { StoredSession } from "../../history/contract.ts"
import { isUnreadableID } from "../../session/unreadable.ts"
import { oneLine } from "../../text/printable.ts"
import { counted } from "../../tools/search/notes.ts"
import type { Section } from "../conversation.ts"
import { proseLines } from "./prose.ts"
import { titleOf, type Look } from "./text.ts"

// A conversation as Markdown. Its texts are Markdown themselves and stay so; a line that reads like a heading of
// ours is escaped, so that no message can open another one.

/** The head of a document or page. */
export function markdownHead(session: StoredSession, look: Look): readonly string[] {
  const { paint } = look.output
  const facts = [
    session.id,
    oneLine(session.directory),
    `${look.clock.time(session.created)} to ${look.clock.time(session.updated)} (${look.clock.zone})`,
  ]
  const links = [
    session.parentID === undefined ? "" : `Subagent of ${session.parentID}`,
    session.handoffFrom === undefined ? "" : `Handed off from ${session.handoffFrom}`,
    session.forkedFrom === undefined ? "" : `Forked from ${session.forkedFrom}`,
    session.archived === undefined ? "" : "Archived",
  ].filter((line) => line !== "")
  return [paint.strong(`# ${titleOf(session, look)}`), "", ...[...facts, ...links].map((line) => `- ${line}`)]
}

/** The lines of one message, a free line in front. */
export function markdownSection(section: Section, look: Look): readonly string[] {
  const { paint } = look.output
  const { message, texts, omitted } = section
  const heading = `## ${speakerOf(section)} · ${look.clock.time(message.created)} · ${message.id}`
  const notes = [
    omitted.tools === 0 ? "" : `${counted(omitted.tools, "tool text")} left out: --tools`,
    omitted.reasoning === 0 ? "" : `${counted(omitted.reasoning, "reasoning text")} left out: --reasoning`,
    message.cut ? "cut here" : "",
    isUnreadableID(message.id) ? "OpenCode could not deliver what stands here" : "",
    message.lost === 0 ? "" : `${message.lost} characters were never indexed`,
  ].filter((note) => note !== "")
  return [
    "",
    paint.strong(heading),
    ...texts.flatMap(({ kind, text }) => ["", ...textLines(kind, text, look)]),
    ...(notes.length === 0 ? [] : ["", paint.faint(`_(${notes.join("; ")})_`)]),
  ]
}

/** Who speaks. */
export function speakerOf({ message }: Pick<Section, "message">): string {
  if (message.summary) return "Compaction summary"
  return message.role === "user" ? "User" : "Assistant"
}

function textLines(kind: Section["texts"][number]["kind"], text: string, look: Look): readonly string[] {
  const { paint, isTerminal, textColumns } = look.output
  if (kind === "tool") return fenced(text).map(paint.faint)
  const own = text.split("\n").map((line) => line.replace(HEADING, "$1\\$2"))
  const lines = kind === "reasoning" ? own.map((line) => `> ${line}`) : own
  const shown = isTerminal ? proseLines(lines, textColumns) : lines
  return kind === "reasoning" ? shown.map(paint.faint) : shown
}

const HEADING = /^([^\S\n]{0,8})(#{1,2}[^\S\n]+(?:user|assistant|compaction summary)\b)/i

/** The text in a fence that is longer than any in it. */
function fenced(text: string): readonly string[] {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map((found) => found[0].length))
  const fence = "`".repeat(longest + 1)
  return [`${fence}text`, ...text.split("\n"), fence]
}
