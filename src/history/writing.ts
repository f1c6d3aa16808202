// What changes the index, in one place to be loaded with the first change: a process that only reads, such as a search
// at a terminal, starts without it.

export { applyChanges } from "./apply.ts"
export { forget, giveBack } from "./forget.ts"
export { clearRuns, tidyRuns } from "./merge.ts"
export { resumeRemovals } from "./remove.ts"
export { tailUnits } from "./seal.ts"

/** All of it, loaded. */
export type Writing = typeof import("./writing.ts")
