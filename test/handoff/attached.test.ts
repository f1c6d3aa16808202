import { describe, test } from "node:test"
import assert from "node:assert/strict"
import { attachedKeys } from "../../src/handoff/attached.ts"

describe("what an attachment holds", () => {
  const cases: [url: string, keys: string[]][] = [
    ["file:///work/a.ts", ["/work/a.ts"]],
    ["file:///work/a%20b%23c.ts", ["/work/a b#c.ts"]],
    ["file:///work/a.ts?start=3&end=5", ["/work/a.ts#3-5"]],
    ["file:///work/a.ts?start=3", ["/work/a.ts#3-"]],
    ["file:///work/a.ts?start=0&end=0", ["/work/a.ts#1-"]],
    ["file://elsewhere/a.ts", []],
    ["file:///work/a%2fb.ts", []],
    ["data:text/plain;base64,YQ==", []],
    ["https://example.com/a.ts", []],
    ["not a URL", []],
    ["", []],
  ]
  for (const [url, keys] of cases)
    test(url, { skip: process.platform === "win32" }, () => assert.deepEqual([...attachedKeys([url])], keys))
})
