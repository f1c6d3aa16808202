import { test } from "node:test"
import assert from "node:assert/strict"
import { modeOf } from "../../../src/hosts/v1/mode.ts"

const script = "/$bunfs/root/src/index.js"
const cases: [argv: string[], mode: string][] = [
  [["bun", "/$bunfs/root/src/cli/tui/worker.js"], "terminal"],
  [["bun", "B:\\~BUN\\root\\src\\cli\\tui\\worker.js"], "terminal"],
  [["bun", "/home/me/opencode/src/cli/tui/worker.ts"], "terminal"],
  [["bun", script, "serve", "--port", "4096"], "server"],
  [["bun", script, "web"], "server"],
  [["bun", script, "--print-logs", "serve"], "server"],
  [["bun", script, "--log-level", "DEBUG", "serve"], "server"],
  [["bun", script, "--port", "0", "--pure", "web"], "server"],
  [["bun", script, "--log-level", "DEBUG", "run", "serve"], "command"],
  [["bun", script, "run", "serve"], "command"],
  [["bun", script, "acp"], "command"],
  [["bun", script], "command"],
  [["bun"], "command"],
  [[], "command"],
]
for (const [argv, mode] of cases)
  test(`${JSON.stringify(argv)} is ${mode}`, () => assert.equal(modeOf(argv), mode))
