import { test } from "node:test"
import assert from "node:assert/strict"
import { metadataKey, readRecord, withRecord } from "../../src/handoff/record.ts"

const record = { source: "ses_1", at: 5, draft: "text" }

test("a record is read back, and what others keep in the metadata stays", () => {
  const metadata = withRecord({ other: { a: 1 } }, record)
  assert.deepEqual(readRecord(metadata), record)
  assert.deepEqual(metadata["other"], { a: 1 })
})

const none: unknown[] = [
  undefined,
  null,
  "x",
  {},
  { [metadataKey]: null },
  { [metadataKey]: { source: 1 } },
  { [metadataKey]: { at: 1 } },
  { [metadataKey]: { source: "ses_1\n## User", at: 1 } },
  { [metadataKey]: { source: "", at: 1 } },
]
for (const metadata of none)
  test(`${JSON.stringify(metadata)} holds no record`, () => assert.equal(readRecord(metadata), undefined))
