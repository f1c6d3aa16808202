import assert from "node:assert/strict"
import { describe, test } from "node:test"
import type { HistoryFault, HistoryResult } from "../../src/history/contract.ts"
import { createGroups, type Groups, MOST_TOGETHER } from "../../src/history/group.ts"
import { createQueue } from "../../src/history/queue.ts"

type Rig = {
  readonly groups: Groups<string, string>
  /** The calls carried out together, in order. */
  readonly carriedOut: (readonly string[])[]
  /** Lets what waits begin. */
  readonly begin: () => void
}

/** Nothing begins before `begin`. `answer` is what a group gets. */
function rig(
  answer: (calls: readonly string[], signal: AbortSignal) => HistoryResult<readonly string[]> = (calls) => ({
    ok: true,
    value: calls.map((call) => `did ${call}`),
  }),
): Rig {
  const carriedOut: (readonly string[])[] = []
  const queue = createQueue()
  const { promise, resolve } = Promise.withResolvers<void>()
  void queue.add(() => promise)
  const groups = createGroups<string, string>((start, signal) =>
    queue.add(async () => {
      const calls = start()
      carriedOut.push(calls)
      return answer(calls, signal)
    }),
  )
  return { groups, carriedOut, begin: () => resolve() }
}

function failing(reason: HistoryFault["reason"]) {
  return { ok: false, fault: { reason, message: reason } } as const
}

describe("calls that wait", () => {
  test("are carried out together, each with its own answer", async () => {
    const { groups, carriedOut, begin } = rig()
    const answers = ["a", "b", "c"].map((call) => groups.add(call))
    begin()
    assert.deepEqual(
      (await Promise.all(answers)).map((answer) => (answer.ok ? answer.value : answer.fault.reason)),
      ["did a", "did b", "did c"],
    )
    assert.deepEqual(carriedOut, [["a", "b", "c"]])
  })

  test("go on in a second group when there are many", async () => {
    const { groups, carriedOut, begin } = rig()
    const names = Array.from({ length: MOST_TOGETHER + 2 }, (_, at) => `call ${at}`)
    const answers = names.map((call) => groups.add(call))
    begin()
    await Promise.all(answers)
    assert.deepEqual(carriedOut, [names.slice(0, MOST_TOGETHER), names.slice(MOST_TOGETHER)])
  })

  test("do not join what was asked for before something else", async () => {
    const { groups, carriedOut, begin } = rig()
    const before = groups.add("before")
    groups.end()
    const after = groups.add("after")
    begin()
    await Promise.all([before, after])
    assert.deepEqual(carriedOut, [["before"], ["after"]])
  })

  test("do not join a group that has begun", async () => {
    const { groups, carriedOut, begin } = rig()
    begin()
    await groups.add("first")
    await groups.add("second")
    assert.deepEqual(carriedOut, [["first"], ["second"]])
  })
})

describe("a group that fails", () => {
  test("is tried call by call, so that only the bad one fails", async () => {
    const { groups, carriedOut, begin } = rig((calls) =>
      calls.includes("bad") ? failing("failed") : { ok: true, value: calls },
    )
    const answers = ["a", "bad", "c"].map((call) => groups.add(call))
    begin()
    assert.deepEqual(
      (await Promise.all(answers)).map((answer) => answer.ok),
      [true, false, true],
    )
    assert.deepEqual(carriedOut, [["a", "bad", "c"], ["a"], ["bad"], ["c"]])
  })

  for (const reason of ["busy", "closed", "read-only", "unavailable"] as const)
    test(`because the index is ${reason} fails as a whole`, async () => {
      const { groups, carriedOut, begin } = rig(() => failing(reason))
      const answers = ["a", "b"].map((call) => groups.add(call))
      begin()
      assert.deepEqual(await Promise.all(answers), [failing(reason), failing(reason)])
      assert.equal(carriedOut.length, 1)
    })

  test("by a bug tells all of its calls", async () => {
    const { groups, begin } = rig(() => {
      throw new TypeError("a bug")
    })
    const answers = ["a", "b"].map((call) => groups.add(call))
    begin()
    for (const answer of await Promise.allSettled(answers)) assert.equal(answer.status, "rejected")
  })
})

describe("a group is aborted", () => {
  const told = (calls: readonly string[], signal: AbortSignal) =>
    ({ ok: true, value: calls.map(() => (signal.aborted ? "aborted" : "done")) }) as const

  for (const [aborted, expected] of [
    [[0, 1], "aborted"],
    [[0], "done"],
    [[], "done"],
  ] as const)
    test(`when all of its calls are: ${aborted.length} of 2`, async () => {
      const { groups, begin } = rig(told)
      const controllers = [new AbortController(), new AbortController()]
      const answers = controllers.map(({ signal }, at) => groups.add(`call ${at}`, signal))
      for (const at of aborted) controllers[at]?.abort()
      begin()
      assert.deepEqual(await Promise.all(answers), [
        { ok: true, value: expected },
        { ok: true, value: expected },
      ])
    })
})
