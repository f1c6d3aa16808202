// The sync's one door: a host joins with its feed and is told nothing of backfill, events and retries.

export { eventFilter } from "./changes.ts"
export { excluder } from "./exclude.ts"
export type { FeedEvent, HostFeed, ListedSession, SessionListing } from "./feed.ts"
export { unreadableIn } from "./marker.ts"
export { joinSync, type SyncMember } from "./hub.ts"
