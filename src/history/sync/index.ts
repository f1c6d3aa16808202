// The sync's one door: a host joins with its feed and is told nothing of backfill, events and retries.

export type { CaughtUp } from "./catch-up.ts"
export { excluder, type Excluded } from "./exclude.ts"
export type { FeedEvent, HostFeed, ListedSession, SessionListing } from "./feed.ts"
export { joinSync, type MemberSetup, type SyncMember } from "./hub.ts"
