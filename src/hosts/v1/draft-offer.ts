import type { Signal } from "../../handoff/signals.ts"
import type { V1Client } from "./client.ts"
import { listen, send } from "./signals.ts"

// Agrees with the terminal parts which one takes a draft. A terminal acts only when it was granted the draft
// by name, and the server part acts only when nobody was, so that it is never both and never neither.

/**
 * How long to wait for a terminal part to answer. Question and answer take about 20 ms; with both cores busy
 * several hundred. A terminal without the terminal part costs this wait once per handoff.
 */
export const answerMs = 1500

/** How long the granted terminal may take to show the draft: a prompt mounts in about 300 ms, slower under load. */
export const shownMs = 8000

export type Offer =
  | { readonly kind: "shown" }
  /** Terminal parts answered, and none of them shows the source session. */
  | { readonly kind: "elsewhere" }
  /** No terminal part answered. */
  | { readonly kind: "nobody" }
  | { readonly kind: "failed"; readonly why: string }

type Exchange = {
  readonly id: string
  readonly sessionIDs: readonly string[]
  readonly directory: string
  readonly draft: string
}

/** Offers the draft to the terminal that shows its source session. Takes at most `answerMs + shownMs`. */
export async function offerDraft(client: V1Client, exchange: Exchange): Promise<Offer> {
  const { id, directory, draft } = exchange
  const showing = waiter<string>()
  const shown = waiter<Extract<Signal, { kind: "done" }>>()
  let someone = false
  const stop = listen(id, (signal) => {
    if (signal.kind === "here") {
      someone = true
      if (signal.showing) showing.resolve(signal.terminal)
    }
    if (signal.kind === "done") shown.resolve(signal)
  })
  try {
    if (!(await send(client, { kind: "offer", id, sessionIDs: [...exchange.sessionIDs], directory })))
      return { kind: "nobody" }
    const terminal = await showing.within(answerMs)
    if (terminal === undefined) return { kind: someone ? "elsewhere" : "nobody" }

    await send(client, { kind: "grant", id, terminal, draft, directory })
    const done = await shown.within(shownMs)
    if (done?.shown === true) return { kind: "shown" }
    await send(client, { kind: "cancel", id })
    return { kind: "failed", why: done?.why ?? `it did not answer within ${shownMs / 1000} s` }
  } finally {
    stop()
  }
}

function waiter<Value>(): { resolve(value: Value): void; within(ms: number): Promise<Value | undefined> } {
  const { promise, resolve } = Promise.withResolvers<Value | undefined>()
  return {
    resolve,
    async within(ms) {
      const timer = setTimeout(() => resolve(undefined), ms)
      const value = await promise
      clearTimeout(timer)
      return value
    },
  }
}
