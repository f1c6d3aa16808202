import type { HostResult, MessagePage } from "../../hosts/host.ts"
import type { Message, Session } from "../../session/model.ts"

// What a sync needs of a host: a listing, one session, its messages, and its events in one common form. Calls
// never throw for what a host answers or fails to answer, and every one of them ends (each host bounds them).

/** A session as the host lists it. */
export type ListedSession = {
  readonly session: Session
  /** The later of the host's "updated" and, where it has one, "idle", in milliseconds since the epoch. */
  readonly activity: number
}

/** One page of the listing, newest first. A session may be on two pages; it counts once. */
export type SessionListing = {
  readonly sessions: readonly ListedSession[]
  /** Where the next page starts; absent on the last one. */
  readonly next?: string
  /** Rows without a usable shape. */
  readonly unreadable: number
  /** The host can list only some sessions: what is not listed may still exist. */
  readonly partial: boolean
}

/** Something happened to a session. Text is never taken from an event: what changed is fetched. */
export type FeedEvent = {
  readonly sessionID: string
  /** The host's id of the event; the same event may arrive by several plugin instances. */
  readonly eventID?: string
} & (
  | { readonly kind: "session"; readonly session?: Session }
  | { readonly kind: "session-removed" }
  | { readonly kind: "message"; readonly messageID: string }
  | { readonly kind: "message-removed"; readonly messageID: string }
)

export type HostFeed = {
  /** Part of every change marker: only the host that stored a session may find it deleted. */
  readonly kind: "v1" | "v2"
  listSessions(cursor: string | undefined, signal?: AbortSignal): Promise<HostResult<SessionListing>>
  session(id: string, signal?: AbortSignal): Promise<HostResult<ListedSession>>
  /** One message; undefined when it has no usable shape. Absent where the host cannot: pages are read then. */
  message?(
    sessionID: string,
    messageID: string,
    signal?: AbortSignal,
  ): Promise<HostResult<Message | undefined>>
  /** The newest `limit` messages, or those before `older`; oldest first within the page. */
  messages(
    sessionID: string,
    page: { readonly limit: number; readonly older?: string },
    signal?: AbortSignal,
  ): Promise<HostResult<MessagePage>>
  /** Hands every event to `listener` until the returned function is called. */
  subscribe(listener: (event: FeedEvent) => void): () => void
}
