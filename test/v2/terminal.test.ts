import { describe, test } from "node:test"
import assert from "node:assert/strict"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as z from "zod"
import { readRecord } from "../../src/handoff/record.ts"
import { commandText } from "../../src/handoff/template.ts"
import { start } from "../../src/terminal/v2.ts"
import { RELEASES, SLOW, until } from "../hosts/v2/asking.ts"
import { contractHost, type ContractHost } from "../hosts/v2/host.ts"
import { callable } from "../hosts/v2/registry.ts"
import type { Release } from "../hosts/v2/release.ts"
import { contractTerminal, type ContractTerminal, type TerminalSetup } from "../hosts/v2/terminal.ts"

type Bench = {
  readonly host: ContractHost
  readonly source: string
  readonly terminal: (setup?: TerminalSetup) => Promise<ContractTerminal>
  readonly handoff: (prompt?: string) => Promise<{ sessionId: string; draft: string }>
}

async function bench(release: Release, run: (bench: Bench) => Promise<void>): Promise<void> {
  const host = await contractHost({ release })
  const terminals: ContractTerminal[] = []
  try {
    await host.load()
    const source = host.store.put({ title: "Long work" }).id
    await run({
      host,
      source,
      async terminal(setup = {}) {
        const terminal = await contractTerminal(host, { release, ...setup })
        terminals.push(terminal)
        return terminal
      },
      async handoff(prompt = "go on") {
        const { content } = await host.tool(source, "handoff_session", { prompt })
        return z.object({ sessionId: z.string(), draft: z.string() }).parse(JSON.parse(content))
      },
    })
    for (const terminal of terminals) assert.deepEqual(terminal.violations, [])
    assert.deepEqual(host.violations, [])
  } finally {
    for (const terminal of terminals) terminal.close()
    await host.stop()
  }
}

async function onScreen(terminal: ContractTerminal, sessionID: string): Promise<void> {
  terminal.open(sessionID)
  await until("the session is open", () => terminal.screen() === sessionID && terminal.promptText() === "")
  await new Promise((resolve) => setTimeout(resolve, 20))
}

/** Whether the draft lies where it waits, in the metadata or in the file. */
async function waits(host: ContractHost, sessionID: string): Promise<boolean> {
  const file = join(host.dataDir, "opencode-baton", "drafts", `${sessionID}.json`)
  return drafted(host, sessionID) !== undefined || existsSync(file)
}

function drafted(host: ContractHost, sessionID: string): string | undefined {
  return readRecord(host.store.session(sessionID)["metadata"])?.draft
}

