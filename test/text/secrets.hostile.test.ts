import assert from "node:assert/strict"
import { test } from "node:test"
import { maskSecrets } from "../../src/text/secrets.ts"
import { cpuMs } from "../growth.ts"

/** A quadratic or exponential search would take hours; the bound only has to tell it from a linear one. */
const LINEAR_MS = 10_000
const UNITS = 8_000_000

const FALSE_STARTS = [
  "sk- ",
  "glpat-a.",
  "ATATT3=",
  "glc_eyJ+",
  "eyJaaaaaaaaa.",
  "://a:",
  "-----BEGIN PRIVATE KEY-----",
  "Authorization: Bearer ",
  "api-key=",
  " MAAAAAAAAAAAAAAAAAAAAAAAA.AAAAAA.",
  "0:AA",
  "eyJaeyJa",
  "_eyJaaaaaaa",
]

for (const start of FALSE_STARTS)
  test(`8 MB of ${JSON.stringify(start)} takes linear time`, async () => {
    const text = start.repeat(UNITS / start.length)
    const tookMs = await cpuMs(() => assert.equal(maskSecrets(text).masked, 0))
    assert.ok(tookMs < LINEAR_MS, `${tookMs} ms of CPU time`)
  })

test("a secret at the end of 8 MB is found", () => {
  const token = `ghp_${"aB3dE7fG1h".repeat(4)}`
  const text = `${"the quick brown fox ".repeat(UNITS / 20)}${token}`
  const masked = maskSecrets(text)
  assert.equal(masked.masked, 1)
  assert.ok(masked.text.endsWith("[secret: github token]"))
})

test("one huge token-like word neither throws nor hides a secret after it", () => {
  for (const word of ["eyJ", "sk-proj-", "Authorization: Bearer ", "-----BEGIN PRIVATE KEY-----\n"]) {
    const text = `${word}${"aB3dE7fG".repeat(500_000)} AKIA${"Z2Y3X4W5".repeat(2)}`
    assert.match(maskSecrets(text).text, /\[secret: aws access key\]$/, word)
  }
})
