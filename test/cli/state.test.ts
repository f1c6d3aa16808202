import { test } from "node:test"
import assert from "node:assert/strict"
import { resumeCommand } from "../../src/cli/interactive/state.ts"

// What is copied is run in a shell: nothing of a session may be a command there.

const rows: readonly (readonly [id: string, directory: string, command: string | undefined])[] = [
  ["ses_a", "/here", "opencode -s ses_a"],
  ["ses_a", "", "opencode -s ses_a"],
  ["ses_a", "/other", "cd /other && opencode -s ses_a"],
  ["ses_a", "/it's; rm x", "cd '/it'\\''s; rm x' && opencode -s ses_a"],
  ["ses_a;rm x", "/here", "opencode -s 'ses_a;rm x'"],
  ["ses_a", "/a\b\b\u202E\nx", "cd $'/a\\x08\\x08\\xe2\\x80\\xae\\x0ax' && opencode -s ses_a"],
  ["ses_a", "/not \uFFFD text", undefined],
]
for (const [id, directory, command] of rows)
  test(String(command), () => {
    const session = { id, title: "", projectID: "p", directory, created: 0, updated: 0, messages: 0 }
    assert.equal(resumeCommand(session, "/here"), command)
  })
