import type { History } from "../../../src/history/contract.ts"
import type { Clock } from "../../../src/history/sync/clock.ts"
import { excluder } from "../../../src/history/sync/exclude.ts"
import { createSync, type HistorySync } from "../../../src/history/sync/sync.ts"
import { memoryHistory, type MemoryHistory } from "./memory-history.ts"
import { memoryHost, type MemoryHost } from "./memory-host.ts"

// A sync over the host and the index in memory, with a clock that moves only when the test moves it.

/** Noon of some day; sessions of the memory host are far older unless a test says otherwise. */
export const START = 1_700_000_000_000

export type TestClock = Clock & {
  /** Moves time, running what is due in order and letting the answers to it arrive. */
  advance(ms: number): Promise<void>
  /** The user sets the clock, forwards or back. */
  set(ms: number): void
  /** Timers that wait. */
  timers(): number
}

/** An index whose running calls are counted. */
export type CountedHistory = History & { pending(): number }

export type Rig<Index extends CountedHistory = MemoryHistory> = {
  readonly host: MemoryHost
  readonly history: Index
  readonly clock: TestClock
  readonly sync: HistorySync
  readonly log: string[]
}

export type RigSetup = {
  readonly exclude?: readonly string[]
  readonly host?: MemoryHost
  /** Where the clock begins. */
  readonly start?: number
}

export function makeRig(setup: RigSetup & { readonly history?: MemoryHistory } = {}): Rig {
  return makeRigOver(setup.history ?? memoryHistory(), setup)
}

export function makeRigOver<Index extends CountedHistory>(history: Index, setup: RigSetup = {}): Rig<Index> {
  const host = setup.host ?? memoryHost()
  const log: string[] = []
  const clock = testClock(() => host.pending() + history.pending(), setup.start)
  const sync = createSync({
    feed: host.feed,
    history,
    clock,
    excluded: excluder(setup.exclude ?? [], "/home/me"),
    log: (level, message) => void log.push(`${level}: ${message}`),
  })
  return { host, history, clock, sync, log }
}

/** Keeps back the second page of a session's messages, until what it returns is called. */
export function holdSecondPage(host: MemoryHost, sessionID: string): () => void {
  let pages = 0
  let release: (() => void) | undefined
  host.faults.before = (call) => {
    if (call !== `messages ${sessionID}`) return
    pages += 1
    if (pages === 2) return new Promise((resolve) => (release = resolve))
  }
  return () => release?.()
}

/** `pending` counts the calls that are under way: time stands still until they are answered. */
export function testClock(pending: () => number, start: number = START): TestClock {
  const timers = new Map<number, { readonly at: number; readonly task: () => void }>()
  let now = start
  let set = 0
  let serial = 0

  const settle = async () => {
    for (let quiet = 0; quiet < 3; quiet = pending() === 0 ? quiet + 1 : 0) await turn()
  }

  return {
    now: () => now + set,
    elapsed: () => now - start,
    set: (ms) => void (set += ms),
    after(delayMs, task) {
      serial += 1
      const id = serial
      timers.set(id, { at: now + delayMs, task })
      return () => timers.delete(id)
    },
    timers: () => timers.size,
    async advance(ms) {
      const end = now + ms
      await settle()
      for (;;) {
        const due = [...timers]
          .filter(([, timer]) => timer.at <= end)
          .sort((a, b) => a[1].at - b[1].at || a[0] - b[0])[0]
        if (due === undefined) break
        timers.delete(due[0])
        now = Math.max(now, due[1].at)
        due[1].task()
        await settle()
      }
      now = end
    },
  }
}

/** All callbacks of settled promises have run when this resolves. */
function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}
