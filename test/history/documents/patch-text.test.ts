import assert from "node:assert/strict"
import { test } from "node:test"
import { patchFiles, patchHead } from "../../../src/history/documents/patch-text.ts"
import { matchesGlob } from "../../../src/query/paths.ts"
import { costRatio } from "../../growth.ts"

test("the path of a patch's head is what stands before the last blanks", () => {
  for (const [line, path] of [
    ["*** Add File: a b.ts", "a b.ts"],
    ["*** Update File: a.ts \t ", "a.ts"],
    ["*** Delete File:  a.ts", " a.ts"],
    ["*** Add File: ", undefined],
    [" *** Add File: a.ts", undefined],
  ] as const)
    assert.equal(patchHead(line)?.path, path, line)
})

test("blanks in a head and stars in a glob cost no more than their length", { timeout: 60_000 }, async () => {
  const patch = (units: number) => () => patchFiles(`*** Update File: a${" ".repeat(units)}b\u2028`)
  assert.ok((await costRatio(patch(50_000), patch(200_000), 9)) <= 9)
  const glob = (units: number) => () => matchesGlob("/*a*a*a*a*a*a*b", `/${"a".repeat(units)}`)
  assert.ok((await costRatio(glob(20_000), glob(80_000), 9)) <= 9)
})
