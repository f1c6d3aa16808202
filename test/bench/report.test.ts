import assert from "node:assert/strict"
import { describe, test } from "node:test"
import { drawChart } from "../../bench/chart.ts"
import { checksOf, verdictOf, wrongAnswers, type Check } from "../../bench/checks.ts"
import type { QueryFigures, RunFigures, SubjectFigures } from "../../bench/figures.ts"
import { verdictOf as verdictOfAnswer } from "../../bench/measure.ts"
import { readOptions } from "../../bench/options.ts"
import { report } from "../../bench/report.ts"
import { median, quantile } from "../../bench/stats.ts"

describe("numbers", () => {
  const rows: readonly (readonly [readonly number[], number, number])[] = [
    [[], 0.5, Number.NaN],
    [[7], 0.95, 7],
    [[3, 1, 2], 0.5, 2],
    [[1, 2, 3, 4], 1, 4],
  ]
  for (const [values, share, expected] of rows)
    test(`the quantile ${share} of [${values.join(", ")}]`, () =>
      assert.equal(quantile(values, share), expected))

  test("sorting leaves the samples as they are", () => {
    const values = [3, 1, 2]
    median(values)
    assert.deepEqual(values, [3, 1, 2])
  })
})

describe("a check", () => {
  const rows: readonly (readonly [number, Check["better"], string])[] = [
    [45, "more", "aim"],
    [44, "more", "floor"],
    [19, "more", "fails"],
    [Number.NaN, "more", "not measured"],
    [20, "less", "aim"],
    [45, "less", "floor"],
    [46, "less", "fails"],
  ]
  for (const [value, better, expected] of rows) {
    const limits = better === "more" ? { floor: 20, aim: 45 } : { floor: 45, aim: 20 }
    test(`${value}, ${better} is better: ${expected}`, () =>
      assert.equal(verdictOf({ what: "", unit: "×", value, better, ...limits }), expected))
  }
})

describe("an answer", () => {
  const truth = { id: "q", ids: ["a", "b", "c"], total: 3 }
  const rows: readonly (readonly [readonly string[], boolean, QueryFigures["verdict"]])[] = [
    [["a", "b", "c"], true, "right"],
    [["a", "c", "b"], true, "wrong"],
    [["a", "b"], true, "wrong"],
    [["a", "b"], false, "incomplete"],
    [["b"], false, "wrong"],
    [["a", "b", "c", "d"], true, "wrong"],
  ]
  for (const [ids, complete, expected] of rows)
    test(`${ids.join(" ")}${complete ? "" : ", ended early"}: ${expected}`, () =>
      assert.equal(verdictOfAnswer({ ids, complete }, truth), expected))
})

describe("the report", () => {
  const run = aRun({ engine: subject(2, "right"), fts5: subject(90, "wrong") })

  test("compares best runs within one run", () => {
    const [search] = checksOf(run)
    assert.equal(search?.value, 45)
    assert.match(report(run), /against FTS5 +\| 45\.0 × +\| ≥ 20 +\| ≥ 45 +\| aim/)
  })

  test("names wrong answers", () => {
    assert.deepEqual(wrongAnswers(run, "wrong"), ["fts5: common word: a"])
    assert.match(report(run), /WRONG ANSWER: fts5: common word: a/)
  })

  test("the command's slowest search counts, by its best run, and is compared with ripgrep", () => {
    const row = (by: string, what: string, ms: number) => ({ by, what, samples: [ms + 50, ms] })
    const searches = (by: string, rare: number) => [
      row(by, "rare word", rare),
      row(by, "common word", 120),
      row(by, "no hit", rare + 20),
    ]
    const corpus = { ...aRun({}).corpus, messages: 200_000 }
    const timed = { ...aRun({}), corpus, baton: [...searches("Node", 80), ...searches("ripgrep", 400)] }
    const values = new Map(checksOf(timed).map((check) => [check.what, check.value]))
    assert.equal(values.get("`baton search` to its first byte, Node"), 120)
    assert.equal(values.get("`baton search` to its first byte, Bun"), Number.NaN)
    assert.equal(values.get("`baton search` of a word that nobody said, Node, against ripgrep"), 4.2)
    assert.match(report(timed), /rare word +\| 130 \/ 130 \/ 130 +\| 450/)
  })

  test("says what was not measured", () => assert.match(report(aRun({})), /not measured/))

  test("draws a bar a subject and none for what was refused", () => {
    const bars = (svg: string) => svg.match(/height="5"/g)?.length ?? 0
    assert.equal(bars(drawChart(run)), 2)
    assert.equal(
      bars(drawChart(aRun({ engine: subject(2, "right"), fts5: subject(undefined, "refused") }))),
      1,
    )
  })
})

describe("the command line", () => {
  const sizes: readonly (readonly [string, number])[] = [
    ["20k", 20_000],
    ["1m", 1_000_000],
    ["1500", 1_500],
  ]
  for (const [size, messages] of sizes)
    test(`--size ${size}`, () => {
      const options = readOptions(["--size", size])
      assert.ok(typeof options !== "string")
      assert.equal(options.messages, messages)
    })

  test("an unknown part is named", () => {
    assert.match(JSON.stringify(readOptions(["--only", "engine,pear"])), /pear/)
    assert.match(JSON.stringify(readOptions(["--size", "big"])), /big/)
    assert.match(JSON.stringify(readOptions(["--pear"])), /--pear/)
  })

  test("what needs the index builds it; a million messages leave the slowest baselines out", () => {
    const options = readOptions(["--only", "reads"])
    assert.ok(typeof options !== "string" && options.parts.has("engine"))
    const large = readOptions(["--size", "1m"])
    assert.ok(typeof large !== "string" && !large.parts.has("fts5") && large.notes.length === 1)
  })
})

function subject(ms: number | undefined, verdict: QueryFigures["verdict"]): SubjectFigures {
  const samples = ms === undefined ? [] : [ms + 10, ms]
  const query = { id: "common word: a", class: "common word", samples, verdict } as const
  return { search: { queries: [query], longestBlockMs: 1, peakBytes: 1 } }
}

function aRun(subjects: Record<string, SubjectFigures>): RunFigures {
  return {
    machine: { processor: "p", cores: 2, memoryBytes: 1, system: "s", bun: "1", load: [0, 0] },
    command: "npm run bench",
    date: "2026-11-30T00:00:00.000Z",
    seed: 1,
    corpus: { sessions: 1, messages: 1, textBytes: 1, saidBytes: 1 },
    subjects,
    notes: [],
  }
}
