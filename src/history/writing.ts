// What changes the index, in one place to be loaded with the first change: a process that only reads, such as a search
// at a terminal, starts without it.

export { applyChanges } from "./store/apply.ts"
export { forget, giveBack } from "./store/forget.ts"
export { clearRuns, mergeSome, tidyRuns, tidyTail } from "./runs/merge.ts"
export { resumeRemovals } from "./store/remove.ts"
export { tailUnits } from "./runs/seal.ts"

/** All of it, loaded. */
export type Writing = typeof import("./writing.ts")
