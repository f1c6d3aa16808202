// Messages on both sides of a place in a session, from the host. Memory holds what is returned, never the session.

import type { SessionReader } from "../hosts/host.ts"
import type { Message, Role } from "../session/model.ts"
import { shownValue } from "../text/printable.ts"
import { isBefore, type Position } from "./cursor.ts"
import { cursorBehind, positionOf, revertOf, type Outline, type Revert } from "./outline.ts"
import { SCAN_PAGE, walkBack, type Read } from "./walk.ts"

/** A session to read from, for one call. */
export type Reading = Outline & { readonly reader: SessionReader; readonly role?: Role }

/** The place, and how many messages are wanted on each side. Those of another role or reverted do not count. */
export type Place = {
  /** A message, or one of the ends. */
  readonly anchor: { readonly messageID: string } | "start" | "end"
  /** Where the anchor itself belongs: to neither side, or to one of them as its nearest. */
  readonly anchorAs: "itself" | "older" | "newer"
  readonly older: number
  readonly newer: number
}

/** Nearest first on both sides. */
export type Around<Item> = {
  readonly anchor?: Item
  readonly older: readonly Item[]
  readonly newer: readonly Item[]
  /** Reverted messages of the session, left out. */
  readonly reverted: number
}

/**
 * The messages around a place. The work is bounded by the page where the host's cursors can be made and the
 * index knows the place; otherwise the session is streamed from its end. A place that is not in the session is
 * the fault `no-message`.
 */
export async function readAround(reading: Reading, place: Place): Promise<Read<Around<Message>>> {
  const revert = await revertOf(reading)
  const start = await startOf(reading, place, revert)
  const scanned = await scan(reading, place, revert, start)
  if (!scanned.ok) return scanned
  if (scanned.value.problem === "no-message") return noMessage(reading, place)
  if (scanned.value.problem === "too-few")
    return finish(reading, place, await scan(reading, place, revert, {}))
  if (scanned.value.problem === "no-revert" && revert.kind === "unknown")
    return finish(reading, place, await scan(reading, place, { kind: "ids", from: revert.messageID }, {}))
  return { ok: true, value: scanned.value.around }
}

function finish(reading: Reading, place: Place, scanned: Read<Scanned>): Read<Around<Message>> {
  if (!scanned.ok) return scanned
  return scanned.value.problem === "no-message"
    ? noMessage(reading, place)
    : { ok: true, value: scanned.value.around }
}

type Start = { readonly from?: string; readonly anchorAt?: Position }

async function startOf(reading: Reading, place: Place, revert: Revert): Promise<Start> {
  if (revert.kind === "unknown" || reading.olderThan === undefined) return {}
  if (place.anchor === "end") return revert.kind === "at" ? { from: reading.olderThan(revert.position) } : {}
  const anchor = place.anchor === "start" ? undefined : place.anchor.messageID
  const anchorAt = anchor === undefined ? undefined : await positionOf(reading, anchor)
  if (anchor !== undefined && anchorAt === undefined) return {}
  const from = await cursorBehind(reading, {
    ...(anchor === undefined ? {} : { anchor }),
    ...(reading.role === undefined ? {} : { role: reading.role }),
    count: place.newer,
  })
  return { ...(from === undefined ? {} : { from }), ...(anchorAt === undefined ? {} : { anchorAt }) }
}

type Scanned = {
  readonly around: Around<Message>
  readonly problem?: "no-message" | "too-few" | "no-revert"
}

async function scan(reading: Reading, place: Place, revert: Revert, start: Start): Promise<Read<Scanned>> {
  const anchorID = typeof place.anchor === "string" ? undefined : place.anchor.messageID
  const older: Message[] = []
  const newer: Message[] = []
  let anchor: Message | undefined
  let passed = place.anchor === "end"
  let overtaken = false
  let hidden = 0
  let inRevert = revert.kind === "unknown"

  const walk = {
    reader: reading.reader,
    sessionID: reading.session.id,
    signal: reading.signal,
    pageSize: pageSizeFor(reading, place, start),
    ...(start.from === undefined ? {} : { from: start.from }),
  }
  const walked = await walkBack(walk, (message) => {
    const reverted = inRevert || isReverted(message, revert)
    if (revert.kind === "unknown" && message.id === revert.messageID) inRevert = false
    if (reverted) hidden++
    const counts = !reverted && (reading.role === undefined || message.role === reading.role)
    if (!passed && message.id === anchorID) {
      passed = true
      if (counts && place.anchorAs === "itself") anchor = message
      if (counts && place.anchorAs === "newer") keepNewer(message)
      if (counts && place.anchorAs === "older") older.push(message)
      return wantsMore()
    }
    if (!passed) {
      overtaken = start.anchorAt !== undefined && isBefore(message, start.anchorAt)
      if (counts) keepNewer(message)
      return !overtaken
    }
    if (counts && older.length < place.older) older.push(message)
    return wantsMore()
  })
  if (!walked.ok) return walked

  // Whether the message it was reverted to exists must be known before anything is called reverted.
  if (inRevert && walked.value) return { ok: true, value: { around: around(), problem: "no-revert" } }
  if (anchorID !== undefined && !passed)
    return { ok: true, value: { around: around(), problem: "no-message" } }
  const enough = start.from === undefined || newer.length >= place.newer || hidden > 0
  return { ok: true, value: { around: around(), ...(enough ? {} : { problem: "too-few" }) } }

  function keepNewer(message: Message): void {
    newer.push(message)
    if (newer.length > place.newer) newer.shift()
  }

  function wantsMore(): boolean {
    return older.length < place.older || inRevert
  }

  function around(): Around<Message> {
    // A walk from the newest message has seen them all.
    const reverted = revert.kind === "at" && start.from !== undefined ? revert.count : hidden
    return { ...(anchor === undefined ? {} : { anchor }), older, newer: newer.toReversed(), reverted }
  }
}

function isReverted(message: Message, revert: Revert): boolean {
  if (revert.kind === "at") return !isBefore(message, revert.position)
  return revert.kind === "ids" && message.id >= revert.from
}

/** With a known start and no role the page holds what is wanted; otherwise how far it is, is not known. */
function pageSizeFor(reading: Reading, place: Place, start: Start): number {
  const known = start.from !== undefined || place.anchor === "end"
  if (!known || reading.role !== undefined) return SCAN_PAGE
  return Math.max(1, Math.min(SCAN_PAGE, place.newer + place.older + 1))
}

function noMessage(reading: Reading, place: Place): Read<never> {
  const id = typeof place.anchor === "string" ? place.anchor : place.anchor.messageID
  return {
    ok: false,
    fault: {
      reason: "no-message",
      message: `session ${reading.session.id} has no message ${shownValue(id)}`,
    },
  }
}
