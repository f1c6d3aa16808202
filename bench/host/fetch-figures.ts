import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as z from "zod"
import { waitUntil } from "../../test/hosts/wait.ts"
import { inWorld } from "../../test/hosts/world.ts"
import { quantile } from "../../test/v1/health.ts"
import type { Corpus } from "../corpus/corpus.ts"
import { FETCHED, type FetchFigures, type FetchStep } from "./fetch-job.ts"
import { hostWith } from "./history.ts"

// What fetching a history costs the thread of the host, by page size and step.

const times = z.array(z.number())
const told = z.object({
  error: z.string().optional(),
  figures: z
    .array(
      z.object({
        page: z.number(),
        messages: z.number(),
        steps: z.object({ answer: times, parse: times, decode: times, "hand over": times }),
      }),
    )
    .optional(),
})

const FETCH_MS = 600_000

/** Fetches the corpus inside a real host. */
export function measureFetches(corpus: Corpus): Promise<readonly FetchFigures[]> {
  return inWorld({ plugins: [] }, async (world) => {
    const host = await hostWith(world, corpus, join(import.meta.dirname, "fetch-plugin.ts"))
    await host.sessions()
    const file = join(world.data, FETCHED)
    const text = await waitUntil(
      () => (existsSync(file) ? readFileSync(file, "utf8") : undefined),
      () => `no figures; the host says: ${world.log().slice(-1_000)}`,
      FETCH_MS,
    )
    const { error, figures } = told.parse(JSON.parse(text))
    if (figures === undefined) throw new Error(error ?? "the host told nothing")
    return figures.slice(1)
  })
}

/** A table, one line a page size. */
export function fetchTable(rows: readonly FetchFigures[]): string {
  const head =
    "page   calls   answer ms/msg   parse   decode   hand over   ours   longest answer, p99   longest of ours"
  return [head, ...rows.map(line)].join("\n")
}

function line({ page, messages, steps }: FetchFigures): string {
  const each = (step: FetchStep) => sum(steps[step]) / messages
  const own = steps.parse.map((ms, at) => ms + (steps.decode[at] ?? 0) + (steps["hand over"][at] ?? 0))
  const share = sum(own) / (sum(own) + sum(steps.answer))
  return [
    String(page).padStart(4),
    String(own.length).padStart(7),
    each("answer").toFixed(3).padStart(15),
    each("parse").toFixed(3).padStart(7),
    each("decode").toFixed(3).padStart(8),
    each("hand over").toFixed(3).padStart(11),
    `${(share * 100).toFixed(0)} %`.padStart(6),
    `${quantile(steps.answer, 1).toFixed(1)}, ${quantile(steps.answer, 0.99).toFixed(1)} ms`.padStart(21),
    `${quantile(own, 1).toFixed(1)} ms`.padStart(17),
  ].join(" ")
}

function sum(times: readonly number[]): number {
  return times.reduce((one, other) => one + other, 0)
}
