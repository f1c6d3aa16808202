import { describe, test } from "node:test"
import assert from "node:assert/strict"
import { wantedInstead } from "../../src/cli/doctor/host.ts"

describe("the doctor knows versions of OpenCode", () => {
  const rows: readonly (readonly [string, RegExp | undefined])[] = [
    ["0.9.1", /1\.18 or later/],
    ["1.17.9", /1\.18 or later/],
    ["1.18.0", undefined],
    ["1.18.33", undefined],
    ["1.20.0", undefined],
    ["2.0.15", /2\.0\.16 or later/],
    ["2.0.16", undefined],
    ["2.1.0-beta.1", undefined],
    ["3.0.0", /newer opencode-baton/],
    ["local", /1\.18 or later/],
  ]
  for (const [version, wanted] of rows)
    test(version, () => {
      const told = wantedInstead(version)
      if (wanted === undefined) assert.equal(told, undefined)
      else assert.match(told ?? "", wanted)
    })
})
