import { test } from "node:test"
import assert from "node:assert/strict"
import { decodeSignal, encodeSignal, type Signal } from "../../src/handoff/signals.ts"

const signals: Signal[] = [
  { kind: "offer", id: "1", sessionIDs: ["ses_1", "ses_2"], directory: "/a b/ü" },
  { kind: "here", id: "1", terminal: "t", showing: true },
  { kind: "grant", id: "1", terminal: "t", draft: 'line\n"quoted" \\ 🚀 \u2028', directory: "/" },
  { kind: "done", id: "1", terminal: "t", shown: false, why: "no" },
  { kind: "done", id: "1", terminal: "t", shown: true },
  { kind: "cancel", id: "1" },
]
for (const signal of signals)
  test(`${signal.kind} comes back as it was sent`, () =>
    assert.deepEqual(decodeSignal(encodeSignal(signal)), signal))

const others: unknown[] = [
  undefined,
  null,
  3,
  "",
  "session.new",
  "opencode-baton.",
  "opencode-baton.{",
  "opencode-baton.null",
  'opencode-baton.{"kind":"later"}',
  'opencode-baton.{"kind":"here","id":1}',
]
for (const command of others)
  test(`${JSON.stringify(command)} is no signal`, () => assert.equal(decodeSignal(command), undefined))
