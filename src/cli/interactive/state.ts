import type { Hit, SessionMatch, StoredMessage, StoredSession } from "../../history/contract.ts"
import { shellWord } from "../../text/shell.ts"
import { charactersOf } from "../layout.ts"

// What the search screen knows, and what a key does to it. Pure: the screen, the index and the clipboard are
// effects that the loop carries out.

export type Item = { readonly session: StoredSession; readonly hit?: Hit }

export type State = {
  readonly query: string
  /** Typing goes to the query; in the list a letter may be a command. */
  readonly focus: "query" | "list"
  /** Every project, or the one that one stands in. */
  readonly everywhere: boolean
  readonly items: readonly Item[]
  readonly words: readonly string[]
  readonly selected: number
  /** What was found, or what is wrong. */
  readonly status: string
  /** What a key just did; gone with the next one. */
  readonly notice: string
  readonly preview: readonly StoredMessage[]
  /** Lines of the preview that are scrolled past, from where it opened. */
  readonly scroll: number
}

/** What the loop has to do after a key. */
export type Effect = "search" | "preview" | "copy-command" | "copy-passage" | "open" | "leave" | undefined

/** A key as the terminal library tells it; `text` is what it types. */
export type Key = {
  readonly name?: string | undefined
  readonly ctrl?: boolean | undefined
  readonly meta?: boolean | undefined
  readonly text?: string | undefined
}

export const START: State = {
  query: "",
  focus: "query",
  everywhere: false,
  items: [],
  words: [],
  selected: 0,
  status: "",
  notice: "",
  preview: [],
  scroll: 0,
}

/** Rows the preview moves by a page key. */
export const SCROLL_ROWS = 8

export type Step = { readonly state: State; readonly effect: Effect }

/** The state after a key, and what has to be done. */
export function press(before: State, key: Key): Step {
  const state = { ...before, notice: "" }
  if (key.ctrl === true) return control(state, key.name ?? "")
  switch (key.name ?? "") {
    case "up":
      return select(state, state.selected - 1)
    case "down":
      return select(state, state.focus === "query" && state.selected === 0 ? 0 : state.selected + 1)
    case "pageup":
      return { state: { ...state, scroll: state.scroll - SCROLL_ROWS }, effect: undefined }
    case "pagedown":
      return { state: { ...state, scroll: state.scroll + SCROLL_ROWS }, effect: undefined }
    case "home":
      return select(state, 0)
    case "end":
      return select(state, state.items.length - 1)
    case "tab":
      return { state: { ...state, everywhere: !state.everywhere }, effect: "search" }
    case "return":
    case "enter":
      return { state, effect: state.items.length === 0 ? undefined : "copy-command" }
    case "escape":
      return { state, effect: "leave" }
    case "backspace":
      return typed(state, withoutLast(state.query))
    default:
      return letter(state, key)
  }
}

/** Text that was pasted: it is the query, whatever keys it would be. */
export function paste(state: State, text: string): Step {
  return typed({ ...state, notice: "" }, state.query + text.replaceAll(/\s+/g, " "))
}

function letter(state: State, key: Key): Step {
  const text = key.text ?? ""
  if (key.meta === true || text === "" || /\p{Cc}/u.test(text)) return { state, effect: undefined }
  if (state.focus === "list" && text === "y" && state.items.length > 0)
    return { state, effect: "copy-passage" }
  if (state.focus === "list" && text === "/")
    return { state: { ...state, focus: "query" }, effect: undefined }
  return typed(state, state.query + text)
}

function control(state: State, name: string): Step {
  switch (name) {
    case "c":
    case "d":
    case "g":
      return { state, effect: "leave" }
    case "p":
      return select(state, state.selected - 1)
    case "n":
      return select(state, state.selected + 1)
    case "u":
      return typed(state, "")
    case "w":
      return typed(state, state.query.trimEnd().replace(/(?<!\S)\S+$/, ""))
    case "h":
      return typed(state, withoutLast(state.query))
    case "y":
      return { state, effect: state.items.length === 0 ? undefined : "copy-passage" }
    case "o":
      return { state, effect: state.items.length === 0 ? undefined : "open" }
    default:
      return { state, effect: undefined }
  }
}

function typed(state: State, query: string): Step {
  return { state: { ...state, query, focus: "query" }, effect: "search" }
}

function select(state: State, wanted: number): Step {
  const selected = Math.max(0, Math.min(wanted, state.items.length - 1))
  return { state: { ...state, focus: "list", selected, scroll: 0 }, effect: "preview" }
}

/** The text without its last visible character. */
function withoutLast(text: string): string {
  const last = [...charactersOf(text)].at(-1)
  return last === undefined ? "" : text.slice(0, last.index)
}

/** One item for each message that was hit; a session alone where only its title was, or nothing was asked. */
export function itemsOf(sessions: readonly SessionMatch[]): readonly Item[] {
  return sessions.flatMap(({ session, hits }): readonly Item[] => {
    const seen = new Set<string>()
    const messages = hits.filter(
      ({ messageID }) => messageID !== undefined && !seen.has(messageID) && seen.add(messageID),
    )
    return messages.length === 0 ? [{ session }] : messages.map((hit) => ({ session, hit }))
  })
}

/** The command that goes on with a session, from any folder; undefined where no shell could be given its names. */
export function resumeCommand(session: StoredSession, directory: string): string | undefined {
  const id = shellWord(session.id)
  const folder = shellWord(session.directory)
  if (id === undefined || folder === undefined) return undefined
  const resume = `opencode -s ${id}`
  return session.directory === "" || session.directory === directory ? resume : `cd ${folder} && ${resume}`
}
