// Work on the host's own thread gives way to the host's other work between two messages.

import { performance } from "node:perf_hooks"

/** A stretch of work after which other work has its turn: half a frame of a terminal at 60 Hz. */
export const STRETCH_MS = 8

/** Called between two pieces of work: waits for the event loop's other work once a stretch has passed. */
export type Pace = () => Promise<void>

/** The pace of one call, from now on. `now` gives milliseconds. */
export function createPace(now: () => number = () => performance.now()): Pace {
  let began = now()
  return async () => {
    if (now() - began < STRETCH_MS) return
    await new Promise((resolve) => setImmediate(resolve))
    began = now()
  }
}
