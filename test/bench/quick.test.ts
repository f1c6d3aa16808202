import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, describe, test } from "node:test"
import { corpus } from "../../bench/corpus/corpus.ts"
import type { QueryFigures, SubjectFigures } from "../../bench/figures.ts"
import { measureBuild, measureSearch } from "../../bench/measure.ts"
import type { QueryClass } from "../../bench/queries.ts"
import { paired, sum } from "../../bench/stats.ts"
import { engine } from "../../bench/subjects/engine.ts"
import type { SubjectKind } from "../../bench/subjects/subject.ts"
import { trigram } from "../../bench/subjects/trigram.ts"
import { truthOf, type Truth } from "../../bench/truth.ts"

// The benchmark in small: the index beside the usual design, in one run. Only ratios decide, with room for a busy
// machine; what a figure is at full size, docs/bench.md tells.

const MESSAGES = 4_000

/** Time for each query of each subject. */
const QUERY_MS = 60

/**
 * How many times better than the usual design, at least. Common words: in so small a history most of the time goes into
 * the hits, which are read and scored; the usual design shows none.
 */
const FLOORS = { build: 1.5, size: 2.6, commonWords: 1 }

/** Bytes of the index for each byte of its text, at most. */
const SIZE_MOST = 1.5

/** The measurement takes about fifteen seconds on a quiet machine. */
const SLOW = { timeout: 120_000 }

const COMMON: readonly QueryClass[] = ["common word", "two common words", "three common words"]

const folder = mkdtempSync(join(tmpdir(), "baton-bench-test-"))
const made = corpus(MESSAGES)
let measured: Promise<Measured> | undefined

after(() => rmSync(folder, { recursive: true, force: true }))

describe("the benchmark in small", () => {
  test("every query is answered as a look at every message answers it, by both", SLOW, async () => {
    const { ours, usual } = await figures()
    const wrong = (of: SubjectFigures) =>
      of.search?.queries
        .filter((query) => query.verdict !== "right" && query.verdict !== "refused")
        .map((one) => one.id)
    assert.deepEqual(wrong(ours), [])
    assert.deepEqual(wrong(usual), [])
  })

  test("the index refuses no query", SLOW, async () => {
    const { ours, usual } = await figures()
    assert.deepEqual(refused(ours), [])
    assert.ok(refused(usual).length > 0)
  })

  test("building takes no more processor time than the floor allows", SLOW, async () => {
    const { ours, usual } = await figures()
    const ratio = (usual.build?.cpuMs ?? 0) / (ours.build?.cpuMs ?? Infinity)
    assert.ok(ratio >= FLOORS.build, `${ratio} times faster`)
  })

  test("the index is smaller than the usual one", SLOW, async () => {
    const { ours, usual, textBytes } = await figures()
    const ratio = (usual.bytes ?? 0) / (ours.bytes ?? Infinity)
    assert.ok(ratio >= FLOORS.size, `${ratio} times smaller`)
    const ofText = (ours.bytes ?? Infinity) / textBytes
    assert.ok(ofText <= SIZE_MOST, `${ofText} times its text`)
  })

  test("common words are found within the floor of collecting every hit", SLOW, async () => {
    const { ours, usual } = await figures()
    const pairs = paired(ours, usual, (query) => COMMON.includes(query.class))
    const ratio = sum(pairs.map(([, other]) => other)) / sum(pairs.map(([mine]) => mine))
    assert.ok(ratio >= FLOORS.commonWords, `${ratio} times faster`)
  })
})

type Measured = {
  readonly ours: SubjectFigures
  readonly usual: SubjectFigures
  readonly textBytes: number
}

/** Measured once, by the first test that asks. */
function figures(): Promise<Measured> {
  measured ??= measureBoth()
  return measured
}

async function measureBoth(): Promise<Measured> {
  const truth = truthOf(made)
  const { textBytes } = truth
  return { ours: await figuresOf(engine, truth), usual: await figuresOf(trigram, truth), textBytes }
}

async function figuresOf(kind: SubjectKind, truth: Truth): Promise<SubjectFigures> {
  const place = mkdtempSync(join(folder, `${kind.name}-`))
  const subject = await kind.open(place)
  const build = await measureBuild(kind, subject, made, `${place}-apart`)
  const search = await measureSearch(subject, truth.expected, { ...kind, before: 0, queryMs: QUERY_MS })
  await subject.close()
  return { build, search, bytes: kind.sizeOf(place) }
}

function refused(figures: SubjectFigures): readonly QueryFigures[] {
  return figures.search?.queries.filter((query) => query.verdict === "refused") ?? []
}
