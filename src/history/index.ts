// The local history index: the one door to it. Everything behind this file can be replaced without touching
// a tool, a host or a sync; they see only contract.ts.
//
//   const history = openHistory({ dataDir, maskSecrets: true })
//   await history.applyChanges({ fetchedAt, sessions: [{ session, marker, messages, complete: true }] })
//   await history.search({ words: ["login"], excluded: [], scope: { kind: "all" }, include: [], limit: 50, sort: "newest", hits: true })
//
// Opening reads nothing and returns at once; the worker starts with the first call.

export type * from "./contract.ts"
