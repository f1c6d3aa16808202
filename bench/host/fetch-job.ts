// What the plugin in the host and the benchmark outside agree on. It imports nothing: the host loads it.

/** Where the plugin in the host leaves its figures. */
export const FETCHED = "bench-fetch.json"

/** Messages of one call. The first round only warms up. */
export const PAGE_SIZES = [100, 25, 50, 100, 200]

export type FetchStep = "answer" | "parse" | "decode" | "hand over"

/** Milliseconds of the host's thread, one number a page. */
export type FetchFigures = {
  readonly page: number
  readonly messages: number
  readonly steps: Readonly<Record<FetchStep, readonly number[]>>
}