for (const release of RELEASES)
  describe(`the terminal part on ${release}`, () => {
    for (const [name, setup] of [
      ["a seed that the route takes", {}],
      ["a seed that is dropped: the text is inserted", { seed: "dropped" }],
    ] as const)
      test(`the terminal that shows the source opens the draft: ${name}`, SLOW, () =>
        bench(release, async ({ host, source, terminal, handoff }) => {
          const ui = await terminal(setup)
          await onScreen(ui, source)
          const { sessionId, draft } = await handoff()
          await until(
            "the draft is in the prompt",
            () => ui.promptText() === draft && ui.screen() === sessionId,
          )
          await until("it says so", () =>
            ui.toasts.includes("The draft is ready: edit it, then press Enter."),
          )
          assert.deepEqual(host.requests, [])
          assert.equal(drafted(host, sessionId), undefined)
          assert.deepEqual(ui.dialogs, [])
        }),
      )

    test(
      "what is then edited and sent reaches the model with its files, and nothing waits any more",
      SLOW,
      () =>
        bench(release, async ({ host, source, terminal }) => {
          for (const name of ["a.ts", "b.ts"]) writeFileSync(join(host.directory, name), `${name}\n`)
          const ui = await terminal()
          await onScreen(ui, source)
          const { content } = await host.tool(source, "handoff_session", { prompt: "go on", files: ["a.ts"] })
          const answer = z.object({ sessionId: z.string(), draft: z.string() }).parse(JSON.parse(content))
          await until("the draft is in the prompt", () => ui.promptText() === answer.draft)
          ui.type("and @b.ts\n")
          await ui.enter()
          assert.equal(host.store.messages.get(source)?.filter((one) => one["type"] === "user").length, 0)
          assert.equal(
            host.requests[0],
            `${answer.draft}and @b.ts\n\n\nAttached file: a.ts\n\na.ts\n\n\nAttached file: b.ts\n\nb.ts\n`,
          )
          const other = await terminal()
          other.open(answer.sessionId)
          await new Promise((resolve) => setTimeout(resolve, 700))
          assert.equal(other.promptText(), "")
          if (release === "2.1.0")
            await until("its source is kept", () => {
              const record = readRecord(host.store.session(answer.sessionId)["metadata"])
              return record?.source === source && record.draft === undefined
            })
        }),
    )

    test("who leaves before a stored draft is shown is not brought back, and the draft waits", SLOW, () =>
      bench(release, async ({ host, terminal, handoff }) => {
        const { sessionId, draft } = await handoff()
        const elsewhere = host.store.put({ title: "Other work" }).id
        // A prompt that never takes its text leaves time to go.
        const slow = await terminal({ seed: "dropped", mountMs: 3_000 })
        slow.open(sessionId)
        await until(
          "it was taken",
          async () => slow.screen() === sessionId && !(await waits(host, sessionId)),
        )
        slow.open(elsewhere)
        await until("it is back", () => waits(host, sessionId))
        assert.equal(slow.screen(), elsewhere)
        assert.deepEqual(slow.dialogs, [])
        await until("it says so", () => slow.toasts.some((toast) => toast.includes("was left")))
        const other = await terminal()
        other.open(sessionId)
        await until("the draft is in the prompt", () => other.promptText() === draft)
      }),
    )

    test("who comes back to a draft that was left finds it", SLOW, () =>
      bench(release, async ({ host, terminal, handoff }) => {
        const { sessionId, draft } = await handoff()
        const elsewhere = host.store.put({ title: "Other work" }).id
        const ui = await terminal({ mountMs: 1_500 })
        ui.open(sessionId)
        await until("it was taken", async () => !(await waits(host, sessionId)))
        ui.open(elsewhere)
        await until("it is back", () => waits(host, sessionId))
        ui.open(sessionId)
        await until("the draft is in the prompt", () => ui.promptText() === draft)
        assert.deepEqual(ui.dialogs, [])
      }),
    )

    test("a terminal that shows something else does not move", SLOW, () =>
      bench(release, async ({ host, source, terminal, handoff }) => {
        const [mine, other] = [await terminal(), await terminal()]
        const elsewhere = host.store.put({}).id
        await onScreen(mine, source)
        await onScreen(other, elsewhere)
        other.type("half a thought")
        const { draft } = await handoff()
        await until("the draft is shown", () => mine.promptText() === draft)
        assert.equal(other.screen(), elsewhere)
        assert.equal(other.promptText(), "half a thought")
        assert.deepEqual(other.toasts, [])
      }),
    )

    test("of two terminals on the source exactly one takes it", SLOW, () =>
      bench(release, async ({ source, terminal, handoff }) => {
        const both = [await terminal(), await terminal()]
        for (const ui of both) await onScreen(ui, source)
        const { draft } = await handoff()
        await until("one shows it", () => both.some((ui) => ui.promptText() === draft))
        await new Promise((resolve) => setTimeout(resolve, 100))
        assert.equal(both.filter((ui) => ui.promptText() === draft).length, 1)
        assert.equal(both.filter((ui) => ui.screen() === source).length, 1)
      }),
    )

    test("text that was not sent goes to the stash first", SLOW, () =>
      bench(release, async ({ source, terminal, handoff }) => {
        const ui = await terminal()
        await onScreen(ui, source)
        ui.type("half a thought")
        const { draft } = await handoff()
        await until("the draft is shown", () => ui.promptText() === draft)
        assert.deepEqual(ui.stash, ["half a thought"])
      }),
    )

    test("where there is no stash, typed text stays and the dialog has the draft", SLOW, () =>
      bench(release, async ({ host, source, terminal, handoff }) => {
        const ui = await terminal({ without: ["stash"] })
        await onScreen(ui, source)
        ui.type("half a thought")
        const { sessionId, draft } = await handoff()
        await until("it says where", () => ui.toasts.some((toast) => toast.includes(sessionId)))
        assert.equal(ui.promptText(), "half a thought")
        assert.equal(ui.screen(), source)
        assert.deepEqual(ui.dialogs, [draft])
        assert.deepEqual(host.requests, [])
      }),
    )

    test("a prompt that takes nothing: the dialog, and what was edited there is sent", SLOW, () =>
      bench(release, async ({ host, source, terminal, handoff }) => {
        const ui = await terminal({ seed: "dropped", insert: "dropped", dialog: (value) => `${value}edited` })
        await onScreen(ui, source)
        const { sessionId, draft } = await handoff()
        await until("it was sent", () => host.requests.length === 1)
        assert.equal(host.requests[0], `${draft}edited`)
        await until("the session is shown", () => ui.screen() === sessionId)
      }),
    )

    test("a terminal whose prompt cannot be read is not led anywhere: the dialog", SLOW, () =>
      bench(release, async ({ host, source, terminal, handoff }) => {
        const ui = await terminal({ without: ["renderer"] })
        await onScreen(ui, source).catch(() => undefined)
        const { sessionId, draft } = await handoff()
        await until("the dialog was shown", () => ui.dialogs.length === 1)
        assert.deepEqual(ui.dialogs, [draft])
        await until("dismissed, it is kept", () =>
          ui.toasts.some((toast) => toast.includes("waits in session")),
        )
        assert.equal(ui.screen(), source)
        if (release === "2.1.0") assert.equal(drafted(host, sessionId), draft)
      }),
    )

    test("without dialog and renderer it stays stored, and the toast says where", SLOW, () =>
      bench(release, async ({ source, terminal, handoff }) => {
        const ui = await terminal({ without: ["renderer", "dialog"] })
        await onScreen(ui, source).catch(() => undefined)
        const { sessionId } = await handoff()
        await until("it says where", () => ui.toasts.some((toast) => toast.includes(sessionId)))
      }),
    )

    test("a stored draft appears once, in the first terminal that opens its session", SLOW, () =>
      bench(release, async ({ terminal, handoff }) => {
        const { sessionId, draft } = await handoff()
        const [first, second] = [await terminal(), await terminal()]
        first.open(sessionId)
        await until("the draft is in the prompt", () => first.promptText() === draft)
        await until("it says so", () => first.toasts.length === 1)
        second.open(sessionId)
        await new Promise((resolve) => setTimeout(resolve, 700))
        assert.equal(second.promptText(), "")
        assert.deepEqual(second.toasts, [])
      }),
    )

    test("/handoff in the terminal sends the same words and marks who asked", SLOW, () =>
      bench(release, async ({ host, source, terminal, handoff }) => {
        const [asks, watches] = [await terminal(), await terminal()]
        for (const ui of [asks, watches]) await onScreen(ui, source)
        assert.equal(await asks.slash("handoff", "the $1 `goal`"), true)
        await until("it was sent", () => host.requests.length === 1)
        assert.deepEqual(host.requests, [commandText("the $1 `goal`")])
        const { draft } = await handoff()
        if (release === "2.0.16") return
        await until("the one that asked shows it", () => asks.promptText() === draft)
        assert.equal(watches.screen(), source)
      }),
    )

    test("/handoff is handed on where no session is open", SLOW, () =>
      bench(release, async ({ terminal }) => {
        const ui = await terminal()
        assert.equal(await ui.slash("handoff", "x"), false)
      }),
    )

    for (const part of ["toast", "keymap", "data", "update"] as const)
      test(`without ${part} nothing breaks`, SLOW, () =>
        bench(release, async ({ source, terminal, handoff }) => {
          const ui = await terminal({ without: [part] })
          await onScreen(ui, source)
          const { sessionId, draft } = await handoff()
          if (part === "data") ui.open(sessionId)
          // Who cannot take the draft out of its session must not show it: it would come twice.
          if (part === "update") return
          await until("the draft is in the prompt", () => ui.promptText() === draft)
        }),
      )
  })

