import { describe, test } from "node:test"
import assert from "node:assert/strict"
import { ask, inHost, RELEASES, SLOW, wrote } from "../hosts/v2/asking.ts"
import type { ContractHost } from "../hosts/v2/host.ts"

// Who changed which file and why, from V2's tool calls and snapshots.

const edits = "history-search-edits"

/** A prompt and the turn behind it. */
function turn(
  host: ContractHost,
  id: string,
  prompt: string,
  content: readonly object[],
  more: object = {},
): void {
  host.store.write(id, wrote(prompt))
  host.store.write(id, { type: "assistant", content, ...more }, "session.step.ended")
}

const done = { status: "completed", content: [{ type: "text", text: "ok" }], metadata: {} }
const failed = { status: "error", error: { type: "unknown", message: "oldString not found" } }
let calls = 0
const call = (name: string, input: object, state: object = done) => ({
  type: "tool",
  id: `call_${++calls}`,
  name,
  state: { ...state, input },
  time: { created: 1 },
})

/** The lines of edits in an answer, newest first, without time and message id. */
const lines = (answer: string) =>
  answer
    .split("\n")
    .filter((line) => /^ {2}\d{4}-\d\d-\d\d /.test(line))
    .map((line) => line.split("  ").slice(3).join("  "))

for (const release of RELEASES)
  describe(`edits on ${release}`, () => {
    test("written, edited, failed and unchanged: a row each, the first one marked, prompts told", SLOW, () =>
      inHost({ release }, async (host, caller) => {
        const { id } = host.store.put({ title: "Widgets" })
        const path = "src/widget.ts"
        turn(host, id, "make the widget", [call("write", { path, content: "a\n" })])
        // Each step of a turn is a message of its own; of one message a file is told once.
        turn(host, id, "round its corners", [call("edit", { path, oldString: "a", newString: "b" })])
        for (const more of [
          call("edit", { filePath: path, oldString: "x", newString: "y" }, failed),
          call("edit", { path, oldString: "b", newString: "b" }),
          call("edit", { path, oldString: "b", newString: "c" }),
        ])
          host.store.write(id, { type: "assistant", content: [more] })
        await host.load()
        const answer = await ask(host, caller, edits, { query: `path:${path}` }, /first edit/)
        assert.deepEqual(lines(answer), [
          `done  edit  ${path}`,
          `unchanged  edit  ${path}`,
          `failed  edit  ${path}`,
          `done  edit  ${path}`,
          `done  write  ${path}  (first edit of this file)`,
        ])
        assert.match(answer, /prompt msg_\w+ {2}round its corners[^]*prompt msg_\w+ {2}make the widget/)
      }),
    )

    test("a patch that adds, updates, deletes and moves: a row each, a move found by both names", SLOW, () =>
      inHost({ release }, async (host, caller) => {
        const { id } = host.store.put({})
        const patchText = [
          "*** Begin Patch",
          "*** Add File: src/new.ts",
          "+x",
          "*** Update File: src/kept.ts",
          "@@",
          "-one",
          "+ONE",
          "*** Delete File: src/gone.ts",
          "*** Update File: src/old.ts",
          "*** Move to: lib/moved.ts",
          "@@",
          "-old",
          "+moved",
          "*** End Patch",
        ].join("\n")
        turn(host, id, "tidy up", [call("patch", { patchText })])
        await host.load()
        const answer = await ask(host, caller, edits, { query: "" }, /moved/)
        assert.deepEqual(
          lines(answer).map((line) => line.replace(/ {2}\(.*/, "")),
          [
            "done  move by patch  src/old.ts -> lib/moved.ts",
            "done  delete by patch  src/gone.ts",
            "done  update by patch  src/kept.ts",
            "done  add by patch  src/new.ts",
          ],
        )
        for (const name of ["src/old.ts", "lib/moved.ts"])
          await ask(host, caller, edits, { query: `path:${name}` }, /src\/old\.ts -> lib\/moved\.ts/)
      }),
    )

    test("what a shell command changed is known from the host's snapshot", SLOW, () =>
      inHost({ release }, async (host, caller) => {
        const { id } = host.store.put({})
        turn(host, id, "generate them", [call("shell", { command: "make" })], {
          snapshot: { files: ["gen/a.ts"] },
        })
        await host.load()
        await ask(host, caller, edits, { query: "path:gen/" }, /gen\/a\.ts/)
      }),
    )

    test("calls inside of Code Mode count as calls", SLOW, () =>
      inHost({ release }, async (host, caller) => {
        const { id } = host.store.put({})
        const toolCalls = [{ tool: "write", status: "completed", input: { path: "inner.ts", content: "x" } }]
        turn(host, id, "by program", [call("execute", { code: "…" }, { ...done, metadata: { toolCalls } })])
        await host.load()
        assert.deepEqual(lines(await ask(host, caller, edits, { query: "path:inner.ts" }, /done/)), [
          "done  write  inner.ts  (first edit of this file)",
        ])
      }),
    )

    test("words, dates, and reverted prompts narrow them; what is hidden is counted", SLOW, () =>
      inHost({ release }, async (host, caller) => {
        const { id } = host.store.put({})
        turn(host, id, "make the widget", [call("write", { path: "one.ts", content: "a" })])
        const second = host.store.write(id, wrote("abandoned idea"))
        const content = [call("write", { path: "two.ts", content: "longer" })]
        host.store.write(id, { type: "assistant", content }, "session.step.ended")
        await host.load()
        await ask(host, caller, edits, { query: "" }, /two\.ts[^]*one\.ts/)
        await ask(host, caller, edits, { query: "widget path:one.ts" }, /one\.ts/)
        await ask(host, caller, edits, { query: "", date: "2020-01-01" }, /^No /)
        host.store.put({ ...host.store.session(id), revert: { messageID: second.id } })
        host.store.emit("session.revert.staged", { sessionID: id })
        const hidden = await ask(host, caller, edits, { query: "" }, /reverted/)
        assert.deepEqual(lines(hidden), ["done  write  one.ts  (first edit of this file)"])
      }),
    )
  })
