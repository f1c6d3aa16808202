import assert from "node:assert/strict"
import { homedir } from "node:os"
import { join } from "node:path"
import { describe, test } from "node:test"
import { hostDataDir } from "../../src/hosts/data-dir.ts"

describe("the host's data folder", () => {
  const usual = join(homedir(), ".local", "share", "opencode")
  for (const [base, expected] of [
    ["/data", "/data/opencode"],
    ["", usual],
    [undefined, usual],
  ] as const)
    test(`XDG_DATA_HOME ${base}`, () => assert.equal(hostDataDir({ XDG_DATA_HOME: base }), expected))
})
