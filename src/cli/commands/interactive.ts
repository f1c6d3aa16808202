import { spawn } from "node:child_process"
import { once } from "node:events"
import type { SearchAnswer } from "../../history/contract.ts"
import { shownWord } from "../../tools/search/describe.ts"
import { counted } from "../../tools/search/notes.ts"
import { ask } from "../asking.ts"
import type { Context } from "../context.ts"
import { copy } from "../interactive/clipboard.ts"
import {
  type Effect,
  type Item,
  itemsOf,
  paste,
  press,
  resumeCommand,
  START,
  type State,
  type Step,
} from "../interactive/state.ts"
import { messagesAround, passageOf } from "../interactive/preview.ts"
import { SLOW_MS, tellIfSlow } from "../interactive/slow.ts"
import { takeTerminal, type TerminalScreen } from "../interactive/terminal.ts"
import { frameOf } from "../interactive/view.ts"
import { DONE, type Outcome, trouble } from "../outcome.ts"
import { hiddenLines } from "../view/notes.ts"
import { lookFor, foldedWords } from "../view/text.ts"

// `baton` without a command: the search screen. Each key press shows at once; a search that is overtaken by the
// next letter is aborted.

/** Sessions that are listed. */
export const LISTED = 100

export async function interactive(context: Context, query: string): Promise<Outcome> {
  if (!process.stdin.isTTY || !context.output.isTerminal)
    return trouble("the search screen needs a terminal; write a command, such as baton search login")
  const opened = await context.history().status()
  if (!opened.ok) return trouble(opened.fault.message)
  const open = await new Promise<Item | undefined>((resolve) => runScreen(context, query, resolve))
  return open === undefined ? DONE : openSession(context, open)
}

/** Runs until it is left; calls back with the session to open, if any. */
function runScreen(context: Context, query: string, done: (open: Item | undefined) => void): void {
  const look = lookFor(context)
  const history = context.history()
  let state: State = { ...START, query }
  let searching = new AbortController()
  let previewing = new AbortController()

  const screen: TerminalScreen = takeTerminal(process.stdin, process.stdout, {
    key: (key) => step(press(state, key)),
    paste: (text) => step(paste(state, text)),
    resize: () => draw(),
  })
  context.signal.addEventListener("abort", () => leave(undefined), { once: true })
  step({ state, effect: "search" })

  function draw(): void {
    const size = screen.size()
    screen.draw(frameOf(state, size, { ...look, output: { ...look.output, columns: size.columns } }))
  }

  function step(next: Step): void {
    state = next.state
    draw()
    void carryOut(next.effect).catch((error: unknown) => {
      state = { ...state, notice: error instanceof Error ? error.message : String(error) }
      draw()
    })
  }

  async function carryOut(effect: Effect): Promise<void> {
    const item = state.items[state.selected]
    if (effect === "leave") leave(undefined)
    else if (effect === "search") await search()
    else if (effect === "preview") await preview()
    else if (effect === "open" && item !== undefined) leave(item)
    else if (effect === "copy-command" && item !== undefined)
      await put(resumeCommand(item.session, context.directory), "Copied")
    else if (effect === "copy-passage") {
      const message = state.preview.find((one) => one.id === item?.hit?.messageID) ?? state.preview.at(-1)
      const passage =
        message && item && (await passageOf(history, item, message.id, look.maskSecrets, context.signal))
      if (passage !== undefined) await put(passage, "Copied the passage", message?.id ?? "")
    }
  }

  async function put(text: string, done: string, shown = text): Promise<void> {
    const taken = await copy(text, context.env, screen.tell)
    state = { ...state, notice: `${done}${taken ? "" : " (if the terminal allows it)"}: ${shown}` }
    draw()
  }

  async function search(): Promise<void> {
    searching.abort()
    searching = new AbortController()
    const { signal } = searching
    const project = state.everywhere && !/(^|\s)project:/i.test(state.query) ? "all" : undefined
    const asked = await ask(context, state.query, { project })
    if (signal.aborted) return
    if (!asked.ok) {
      // Half a quote is no mistake while one is typing: what was found stays.
      state = { ...state, status: asked.error }
      return draw()
    }
    const { words } = asked.filter
    const asking = history.search(
      { ...asked.filter, sort: "newest", hits: words.length > 0, limit: LISTED },
      signal,
    )
    const found = await tellIfSlow(asking, SLOW_MS, () => {
      if (signal.aborted) return
      state = { ...state, status: "searching …" }
      draw()
    })
    if (signal.aborted) return
    if (!found.ok) {
      state = { ...state, status: found.fault.message }
      return draw()
    }
    const { sessions } = found.value
    state = {
      ...state,
      items: itemsOf(sessions),
      words: foldedWords(words),
      selected: 0,
      scroll: 0,
      preview: [],
      status: statusOf(found.value, asked.described),
    }
    draw()
    await preview()
  }

  async function preview(): Promise<void> {
    previewing.abort()
    previewing = new AbortController()
    const { signal } = previewing
    const item = state.items[state.selected]
    const messages = item === undefined ? [] : await messagesAround(history, item, signal)
    if (signal.aborted) return
    state = { ...state, preview: messages }
    draw()
  }

  function leave(open: Item | undefined): void {
    searching.abort()
    previewing.abort()
    screen.leave()
    done(open)
  }
}

/** What was found, and what is not shown, on one line. */
function statusOf({ sessions, more, hidden, coverage, help }: SearchAnswer, described: string): string {
  const count = more ? `${sessions.length}+ sessions` : counted(sessions.length, "session")
  const elsewhere = help?.elsewhere ?? 0
  const spellings = (help?.words ?? []).flatMap((word) => word.close.slice(0, 1))
  return [
    count,
    described,
    ...spellings.map((close) => `did you mean ${shownWord(close)}?`),
    ...(elsewhere === 0 ? [] : [`${counted(elsewhere, "match", "matches")} in other projects (Tab)`]),
    ...hiddenLines(hidden),
    ...(coverage.complete ? [] : [`searched ${coverage.searched} of ${coverage.sessions} sessions`]),
  ].join(" · ")
}

async function openSession(context: Context, { session }: Item): Promise<Outcome> {
  const child = spawn("opencode", ["-s", session.id], {
    stdio: "inherit",
    cwd: session.directory === "" ? context.directory : session.directory,
  })
  const ended = await Promise.race([
    once(child, "close").then(() => undefined),
    once(child, "error").then((values: readonly unknown[]) => values[0]),
  ])
  if (ended === undefined) return DONE
  const why = ended instanceof Error ? ended.message : "it does not start"
  return trouble(`opencode could not be opened (${why}); run: ${resumeCommand(session, context.directory)}`)
}
