import { homedir, hostname } from "node:os"
import type { StoredSession } from "../../history/contract.ts"
import { cleanText } from "../../reading/content.ts"
import { oneLine } from "../../text/printable.ts"
import { findFolded, fold } from "../../text/fold.ts"
import { clockOf, type Clock } from "../../tools/search/when.ts"
import type { Context } from "../context.ts"
import { clip, clipStart, spread, widthOf } from "../layout.ts"
import type { Output } from "../output.ts"
import type { Paint } from "../paint.ts"

// Pieces of answers for people. Everything from history is made printable here, before it meets a terminal: an
// escape sequence in an old message must not move a cursor today.

/** How answers are written in this run. */
export type Look = {
  readonly output: Pick<Output, "columns" | "textColumns" | "paint" | "isTerminal">
  readonly clock: Clock
  readonly maskSecrets: boolean
  readonly home: string
}

export function lookFor({ output, options, env }: Pick<Context, "output" | "options" | "env">): Look {
  const { maskSecrets } = options
  return { output, clock: clockOf(undefined), maskSecrets, home: env["HOME"] ?? homedir() }
}

/** Text from history on one printable line. */
export function printable(text: string, look: Pick<Look, "maskSecrets">): string {
  return oneLine(cleanText(text, look.maskSecrets).text)
}

/** A session's title; it is never empty. */
export function titleOf(session: Pick<StoredSession, "title">, look: Pick<Look, "maskSecrets">): string {
  const title = printable(session.title, look).trim()
  return title === "" ? "(no title)" : title
}

/** A path with `~` for the home directory. */
export function shortPath(path: string, look: Pick<Look, "home">): string {
  const plain = oneLine(path)
  if (plain === look.home) return "~"
  return look.home !== "" && plain.startsWith(`${look.home}/`) ? `~${plain.slice(look.home.length)}` : plain
}

/** The path in at most `columns`, a link to the file where the terminal has links. */
export function pathLink(path: string, columns: number, look: Look): string {
  return look.output.paint.link(clipStart(shortPath(path, look), columns), fileUrl(path))
}

/** The address of a file on this machine. */
export function fileUrl(path: string): string {
  const slashed = path.replaceAll("\\", "/")
  const whole = slashed.startsWith("/") ? slashed : `/${slashed}`
  return `file://${hostname()}${whole.split("/").map(encodeURIComponent).join("/")}`
}

/** The head of a session's block: title and time, then id, folder and what is special about it. */
export function sessionHead(session: StoredSession, marks: readonly string[], look: Look): readonly string[] {
  const { columns, paint } = look.output
  const time = look.clock.time(session.updated)
  const title = clip(titleOf(session, look), columns >= 50 ? columns - widthOf(time) - 2 : columns)
  const [first = "", second] = spread(title, time, columns)
  const head =
    second === undefined
      ? [paint.strong(title) + paint.faint(first.slice(title.length))]
      : [paint.strong(first), paint.faint(second)]
  const room = Math.max(12, columns - widthOf(session.id) - 3)
  const place = `${paint.faint(`${session.id} · `)}${paint.faint(pathLink(session.directory, room, look))}`
  return [...head, place, ...(marks.length === 0 ? [] : [paint.faint(clip(marks.join(" · "), columns))])]
}

/** What is special about a session. */
export function marksOf(
  session: StoredSession,
  match: { readonly alsoInForks: number; readonly reverted: boolean },
): readonly string[] {
  return [
    session.parentID === undefined ? "" : `subagent of ${session.parentID}`,
    session.handoffFrom === undefined ? "" : `handed off from ${session.handoffFrom}`,
    session.forkedFrom === undefined ? "" : `forked from ${session.forkedFrom}`,
    session.archived === undefined ? "" : "archived",
    match.reverted ? "only in reverted messages" : "",
    match.alsoInForks === 0 ? "" : `also in ${match.alsoInForks} fork${match.alsoInForks === 1 ? "" : "s"}`,
  ].filter((mark) => mark !== "")
}

/** The line with every one of the words marked. Words are given folded, as `foldedWords` makes them. */
export function highlight(line: string, words: readonly string[], paint: Paint): string {
  if (!paint.on) return line
  const hits = words.flatMap((word) => {
    const found: { start: number; end: number }[] = []
    for (let hit = findFolded(line, word); hit; hit = findFolded(line, word, hit.end)) found.push(hit)
    return found
  })
  let marked = ""
  let at = 0
  for (const { start, end } of hits.sort((one, other) => one.start - other.start || other.end - one.end)) {
    if (start < at) continue
    marked += line.slice(at, start) + paint.hit(line.slice(start, end))
    at = end
  }
  return marked + line.slice(at)
}

export function foldedWords(words: readonly string[]): readonly string[] {
  return words.map((word) => fold(oneLine(word))).filter((word) => word !== "")
}
