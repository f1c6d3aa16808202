import type { Queue } from "../queue.ts"
import type { SealThread } from "./seal-thread.ts"
import { runSteps, type Steps, untilWait } from "../steps.ts"
import type { Writing } from "../writing.ts"
import { BusyError, QUIET_SEAL_UNITS, type Writer } from "../file/writer.ts"

// When new texts get their grams and runs are merged: as soon as much waits, in a second thread where there is one, and
// the rest when nothing was written for a moment. A tail that waits is searched without an index.

/** Without a write for this long, what waits is indexed: a search finds little left to look through. */
const QUIET_MS = 1_000

/** Full tails that wait at most, with the one that a thread is sealing: it never has to wait itself for the next. */
const MOST_WAITING = 3

export type Tidying = {
  /** Something was written, or may wait since long: tidies when nothing more is written. */
  later(): void
  /** Seals when much waits. With a thread, writing goes on meanwhile, but not by much more. */
  whenMuch(writer: Writer, writing: Writing): Steps<void>
  /** Tidies what waits, within the queue of the writes. */
  now(): Promise<void>
  /** Ends the thread behind what it is doing. */
  end(): Promise<void>
}

export type TidyingSetup = {
  readonly queue: Queue
  readonly sliceMs: number
  /** The index when it is open and can be written to. */
  readonly writer: () => Promise<Writer | undefined>
  readonly writing: () => Promise<Writing>
  readonly thread: ((path: string) => SealThread | undefined) | undefined
  readonly note: (text: string) => void
}

export function createTidying(setup: TidyingSetup): Tidying {
  const { queue } = setup
  let quiet: ReturnType<typeof setTimeout> | undefined
  let thread: SealThread | undefined
  let threadFailed = false
  /** What waited when the thread was last done. */
  let left = 0

  const later = (): void => {
    clearTimeout(quiet)
    quiet = setTimeout(() => void queue.add(tidy), QUIET_MS)
    quiet.unref()
  }

  const tidy = async (): Promise<void> => {
    if (thread?.busy() === true) later()
    else await now()
  }

  /** Leaves it to the next time when another process writes: nothing waits for it. */
  const now = async (): Promise<void> => {
    const waits = quiet !== undefined
    clearTimeout(quiet)
    quiet = undefined
    await end()
    left = 0
    const writer = await setup.writer()
    if (writer === undefined || !waits) return
    try {
      const { tidyRuns } = await setup.writing()
      const leastUnits = Math.min(writer.sealUnits, QUIET_SEAL_UNITS)
      await runSteps(untilWait(tidyRuns(writer, leastUnits)), setup.sliceMs)
    } catch (error) {
      tell(error instanceof Error ? error.message : String(error))
    }
  }

  /** Nobody waits for an answer; the status tells it. */
  const tell = (reason: string): void =>
    setup.note(`New text could not be indexed (${reason}); it is searched without an index.`)

  const end = async (): Promise<void> => {
    const ending = thread
    thread = undefined
    await ending?.end()
  }

  /** A thread that failed once is not tried again: what is wrong shows here, where it can be repaired. */
  const failed = (reason: string): void => {
    threadFailed = true
    tell(reason)
  }

  function* whenMuch(writer: Writer, writing: Writing): Steps<void> {
    // What other processes write they seal themselves.
    const { sealUnits, recent } = writer
    const waiting = left + recent.units
    if (waiting < sealUnits || (waiting < MOST_WAITING * sealUnits && thread?.busy() === true)) return
    while (thread?.busy() === true) if (!(yield* mergeMeanwhile(writer, writing))) yield "wait"
    if (!threadFailed) thread ??= setup.thread?.(writer.path)
    if (thread === undefined || threadFailed) {
      left = 0
      yield* untilWait(writing.tidyRuns(writer, sealUnits))
      return
    }
    void thread.seal(sealUnits).then((sealed) => {
      recent.clear()
      left = sealed.left
      if (sealed.failed !== undefined) failed(sealed.failed)
    })
  }

  return { later, whenMuch, now, end }
}

/** What the thread would have to do later; false when there is nothing to merge, or no getting at the file. */
function* mergeMeanwhile(writer: Writer, writing: Writing): Steps<boolean> {
  try {
    return yield* writing.mergeSome(writer)
  } catch (error) {
    if (error instanceof BusyError) return false
    throw error
  }
}
