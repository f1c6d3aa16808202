import type { TuiPluginApi } from "@opencode-ai/plugin/tui"
import { randomUUID } from "node:crypto"
import { decodeSignal, encodeSignal, type Signal } from "../handoff/signals.ts"
import { hostDataDir } from "../hosts/data-dir.ts"
import { prompts } from "./prompts.ts"
import { showStoredDrafts } from "./stored.ts"

// The terminal part on V1. It acts only when the server part granted this very terminal a draft, which it
// does for the one that shows the source session: no other terminal of the server moves.

const running = Symbol.for("opencode-baton.terminal")

/** Starts the terminal part. A second copy in the same terminal does nothing. */
export function start(api: TuiPluginApi): void {
  if (Reflect.get(globalThis, running) === true) return
  Reflect.set(globalThis, running, true)
  api.lifecycle.onDispose(() => {
    Reflect.set(globalThis, running, false)
  })

  const terminal = randomUUID()
  const inPrompt = prompts(api)
  const cancelled = new Set<string>()

  api.event.on("tui.command.execute", (event) => {
    const signal = decodeSignal(event.properties.command)
    if (signal?.kind === "offer")
      void answer(signal.directory, {
        kind: "here",
        id: signal.id,
        terminal,
        showing: shows(signal.sessionIDs),
      })
    if (signal?.kind === "cancel") cancelled.add(signal.id)
    if (signal?.kind === "grant" && signal.terminal === terminal) void take(signal)
  })
  showStoredDrafts(api, inPrompt, hostDataDir(process.env))

  function shows(sessionIDs: readonly string[]): boolean {
    const route = api.route.current
    const sessionID = route.name === "session" ? route.params?.["sessionID"] : undefined
    return typeof sessionID === "string" && sessionIDs.includes(sessionID)
  }

  async function take(grant: Extract<Signal, { kind: "grant" }>): Promise<void> {
    const outcome = await show(grant)
    await answer(grant.directory, { kind: "done", id: grant.id, terminal, ...outcome })
    if (!outcome.shown) return
    api.ui.toast({
      variant: "success",
      title: "Handoff",
      message: "The draft is ready: edit it, then press Enter.",
    })
  }

  async function show(grant: Extract<Signal, { kind: "grant" }>): Promise<{ shown: boolean; why?: string }> {
    try {
      const shown = await inPrompt.show(
        { name: "home" },
        grant.draft,
        () => api.route.navigate("home"),
        () => !cancelled.has(grant.id),
      )
      return shown ? { shown } : { shown, why: "its prompt did not take the text" }
    } catch (error) {
      return { shown: false, why: error instanceof Error ? error.message : String(error) }
    }
  }

  async function answer(directory: string, signal: Signal): Promise<void> {
    const properties = { command: encodeSignal(signal) }
    await api.client.tui
      .publish({ directory, body: { type: "tui.command.execute", properties } })
      .catch(unanswered)
  }
}

// The server part waits a bounded time for an answer and then stores the draft itself.
function unanswered(_error: unknown): void {}
