import type { History, Progress as SyncProgress } from "../../history/contract.ts"
import { excluder, type HostFeed } from "../../history/sync/index.ts"
import { decodeMarker } from "../../history/sync/marker.ts"
import { systemClock, pause } from "../../history/sync/clock.ts"
import { createSync } from "../../history/sync/sync.ts"
import { counted } from "../../tools/search/notes.ts"
import { type Context, tellProblems } from "../context.ts"
import { connectTo, registeredHost, type Host } from "../host/connect.ts"
import { startServer } from "../host/server.ts"
import { DONE, INTERRUPTED, type Outcome, trouble } from "../outcome.ts"
import { makeProgress, type Progress } from "../progress.ts"

// `baton index`: the plugin's own sync, driven to its end by hand. What is stored stays when it is stopped, so the
// next run goes on from there.

/** A host that fails this often in a row is not waited for. */
export const TRIES_MAX = 3

/** Between two tries. */
const TRY_EVERY_MS = 500

/** Reasons named of sessions that fail; they are mostly the same one. */
const REASONS_SHOWN = 5

/** Sessions removed by one write of a rebuild. */
const REMOVED_AT_ONCE = 100

export type IndexOptions = {
  readonly rebuild?: boolean | undefined
  readonly url?: string | undefined
  readonly password?: string | undefined
  readonly opencode?: string | undefined
}

export async function index(context: Context, options: IndexOptions): Promise<Outcome> {
  const { rebuild, url, password } = options
  const opencode = options.opencode || undefined
  if (context.excludeUnknown !== undefined)
    return trouble(`${context.excludeUnknown} Nothing was indexed: it is not known what is excluded`)
  tellProblems(context)
  const opened = await context.history().status()
  if (!opened.ok) return trouble(opened.fault.message)
  if (opened.value.mode === "read-only")
    return trouble(`${opened.value.file} cannot be written to; make it and its folder writable`)

  const progress = makeProgress(process.stderr, context.now)
  if (url !== undefined) {
    const connected = await connectTo(url, password, context.dataDir, context.signal)
    if (!connected.ok) return trouble(connected.error)
    return bringUpToDate(context, connected.host, rebuild === true, progress)
  }
  // A program that was named is the one that is meant.
  const running =
    opencode === undefined ? await registeredHost(context.env, context.dataDir, context.signal) : undefined
  if (running !== undefined) {
    progress.say(`Reading ${running.name} …`)
    return bringUpToDate(context, running, rebuild === true, progress)
  }
  progress.say("Starting OpenCode …")
  const started = await startServer(opencode ?? "opencode", context.env, context.signal)
  progress.clear()
  if (context.signal.aborted) return INTERRUPTED
  if (!started.ok) return trouble(started.error)
  const { server } = started
  try {
    const connected = await connectTo(server.url, server.password, context.dataDir, context.signal)
    if (!connected.ok) return trouble(connected.error)
    return await bringUpToDate(context, connected.host, rebuild === true, progress)
  } finally {
    await server.stop()
  }
}

async function bringUpToDate(
  context: Context,
  host: Host,
  rebuild: boolean,
  progress: Progress,
): Promise<Outcome> {
  if (rebuild) {
    const emptied = await removeAll(context, host.feed.kind)
    if (emptied !== undefined) return emptied
  }
  const before = await context.history().status()
  const warnings: string[] = []
  const sync = createSync({
    feed: host.feed,
    history: told(host.through(context.history()), progress),
    excluded: excluder(context.options.exclude, context.env["HOME"]),
    log: (_level, message) => void warnings.push(message),
  })
  try {
    const ended = await toTheEnd(context, sync)
    progress.clear()
    if (context.signal.aborted) {
      context.output.complain("Stopped; what is stored stays, and `baton index` goes on with the rest.")
      return INTERRUPTED
    }
    if (ended.why !== undefined)
      return trouble(`${ended.why}; what is stored stays, run \`baton index\` again`)
    const after = await context.history().status()
    if (!before.ok || !after.ok) return trouble("the index could not be asked; run `baton status`")
    const more = after.value.messages - before.value.messages
    await context.output.lines([
      `The index is up to date: ${counted(after.value.complete, "session")}, ${counted(after.value.messages, "message")}${more > 0 ? ` (${more} new)` : ""}.`,
      ...(host.feed.kind === "v2" ? [`Read from ${host.name}.`] : []),
    ])
    if (ended.failed === 0) return DONE
    for (const warning of warnings.slice(0, REASONS_SHOWN)) context.output.complain(warning)
    return trouble(
      `${counted(ended.failed, "session")} could not be fetched; they are tried again by the next \`baton index\``,
    )
  } finally {
    progress.clear()
    sync.dispose()
    host.close()
  }
}

type Ended = { readonly failed: number; readonly why?: string }

/** Catches up again and again until nothing is left, or nothing moves. */
async function toTheEnd(context: Context, sync: ReturnType<typeof createSync>): Promise<Ended> {
  let stuck = 0
  let last: number | undefined
  for (;;) {
    const state = await sync.catchUp(context.signal)
    if (state.complete || context.signal.aborted) return { failed: 0 }
    const open = state.total === undefined ? undefined : state.pending
    stuck = open !== undefined && open > 0 && open !== last ? 0 : stuck + 1
    last = open
    if (stuck < TRIES_MAX || (open !== undefined && open > 0 && stuck < TRIES_MAX * SLOW_SESSION)) {
      if (open === undefined || open === 0) await pause(systemClock, TRY_EVERY_MS, context.signal)
      continue
    }
    if (open === 0) return { failed: state.failed }
    return { failed: state.failed, why: state.why ?? "the host does not answer" }
  }
}

/** One very long session may take many rounds of catching up (2 s each) without a change of the count. */
const SLOW_SESSION = 100

/** The index, with the sync's reports shown on the bar. */
function told(history: History, bar: Progress): History {
  return {
    ...history,
    progress(progress: SyncProgress) {
      const { total, pending, failed } = progress
      if (total === undefined) bar.say(`Listing sessions … ${pending}`)
      else bar.update(total - pending - failed, total, failed)
      history.progress(progress)
    },
  }
}

/**
 * Everything of this host goes but the rules of what is forgotten; the fetch that follows is newer than the removal.
 * What another generation of OpenCode stored cannot be had from this one.
 */
async function removeAll(context: Context, kind: HostFeed["kind"]): Promise<Outcome | undefined> {
  const history = context.history()
  const markers = await history.markers(context.signal)
  if (!markers.ok) return trouble(markers.fault.message)
  const ids = markers.value
    .filter((stored) => (decodeMarker(stored.marker)?.kind ?? kind) === kind)
    .map((stored) => stored.sessionID)
  for (let at = 0; at < ids.length; at += REMOVED_AT_ONCE) {
    const removedSessions = ids.slice(at, at + REMOVED_AT_ONCE)
    const begun = await history.beginFetch(context.signal)
    const applied = begun.ok
      ? await history.applyChanges({ fetchedAt: begun.value, removedSessions }, context.signal)
      : begun
    if (context.signal.aborted) return INTERRUPTED
    if (!applied.ok) return trouble(applied.fault.message)
  }
  await pause(systemClock, 2, context.signal)
  return undefined
}
