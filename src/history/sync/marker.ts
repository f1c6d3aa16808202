import { createHash } from "node:crypto"
import { readRecord } from "../../handoff/record.ts"
import type { Message } from "../../session/model.ts"
import type { StoredMarker } from "../contract.ts"
import type { HostFeed, ListedSession } from "./feed.ts"

// The change marker: what a session looked like when all of its messages were stored. It holds a digest and
// never a text, because a marker is kept where titles are masked.
//
//   v1.1:1796061013880:0123456789abcdef        kind.version:activity:digest
//   v1.1:1796061013880:0123456789abcdef:open   the last turn may still be going on: look again
//   v2.1:1796061013880:0123456789abcdef:3u     three messages or parts of messages cannot be read
//   v2.1:1796061013880:0123456789abcdef:3u+    at least three

/** The form of markers; another version's marker reads as "never stored". */
const VERSION = 1

/**
 * Until then after its last sign of life a session counts as open. A turn does not touch the host's "updated"
 * until it ends, and after a crash never; ten minutes outlast a model that thinks without a sign.
 */
export const OPEN_MS = 600_000

/** A turn that visibly did not end (a tool is running, a prompt has no answer) is waited for this long. */
export const UNFINISHED_MS = 3_600_000

export type Marker = {
  readonly kind: HostFeed["kind"]
  /** All messages created up to here are stored. */
  readonly activity: number
  readonly digest: string
  readonly open: boolean
  /** Messages and parts of messages that the host cannot deliver in a usable shape; at least, when it went on since. */
  readonly unreadable: number
  /** Whether the host gives no way to count them all. */
  readonly atLeast: boolean
}

export function encodeMarker(marker: Marker): string {
  const settled = `${marker.kind}.${VERSION}:${marker.activity}:${marker.digest}`
  const more = marker.atLeast ? "+" : ""
  const counted = marker.unreadable > 0 ? `${settled}:${marker.unreadable}u${more}` : settled
  return marker.open ? `${counted}:open` : counted
}

/** The marker, or undefined for one that another version or nobody wrote. */
export function decodeMarker(text: string | undefined): Marker | undefined {
  const found = /^(v1|v2)\.1:(\d{1,16}):([0-9a-f]{16})(?::(\d{1,16})u(\+)?)?(:open)?$/.exec(text ?? "")
  if (found === null) return undefined
  return {
    kind: found[1] === "v2" ? "v2" : "v1",
    activity: Number(found[2]),
    digest: found[3] ?? "",
    open: found[6] !== undefined,
    unreadable: Number(found[4] ?? 0),
    atLeast: found[5] !== undefined,
  }
}

/** What tells a renamed, moved, archived, reverted or handed off session, which the host's times may not. */
export function digestOf(listed: ListedSession): string {
  const { title, projectID, directory, parentID, archived, revertedFrom } = listed.session
  const fields = [title, projectID, directory, parentID ?? "", archived ?? 0, revertedFrom ?? ""]
  const source = readRecord(listed.session.metadata)?.source
  if (source !== undefined) fields.push(source)
  return createHash("sha256").update(JSON.stringify(fields)).digest("hex").slice(0, 16)
}

/** The marker of a session whose messages are all stored. */
export function markerOf(
  kind: HostFeed["kind"],
  listed: ListedSession,
  seen: Pick<Marker, "open" | "unreadable" | "atLeast">,
): Marker {
  return { kind, activity: Math.max(0, Math.trunc(listed.activity)), digest: digestOf(listed), ...seen }
}

/** How many messages and parts of messages the stored sessions lack because they could not be read. */
export function unreadableIn(markers: readonly StoredMarker[]): Unreadable {
  const known = markers.flatMap((row) => decodeMarker(row.marker) ?? [])
  return {
    unreadable: known.reduce((sum, marker) => sum + marker.unreadable, 0),
    atLeast: known.some((marker) => marker.atLeast),
  }
}

/** What a known session lacks; nothing when none of it is known. */
export function unreadableOf(known: Marker | undefined): Unreadable {
  return { unreadable: known?.unreadable ?? 0, atLeast: known?.atLeast ?? false }
}

export type Unreadable = Pick<Marker, "unreadable" | "atLeast">

/**
 * What has to be done so that the index holds this session: nothing, its listing data, or its messages. The
 * host that stored it does not matter.
 */
export function difference(stored: Marker | undefined, listed: ListedSession): "none" | "row" | "messages" {
  if (stored === undefined || stored.open || stored.activity !== Math.trunc(listed.activity))
    return "messages"
  return stored.digest === digestOf(listed) ? "none" : "row"
}

/** Whether a turn may be going on in a session that was fetched at `now` and ends with `newest`. */
export function isOpen(listed: ListedSession, newest: Message | undefined, now: number): boolean {
  const quietMs = now - Math.max(listed.activity, newest?.created ?? 0)
  if (quietMs < OPEN_MS) return true
  return quietMs < UNFINISHED_MS && newest !== undefined && isUnfinished(newest)
}

function isUnfinished(newest: Message): boolean {
  if (newest.role === "user") return true
  return newest.parts.some(
    (part) => part.type === "tool" && (part.status === "pending" || part.status === "running"),
  )
}
