import assert from "node:assert/strict"
import { test } from "node:test"
import { tellIfSlow } from "../../src/cli/interactive/slow.ts"

test("work that takes longer is told of once, and its outcome comes through", async () => {
  let told = 0
  let finish: (value: string) => void = () => undefined
  const work = new Promise<string>((resolve) => (finish = resolve))
  const outcome = tellIfSlow(work, 1, () => {
    told++
    finish("found")
  })
  assert.equal(await outcome, "found")
  assert.equal(told, 1)
})

test("work that is done or failed in time is not told of, then or later", async () => {
  let told = 0
  const tell = (): number => told++
  assert.equal(await tellIfSlow(Promise.resolve(7), 20, tell), 7)
  await assert.rejects(tellIfSlow(Promise.reject(new Error("aborted")), 20, tell), /aborted/)
  await new Promise((resolve) => setTimeout(resolve, 60))
  assert.equal(told, 0)
})
