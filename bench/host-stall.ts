import { healthTimes, quantile } from "../test/v1/health.ts"
import { agentOf } from "../test/v1/history-agent.ts"
import { indexed, longHistory } from "../test/v1/long-history.ts"
import { BUILT_PLUGIN } from "../test/hosts/host-config.ts"
import { corpus } from "./corpus/corpus.ts"
import { fetchTable, measureFetches } from "./host/fetch-figures.ts"
import { waitUntil } from "../test/hosts/wait.ts"
import { inWorld } from "../test/hosts/world.ts"

// What a first backfill costs the real host's thread, step by step; then how long it takes to answer /global/health while
// the index is filled and while it is asked the broadest questions, beside its idle figure and a turn of the model that
// asks the index next to nothing.

const SESSIONS = 200
const MESSAGES = 100
/** Of about 2.8 kB each, as in the benchmark. */
const FETCHED_MESSAGES = 4_000
const IDLE_MS = 5_000
const TURNS = 25
const BACKFILL_MS = 300_000

/** Above the idle p99. */
const STALL_MS = 50

const broad = ["of", "seed", "e", "1 2", "of project:all"]

const fetched = corpus(FETCHED_MESSAGES, 1)
console.log(
  `fetching ${FETCHED_MESSAGES} messages in ${fetched.lengths.length} sessions; milliseconds of the host's thread`,
)
console.log(`${fetchTable(await measureFetches(fetched))}\n`)

await inWorld({ plugins: [], config: { permission: "allow" } }, async (world) => {
  const host = await longHistory(world, { sessions: SESSIONS, messages: MESSAGES }, BUILT_PLUGIN)
  const rows: [what: string, times: readonly number[]][] = []
  const during = async (what: string, work: () => Promise<unknown>) => {
    let over = false
    const times = healthTimes(host, () => over)
    await work().finally(() => {
      over = true
    })
    rows.push([what, await times])
  }

  await host.sessions()
  const began = performance.now()
  await during("backfill", () =>
    waitUntil(
      async () => ((await indexed(world)).length >= SESSIONS ? true : undefined),
      () => "the backfill does not end",
      BACKFILL_MS,
    ),
  )
  const backfillMs = performance.now() - began
  await during("idle", () => new Promise((resolve) => setTimeout(resolve, IDLE_MS)))
  const agent = await agentOf(world, host)
  // The host's first turn loads its provider.
  await agent.ask("history-search-sessions")
  const turns = async (query: (turn: number) => string) => {
    for (let turn = 0; turn < TURNS; turn += 1)
      await agent.ask("history-search-messages", { query: query(turn) })
  }
  await during("turns, narrow queries", () => turns((turn) => `seed${turn}x`))
  await during("turns, broadest queries", () => turns((turn) => broad[turn % broad.length] ?? ""))

  console.log(`${SESSIONS * MESSAGES} messages in ${SESSIONS} sessions, backfill ${seconds(backfillMs)}`)
  console.log("while                      answers   p50 ms   p99 ms   max ms")
  for (const [what, times] of rows) {
    const figures = [0.5, 0.99, 1].map((part) => quantile(times, part).toFixed(1).padStart(8))
    console.log(`${what.padEnd(26)} ${String(times.length).padStart(7)} ${figures.join(" ")}`)
  }
  const p99 = (what: string) => quantile(rows.find(([name]) => name === what)?.[1] ?? [], 0.99)
  const stalls =
    p99("backfill") > p99("idle") + STALL_MS ||
    p99("turns, broadest queries") > p99("turns, narrow queries") + STALL_MS
  console.log(stalls ? `a floor is broken: more than ${STALL_MS} ms above` : "within the floor")
  process.exitCode = stalls ? 1 : 0
})

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`
}
