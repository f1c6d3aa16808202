import type { Log } from "../host.ts"
import type { Call } from "../../session/capability.ts"
import { idle } from "./service.ts"
import { describe } from "./trouble.ts"

/** The wait before the events are subscribed to again. */
export const RESUBSCRIBE_MS = 1_000

type Following = {
  readonly subscribe: Call
  readonly signal: AbortSignal
  readonly log: Log
  receive(event: unknown): void
  /** The stream ended and nothing is replayed: what came in between has to be listed. */
  missed(): void
}

/**
 * Follows the host's events until aborted. A stream may end or fail for good at any time (a slow consumer, an
 * event that cannot be encoded); it is then opened again. Returns at once and never throws.
 */
export function followEvents(following: Following): void {
  void follow(following)
}

async function follow(following: Following): Promise<void> {
  const { subscribe, signal, log } = following
  for (let streams = 0; !signal.aborted; streams++) {
    try {
      const stream = await subscribe({ signal })
      if (streams > 0) following.missed()
      if (!isStream(stream))
        return log("warn", "events: OpenCode answered in a form this version does not read")
      for await (const event of stream) {
        if (signal.aborted) return
        following.receive(event)
      }
    } catch (error) {
      if (signal.aborted) return
      log("info", `events: the stream failed and is opened again: ${describe(error)}`)
    }
    await idle(RESUBSCRIBE_MS, signal)
  }
}

function isStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === "object" && value !== null && Symbol.asyncIterator in value
}
