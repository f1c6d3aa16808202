import { randomUUID } from "node:crypto"
import { hostDataDir } from "../hosts/data-dir.ts"
import { field, method, textField } from "../session/capability.ts"
import {
  answerIn,
  askingTerminal,
  dataOf,
  newestAnswer,
  newestMessages,
  type HandoffAnswer,
} from "./v2-answer.ts"
import { addTerminalCommand } from "./v2-command.ts"
import { place, shownSession } from "./v2-place.ts"
import { take, type Store, type Taken } from "./v2-stored.ts"

// The terminal part on V2. It sees the answer of `handoff_session` like every client, and acts when this
// terminal asked, or shows the session while no other one asked. The draft waits in its session all along, so
// whatever fails here, nothing is lost.

/** How often the session on screen is looked at: the host tells no plugin that it changed. */
export const LOOK_MS = 500

const running = Symbol.for("opencode-baton.terminal.v2")

/** Starts the terminal part; a second copy in the same terminal does nothing. Never throws. */
export function start(context: unknown): (() => void) | undefined {
  const ui = field(context, "ui")
  const client = field(context, "client")
  if (ui === undefined || client === undefined || Reflect.get(globalThis, running) === true) return undefined
  Reflect.set(globalThis, running, true)

  const terminal = randomUUID()
  const router = field(ui, "router")
  const session = field(client, "session")
  const screen = { router, keymap: field(context, "keymap"), renderer: field(context, "renderer") }
  const store: Store = {
    session,
    hostDir: hostDataDir(process.env),
    terminal,
    now: Date.now,
  }
  const handled = new Set<string>()
  const shown = () => shownSession(router)

  guarded(() =>
    addTerminalCommand({ keymap: screen.keymap, ui, session, terminal, shownSession: shown, tell: warn }),
  )
  const unsubscribe = guarded(() => listen(context, (event) => void onSuccess(event).catch(unseen)))
  let last: string | undefined
  const timer = setInterval(() => {
    const now = guarded(shown)
    if (now === last) return
    last = now
    if (typeof now === "string" && !handled.has(now)) void onOpened(now).catch(unseen)
  }, LOOK_MS)
  timer.unref()

  return () => {
    clearInterval(timer)
    if (typeof unsubscribe === "function") Reflect.apply(unsubscribe, undefined, [])
    Reflect.set(globalThis, running, false)
  }

  async function onSuccess(event: unknown): Promise<void> {
    const data = dataOf(event)
    const sessionID = textField(data, "sessionID")
    const content = field(data, "content")
    if (sessionID === "" || (content !== undefined && answerIn(content) === undefined)) return
    const messages = await newestMessages(client, sessionID)
    const answer = answerIn(content) ?? newestAnswer(messages)
    if (answer === undefined || handled.has(answer.sessionId)) return
    const asking = askingTerminal(messages)
    const onScreen = shown()
    const shows = onScreen === sessionID || onScreen === answer.sourceSessionId
    if (asking === "" ? !shows : asking !== terminal) return
    handled.add(answer.sessionId)
    await present(answer.sessionId, answer)
  }

  async function onOpened(sessionID: string): Promise<void> {
    await present(sessionID, undefined)
  }

  /** Shows the draft of a session, or leaves it where it waits. */
  async function present(sessionID: string, answer: HandoffAnswer | undefined): Promise<void> {
    const taken = await take(store, sessionID)
    if (taken.kind === "gone") return
    const draft = taken.kind === "taken" ? taken.draft : answer?.draft
    if (draft === undefined) return
    handled.add(sessionID)
    const outcome = await show(sessionID, draft, answer !== undefined)
    if (outcome.kind === "kept") await putBack(taken)
    if (outcome.kind === "kept" && shown() !== sessionID) {
      // Who comes back to it finds it there, however soon.
      handled.delete(sessionID)
      last = undefined
    }
    toast(outcome.kind === "kept" ? "warning" : "success", outcome.message)
  }

  async function show(
    sessionID: string,
    draft: string,
    lead: boolean,
  ): Promise<{ kind: "shown" | "sent" | "kept"; message: string }> {
    const placed = await place(screen, sessionID, draft, lead).catch((error: unknown) => ({
      placed: false as const,
      why: reasonOf(error),
    }))
    if (placed.placed) return { kind: "shown", message: "The draft is ready: edit it, then press Enter." }
    const ask = method(field(ui, "dialog"), "prompt")
    const send = method(session, "prompt")
    const kept = `The draft waits in session ${sessionID}: ${placed.why}.`
    const isLeft = "left" in placed
    if (isLeft || ask === undefined || send === undefined) return { kind: "kept", message: kept }
    try {
      const edited = await ask({
        title: "Handoff draft",
        description: "Edit it; confirming sends it.",
        value: draft,
      })
      if (typeof edited !== "string" || edited.trim() === "") return { kind: "kept", message: kept }
      await send({ sessionID, text: edited })
    } catch (error) {
      return { kind: "kept", message: `${kept} It could not be sent: ${reasonOf(error)}` }
    }
    await method(router, "navigate")?.({ type: "session", sessionID })
    return { kind: "sent", message: "The handoff was sent." }
  }

  async function putBack(taken: Taken): Promise<void> {
    if (taken.kind === "taken") await taken.putBack()
  }

  function warn(message: string): void {
    toast("warning", message)
  }

  function toast(variant: "success" | "warning", message: string): void {
    guarded(() => method(field(ui, "toast"), "show")?.({ title: "Handoff", message, variant }))
  }
}

function listen(context: unknown, take: (event: unknown) => void): unknown {
  const data = field(context, "data")
  const type = "session.tool.success"
  const on = method(data, "on")
  if (on !== undefined) return on(type, take)
  return method(
    data,
    "listen",
  )?.((event: unknown) => {
    const details = field(event, "details") ?? event
    if (textField(details, "type") === type) take(details)
  })
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** A terminal without the one function keeps the others. */
function guarded<Value>(run: () => Value): Value | undefined {
  try {
    return run()
  } catch (error) {
    unseen(error)
    return undefined
  }
}

// The draft is in its session and in the tool's answer; a terminal has no log, and its screen is the host's.
function unseen(_error: unknown): void {}
