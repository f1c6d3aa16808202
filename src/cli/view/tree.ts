import type { Family, StoredSession } from "../../history/contract.ts"
import { clip, pad, widthOf } from "../layout.ts"
import { titleOf, type Look } from "./text.ts"

// A family of sessions as a tree: what came of a session stands under it, oldest first. Two lines a session, so
// that ids fit beside the branches on a narrow terminal.

/** Deeper branches are not indented further: at 60 columns nothing would be left of the titles. */
export const DEPTH_MAX = 10

type Link = Family["links"][number]

/** The tree's lines; the session that was asked for is marked. */
export function treeLines(family: Family, look: Look, asked?: string): readonly string[] {
  const byID = new Map(family.sessions.map((session) => [session.id, session]))
  const linkTo = new Map(family.links.map((link) => [link.to, link]))
  const children = new Map<string, StoredSession[]>()
  for (const session of family.sessions) {
    const from = linkTo.get(session.id)?.from
    if (from !== undefined) children.set(from, [...(children.get(from) ?? []), session])
  }
  const lines: string[] = []
  const drawn = new Set<string>()

  for (const session of family.sessions) {
    const link = linkTo.get(session.id)
    if (link === undefined) draw(session, undefined, "", "")
    else if (!byID.has(link.from) && !drawn.has(link.from)) {
      drawn.add(link.from)
      lines.push(look.output.paint.faint(`${link.from} (not in the index)`))
      drawChildren(link.from, "", 1)
    }
  }
  // What is left comes of itself: a loop of notes that no host writes, drawn all the same.
  for (const session of family.sessions)
    if (!drawn.has(session.id)) draw(session, linkTo.get(session.id), "", "")
  return lines

  function draw(
    session: StoredSession,
    link: Link | undefined,
    first: string,
    rest: string,
    depth = 0,
  ): void {
    if (drawn.has(session.id)) return
    drawn.add(session.id)
    lines.push(...nodeLines(session, link, first, rest, look, session.id === asked))
    drawChildren(session.id, rest, depth + 1)
  }

  function drawChildren(id: string, indent: string, depth: number): void {
    const list = (children.get(id) ?? []).filter((session) => !drawn.has(session.id))
    const deep = depth > DEPTH_MAX
    list.forEach((session, at) => {
      const isLast = at === list.length - 1
      const bend = isLast ? "└─ " : "├─ "
      const bar = isLast ? "   " : "│  "
      draw(session, linkTo.get(session.id), indent + bend, deep ? indent : indent + bar, depth)
    })
  }
}

function nodeLines(
  session: StoredSession,
  link: Link | undefined,
  first: string,
  rest: string,
  look: Look,
  asked: boolean,
): readonly string[] {
  const { paint, columns } = look.output
  const kind = link === undefined ? "" : `${link.kind}: `
  const time = look.clock.time(session.created)
  const room = Math.max(8, columns - widthOf(first) - widthOf(kind) - time.length - 2)
  const title = clip(titleOf(session, look), room)
  const marks = [asked ? "<- this one" : "", session.archived === undefined ? "" : "archived"].filter(
    (mark) => mark !== "",
  )
  return [
    `${paint.faint(first + kind)}${paint.strong(title)}${pad("", room - widthOf(title))}  ${paint.faint(time)}`,
    `${paint.faint(`${rest}${session.id}`)}${marks.length === 0 ? "" : `  ${paint.hit(marks.join(", "))}`}`,
  ]
}