test("a context that is no terminal's starts nothing", SLOW, () => {
  for (const context of [undefined, null, {}, { ui: {} }, 5]) assert.equal(start(context), undefined)
})

test("a host that takes no prompt: the goal is told, and the draft goes on waiting", SLOW, async () => {
  const toasts: string[] = []
  const layers: unknown[] = []
  const kept = { "opencode-baton": { source: "ses_a", at: 1, draft: "the draft\n" } }
  let metadata: unknown = kept
  const current = () => ({ type: "session", sessionID: "ses_b" })
  const end = start({
    keymap: { layer: (make: () => unknown) => layers.push(make()) },
    ui: {
      router: { current, navigate: () => undefined },
      toast: { show: ({ message }: { message: string }) => toasts.push(message) },
      dialog: { prompt: async () => "edited" },
    },
    client: {
      session: {
        get: async () => ({ id: "ses_b", metadata }),
        update: async (change: { metadata: unknown }) => (metadata = change.metadata),
        prompt: async () => {
          throw Object.assign(new Error("no room"), { name: "InvalidRequestError" })
        },
      },
    },
  })
  try {
    await until("it says why", () => toasts.some((text) => /waits in session ses_b.*no room/.test(text)))
    assert.deepEqual(metadata, kept)
    const layer = z.object({ commands: z.array(z.object({ run: z.unknown() })) }).parse(layers[0])
    callable("run", layer.commands[0]?.run)("finish the parser")
    await until("the goal is told", () => toasts.some((text) => /no room.*finish the parser/.test(text)))
  } finally {
    end?.()
  }
})
