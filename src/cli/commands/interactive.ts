import { spawn } from "node:child_process"
import { once } from "node:events"
import { statSync } from "node:fs"
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
import { DONE, INTERRUPTED, type Outcome, trouble } from "../outcome.ts"
import { hiddenLines } from "../view/notes.ts"
import { lookFor, foldedWords } from "../view/text.ts"
import { FULL_SESSIONS } from "../../tools/search/limits.ts"

// `baton` without a command: the search screen. Each key press shows at once; a search that is overtaken by the
// next letter is aborted.

/** Sessions that are listed. */
export const LISTED = 100

export async function interactive(context: Context, query: string): Promise<Outcome> {
  if (!process.stdin.isTTY || !context.output.isTerminal)
    return trouble("the search screen needs a terminal; write a command, such as baton search login")
  const opened = await context.history().status()
  if (!opened.ok) return trouble(opened.fault.message)
  let state: State = { ...START, query }
  for (;;) {
    const left = await new Promise<Left>((resolve) => runScreen(context, state, resolve))
    if (context.signal.aborted) return INTERRUPTED
    if (left.open === undefined) return DONE
    const why = await openSession(context, left.open)
    if (why === undefined) return DONE
    state = { ...left.state, notice: why }
  }
}

/** How the screen was left: as it stood, and the session to open, if any. */
type Left = { readonly state: State; readonly open: Item | undefined }

/** Runs until it is left. What the state tells already is shown at once, and a query without an answer is asked. */
function runScreen(context: Context, start: State, done: (left: Left) => void): void {
  const look = lookFor(context)
  const history = context.history()
  let state = start
  let searching = new AbortController()
  let previewing = new AbortController()

  const screen: TerminalScreen = takeTerminal(process.stdin, process.stdout, {
    key: (key) => step(press(state, key)),
    paste: (text) => step(paste(state, text)),
    resize: () => draw(),
  })
  context.signal.addEventListener("abort", () => leave(undefined), { once: true })
  step({ state, effect: state.notice === "" ? "search" : undefined })

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
      await putCommand(resumeCommand(item.session, context.directory))
    else if (effect === "copy-passage") {
      const message = state.preview.find((one) => one.id === item?.hit?.messageID) ?? state.preview.at(-1)
      const passage =
        message && item && (await passageOf(history, item, message.id, look.maskSecrets, context.signal))
      if (passage !== undefined) await put(passage, "Copied the passage", message?.id ?? "")
    }
  }

  async function putCommand(command: string | undefined): Promise<void> {
    if (command !== undefined) return put(command, "Copied")
    state = { ...state, notice: "not copied: the name of the session's folder is not text; ^O opens it" }
    draw()
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
      { ...asked.filter, sort: "newest", hits: words.length > 0, thorough: FULL_SESSIONS, limit: LISTED },
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
    const messages = item === undefined ? [] : await messagesAround(history, item, look.maskSecrets, signal)
    if (signal.aborted) return
    state = { ...state, preview: messages }
    draw()
  }

  function leave(open: Item | undefined): void {
    searching.abort()
    previewing.abort()
    screen.leave()
    done({ state, open })
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

/** Opens it in OpenCode; what kept it from being opened, on one line. */
async function openSession(context: Context, { session }: Item): Promise<string | undefined> {
  const cwd = session.directory === "" ? context.directory : session.directory
  // A program that is not there and a folder that is not there are the same error.
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true)
    return `not opened: there is no folder ${cwd}`
  const trouble = await run("opencode", ["-s", session.id], cwd)
  if (trouble === undefined) return undefined
  if ("code" in trouble && trouble.code === "ENOENT")
    return "not opened: there is no opencode in PATH; Enter copies the command"
  return `not opened: opencode does not start (${trouble.message})`
}

/** Runs a program on this terminal until it ends; why it did not start, if so. One runtime throws that, one emits it. */
async function run(program: string, args: readonly string[], cwd: string): Promise<Error | undefined> {
  try {
    await once(spawn(program, args, { stdio: "inherit", cwd }), "close")
    return undefined
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}
