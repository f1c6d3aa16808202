import assert from "node:assert/strict"
import { test } from "node:test"
import { checkSync } from "recheck/lib/browser.js"
import { costRatio, cpuMs } from "./growth.ts"
import { type Expression, expressionsOfSource } from "./regular-expressions.ts"

// No regular expression of src/ takes longer than linear time. A checker (recheck, without its native parts) judges each; where it
// finds an attack or comes to no end, the expression runs on growing attacks: the checker's, and repeats of what it is made of.

/** Most are judged in a few milliseconds; those that are not are measured. */
const JUDGED_MS = 300

/** Four times the text: linear is 4, quadratic 16. */
const SMALL_UNITS = 5_000
const LARGE_UNITS = 4 * SMALL_UNITS
const MOST_GROWTH = 9

/** What takes less on the large text is not measured further: it cannot be quadratic. */
const NOTHING_MS = 2

test("no regular expression of src/ is worse than linear", { timeout: 240_000 }, async () => {
  const expressions = await expressionsOfSource()
  assert.ok(expressions.length > 100)
  const slow: string[] = []
  for (const one of expressions) {
    const attack = await slowestAttack(one)
    if (attack !== undefined) slow.push(`${one.where} /${one.source}/${one.flags}: ${attack}`)
  }
  assert.deepEqual(slow, [])
})

test("the check finds what is quadratic", { timeout: 60_000 }, async () => {
  for (const source of [
    String.raw`^File: (.+?)\s*$`,
    String.raw`\/+$`,
    String.raw`\[x: [^\]\n]*\]`,
    "(?<!b)a*ab",
  ])
    assert.notEqual(await slowestAttack({ where: "", source, flags: "" }), undefined, source)
  assert.equal(await slowestAttack({ where: "", source: String.raw`(?<!\/)\/+$`, flags: "" }), undefined)
})

/** The attack on which its time grows faster than the text; undefined for none. */
async function slowestAttack({ source, flags }: Expression): Promise<string | undefined> {
  const judged = checkSync(source, flags, { timeout: JUDGED_MS })
  if (judged.status === "safe") return undefined
  const found: Attack[] = []
  if (judged.status === "vulnerable")
    for (const { prefix, pump } of judged.attack.pumps)
      found.push({ prefix, pump, suffix: judged.attack.suffix })
  for (const attack of [...found, ...repeats(source)]) {
    const run = (units: number) => () => {
      const text = attack.prefix + attack.pump.repeat(units / attack.pump.length) + attack.suffix
      // As the code uses them: from each place on.
      text.replaceAll(new RegExp(source, `${flags.replaceAll(/[gy]/g, "")}g`), "")
    }
    if ((await cpuMs(run(LARGE_UNITS))) < NOTHING_MS) continue
    if ((await costRatio(run(SMALL_UNITS), run(LARGE_UNITS), MOST_GROWTH)) > MOST_GROWTH)
      return JSON.stringify(attack)
  }
  return undefined
}

type Attack = { readonly prefix: string; readonly pump: string; readonly suffix: string }

/** Each character and word the expression is written with, again and again, with and without something before. */
function repeats(source: string): readonly Attack[] {
  const written = source.replaceAll(/\\[wdsSDWnrtpuPbBx]/g, " ")
  const words = [...(written.match(/[A-Za-z0-9]{2,}/g) ?? []), ...(written.match(/[^\s\w\\]{1,3}/g) ?? [])]
  const pumps = new Set([
    ...Array.from(written.replaceAll("\\", "")),
    ...words,
    "a",
    "0",
    " ",
    "\n",
    "/",
    "-",
  ])
  return [...pumps].flatMap((pump) =>
    ["", ...words.slice(0, 1)].map((prefix) => ({ prefix, pump, suffix: "\u0000" })),
  )
}
