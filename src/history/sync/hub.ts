import type { HostFault, Log } from "../../hosts/host.ts"
import type { History } from "../contract.ts"
import type { CaughtUp } from "./catch-up.ts"
import { systemClock, type Clock } from "./clock.ts"
import type { Excluded } from "./exclude.ts"
import type { FeedEvent, HostFeed } from "./feed.ts"
import { createSync, type HistorySync } from "./sync.ts"

// One index writer a process, however often the plugin is started in it: for several directories, twice for one,
// from two copies of the package. The first member opens the index, the last one closes it.

/**
 * The wait before the first listing when nothing else wakes the sync. The host may still be starting, and its
 * answers come only when it is up; a one-shot command is over by then.
 */
export const START_DELAY_MS = 2_000

export type SyncMember = {
  readonly history: History
  /** A hook or tool was called, so the host is up: the sync begins, if it has not. Returns at once. */
  touch(): void
  /** See HistorySync.catchUp. */
  catchUp(signal?: AbortSignal): Promise<CaughtUp>
  /** See HistorySync.reconcile. */
  reconcile(): void
  /** Leaves; the last one ends the sync and closes the index. Idempotent. */
  leave(): Promise<void>
}

export type MemberSetup = {
  /** What members must have in common to share a writer: the index folder. */
  readonly key: string
  /** Opens the index; called for the first member only, and must read nothing yet. */
  readonly open: () => History
  readonly feed: HostFeed
  readonly excluded: Excluded
  /** Why it is not known what is excluded, one clause: then nothing is fetched, and nothing stored is removed. */
  readonly held?: string
  readonly log: Log
  readonly clock?: Clock
}

type Hub = {
  readonly history: History
  readonly sync: HistorySync
  /** In order of arrival; calls go to the newest. */
  readonly members: Set<MemberSetup>
  readonly listeners: Set<(event: FeedEvent) => void>
  cancelStart: () => void
}

/** Joins the process-wide sync. Loads, reads and asks nothing. */
export function joinSync(setup: MemberSetup): SyncMember {
  const hubs = processHubs()
  // Members of one hub stand in for each other, so they are of one kind.
  const key = `${setup.feed.kind}\n${setup.key}`
  const found = hubs.get(key)
  const hub = found ?? openHub(setup)
  if (found === undefined) hubs.set(key, hub)
  hub.members.add(setup)
  const unsubscribe = setup.feed.subscribe((event) => {
    hub.sync.start()
    for (const listener of hub.listeners) listener(event)
  })
  // Nobody followed this member's sessions before it joined.
  if (found !== undefined) hub.sync.reconcile()

  return {
    history: hub.history,
    touch: () => hub.sync.start(),
    catchUp: (signal) => hub.sync.catchUp(signal),
    reconcile: () => hub.sync.reconcile(),
    async leave() {
      if (!hub.members.delete(setup)) return
      unsubscribe()
      if (hub.members.size > 0) return hub.sync.reconcile()
      hubs.delete(key)
      hub.cancelStart()
      hub.sync.dispose()
      await hub.history.close()
    },
  }
}

function openHub(setup: MemberSetup): Hub {
  const members = new Set<MemberSetup>()
  const listeners = new Set<(event: FeedEvent) => void>()
  const history = setup.open()
  const clock = setup.clock ?? systemClock
  const sync = createSync({
    feed: sharedFeed(setup.feed, members, listeners),
    history,
    clock,
    log: (level, message, extra) => newest(members)?.log(level, message, extra),
    // What one member excludes is excluded for all: the file is one.
    excluded: (session) => [...members].some((member) => member.excluded(session)),
  })
  return { history, sync, members, listeners, cancelStart: clock.after(START_DELAY_MS, () => sync.start()) }
}

/**
 * The feed of whichever member is there. A member that left is never asked: a call in its name would start its
 * instance again.
 */
function sharedFeed(
  first: HostFeed,
  members: ReadonlySet<MemberSetup>,
  listeners: Set<(event: FeedEvent) => void>,
): HostFeed {
  // The file is one: where one member does not know what to keep out, none brings it in.
  const held = (): string | undefined =>
    [...members].map((member) => member.held).find((why) => why !== undefined)
  const feed = (): HostFeed | undefined => {
    const why = held()
    return why === undefined ? newest(members)?.feed : heldFeed(first, why)
  }
  const message = first.message === undefined ? undefined : oneMessage
  return {
    kind: first.kind,
    listSessions: async (cursor, signal) => (await feed()?.listSessions(cursor, signal)) ?? nobody,
    session: async (id, signal) => (await feed()?.session(id, signal)) ?? nobody,
    messages: async (id, page, signal) => (await feed()?.messages(id, page, signal)) ?? nobody,
    ...(message === undefined ? {} : { message }),
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }

  async function oneMessage(...call: Parameters<NonNullable<HostFeed["message"]>>) {
    return (await feed()?.message?.(...call)) ?? nobody
  }
}

/** A feed that asks the host nothing and says why. */
function heldFeed({ kind }: HostFeed, why: string): HostFeed {
  const answer = () => Promise.resolve({ ok: false, fault: { reason: "failed", message: why } } as const)
  return {
    kind,
    listSessions: answer,
    session: answer,
    messages: answer,
    message: answer,
    subscribe: () => () => {},
  }
}

const nobody: { readonly ok: false; readonly fault: HostFault } = {
  ok: false,
  fault: { reason: "failed", message: "no plugin instance is left" },
}

function newest(members: ReadonlySet<MemberSetup>): MemberSetup | undefined {
  return [...members].at(-1)
}

declare global {
  /** Shared with other copies of this module in the process; the number is the form of `Hub`. */
  var opencodeBatonHistorySync1: Map<string, Hub> | undefined
}

function processHubs(): Map<string, Hub> {
  globalThis.opencodeBatonHistorySync1 ??= new Map()
  return globalThis.opencodeBatonHistorySync1
}
