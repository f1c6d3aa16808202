import { findFolded, fold } from "../../text/fold.ts"
import { oneLine, printableLines } from "../../text/printable.ts"
import { cleanText } from "../../reading/content.ts"
import { excerpt } from "../../text/excerpt.ts"
import { clip, pad, widthOf, wrapLines } from "../layout.ts"
import { sourceOf } from "../../tools/search/hit-block.ts"
import { highlight, printable, titleOf, type Look } from "../view/text.ts"
import type { Item, State } from "./state.ts"

// The search screen as lines: exactly as many as there are rows, none wider than the screen. Pure.

/** From this width on the preview stands beside the list. */
export const WIDE_COLUMNS = 100

/** Rows around list and preview: query, status, and keys at the bottom. */
const FRAME_ROWS = 3

export type Screen = { readonly columns: number; readonly rows: number }

export type Frame = {
  readonly lines: readonly string[]
  /** Where the cursor stands, from 0. */
  readonly cursor: { readonly column: number; readonly row: number }
}

export function frameOf(state: State, screen: Screen, look: Look): Frame {
  const { paint } = look.output
  const columns = Math.max(20, screen.columns)
  const body = Math.max(2, screen.rows - FRAME_ROWS)
  const prompt = "> "
  const query = tail(printable(state.query, { maskSecrets: false }), columns - widthOf(prompt) - 1)
  const status =
    state.notice === ""
      ? paint.faint(clip(oneLine(state.status), columns))
      : paint.hit(clip(oneLine(state.notice), columns))
  const rows =
    columns >= WIDE_COLUMNS ? beside(state, columns, body, look) : below(state, columns, body, look)
  return {
    lines: [paint.strong(prompt) + query, status, ...rows, paint.faint(clip(keysOf(state), columns))],
    cursor: { column: widthOf(prompt) + widthOf(query), row: 0 },
  }
}

function keysOf(state: State): string {
  const copy = state.focus === "list" ? "y copy passage · / type" : "↓ list · ^Y copy passage"
  return `Esc leave · Enter copy command · ${copy} · ^O open · Tab ${state.everywhere ? "this project" : "all projects"}`
}

function below(state: State, columns: number, rows: number, look: Look): readonly string[] {
  const list = Math.max(1, Math.min(Math.ceil(rows * 0.4), state.items.length || 1))
  const rule = look.output.paint.faint("─".repeat(columns))
  const preview = previewLines(state, columns, rows - list - 1, look)
  return [...listLines(state, columns, list, look), rule, ...preview].slice(0, rows)
}

function beside(state: State, columns: number, rows: number, look: Look): readonly string[] {
  const left = Math.floor(columns * 0.42)
  const list = listLines(state, left, rows, look)
  const preview = previewLines(state, columns - left - 3, rows, look)
  const bar = look.output.paint.faint(" │ ")
  return Array.from({ length: rows }, (_, at) => pad(list[at] ?? "", left) + bar + (preview[at] ?? ""))
}

/** The rows of the list around the chosen one. */
function listLines(state: State, columns: number, rows: number, look: Look): readonly string[] {
  const first = Math.max(0, Math.min(state.selected - Math.floor(rows / 2), state.items.length - rows))
  const shown = state.items.slice(first, first + rows)
  const lines = shown.map((item, at) =>
    itemLine(item, columns, look, first + at === state.selected, state.words),
  )
  return [...lines, ...Array.from({ length: rows - lines.length }, () => "")]
}

function itemLine(
  item: Item,
  columns: number,
  look: Look,
  chosen: boolean,
  words: readonly string[],
): string {
  const { paint } = look.output
  const day = look.clock.time(item.session.updated).slice(2, 10)
  const room = columns - day.length - 3
  const half = item.hit === undefined ? room : Math.min(room, Math.max(16, Math.floor(room * 0.45)))
  const title = clip(titleOf(item.session, look), half)
  const rest = room - widthOf(title) - 2
  const text = item.hit === undefined || rest < 10 ? "" : hitText(item.hit, rest, look)
  const mark = chosen ? "▸" : " "
  const plain = `${mark}${pad(`${title}${text === "" ? "" : `  ${text}`}`, room)}  ${day}`
  if (chosen) return paint.chosen(clip(plain, columns))
  return clip(plain, columns) === plain && text !== ""
    ? `${mark}${title}  ${highlight(pad(text, room - widthOf(title) - 2), words, paint)}  ${paint.faint(day)}`
    : clip(plain, columns)
}

function hitText(hit: NonNullable<Item["hit"]>, columns: number, look: Look): string {
  const text = printable(hit.excerpt, look)
  const at = findFolded(text, fold(oneLine(hit.word))) ?? { start: 0, end: 0 }
  return clip(excerpt(text, at, columns), columns)
}

/** The conversation around the hit, the hit's first line in view. */
function previewLines(state: State, columns: number, rows: number, look: Look): readonly string[] {
  const item = state.items[state.selected]
  if (item === undefined || rows <= 0) return Array.from({ length: Math.max(0, rows) }, () => "")
  const { paint } = look.output
  const lines: string[] = []
  let anchor = 0
  for (const message of state.preview) {
    const isHit = message.id === item.hit?.messageID
    const source = isHit && item.hit !== undefined ? sourceOf(item.hit) : message.role
    if (isHit) anchor = lines.length
    lines.push(
      (isHit ? paint.strong : paint.faint)(clip(`${source} · ${look.clock.time(message.created)}`, columns)),
    )
    const text = printableLines(cleanText(message.text, look.maskSecrets).text).trim()
    const wrapped = wrapLines(text, columns, "  ")
    // Counted in the text before it: the hit itself may be broken over two lines.
    const at = isHit && item.hit !== undefined ? findFolded(text, fold(oneLine(item.hit.word))) : undefined
    const hit = at === undefined ? 0 : wrapLines(text.slice(0, at.start), columns, "  ").length - 1
    if (hit > rows - 3) anchor += hit - 1
    lines.push(...wrapped.map((line) => highlight(line, state.words, paint)), "")
  }
  const start = Math.max(0, Math.min(anchor + state.scroll, lines.length - 1))
  const shown = lines.slice(start, start + rows)
  return [...shown, ...Array.from({ length: rows - shown.length }, () => "")]
}

/** The end of the text, which is where one types. */
function tail(text: string, columns: number): string {
  let kept = text
  while (widthOf(kept) > columns) kept = kept.slice(Math.max(1, kept.length - columns))
  return kept
}
