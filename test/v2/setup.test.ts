import { describe, test } from "node:test"
import assert from "node:assert/strict"
import { onePerLocation } from "../../src/hosts/v2/location.ts"
import { setup } from "../../src/hosts/v2/setup.ts"
import plugin from "../../src/plugin.ts"
import { RELEASES } from "../hosts/v2/asking.ts"
import { contractHost } from "../hosts/v2/host.ts"
import type { Part } from "../hosts/v2/release.ts"

const DIRECT = [
  "handoff_session",
  "read_session",
  "history-search-messages",
  "history-search-sessions",
  "history-search-edits",
  "history-read",
]

for (const release of RELEASES)
  describe(`setup on ${release}`, () => {
    test("offers the handoff and history tools to the model and the session tools in Code Mode", async () => {
      const host = await contractHost({ release })
      try {
        const { registry } = await host.load()
        const tools = [...registry.tools.values()]
        assert.deepEqual(
          tools.filter((tool) => !tool.codemode).map((tool) => tool.name),
          DIRECT,
        )
        assert.deepEqual(
          tools.filter((tool) => tool.codemode).map((tool) => [tool.namespace, tool.name, tool.structured]),
          [
            ["opencode", "session_list", true],
            ["opencode", "session_read", true],
          ],
        )
        assert.deepEqual([...registry.commands.keys()], ["handoff"])
        assert.partialDeepStrictEqual(registry.commands.get("handoff"), {
          description: "Create a focused handoff prompt for a new session",
        })
        assert.deepEqual(host.violations, [])
      } finally {
        await host.stop()
      }
    })

    test("adds the same again when the host runs all changes anew", async () => {
      const host = await contractHost({ release })
      try {
        const instance = await host.load()
        const { registry } = instance
        const before = [[...registry.tools.keys()], [...registry.commands.keys()]]
        for (const _ of [1, 2]) instance.reload()
        assert.deepEqual([[...registry.tools.keys()], [...registry.commands.keys()]], before)
        const { id } = host.store.put({})
        await host.command(id, "handoff", "the goal")
        assert.equal(host.requests.length, 1)
        assert.deepEqual(host.violations, [])
      } finally {
        await host.stop()
      }
    })

    test("registers only the groups that are asked for", async () => {
      const host = await contractHost({ release, options: { tools: ["history"] } })
      try {
        const { registry } = await host.load()
        assert.deepEqual([...registry.tools.keys()], DIRECT.slice(2))
        assert.equal(registry.commands.size + registry.hooks.length, 0)
      } finally {
        await host.stop()
      }
    })

    for (const part of [
      "service",
      "tools",
      "command",
      "hook",
      "events",
      "create",
      "prompt",
      "context",
    ] as const)
      test(`without ${part} the rest is registered`, async () => {
        const without: readonly Part[] = [part]
        const host = await contractHost({ release, without })
        try {
          const { registry } = await host.load()
          assert.equal(registry.tools.size, part === "tools" ? 0 : 8)
          assert.equal(registry.commands.size, part === "command" ? 0 : 1)
          assert.equal(registry.hooks.length, part === "hook" ? 0 : 1)
          assert.deepEqual(host.violations, [])
        } finally {
          await host.stop()
        }
      })
  })

test("the host's own session tools are kept, and ours are not added", async () => {
  const host = await contractHost({ release: "2.1.0", ownTools: ["opencode_session_list"] })
  try {
    const { registry } = await host.load()
    assert.deepEqual(
      [...registry.tools.values()].filter((tool) => tool.codemode).map((tool) => tool.name),
      ["session_read"],
    )
  } finally {
    await host.stop()
  }
})

test("a V1 host's reduced context gets nothing, twice nothing", async () => {
  const touched: string[] = []
  const domain = (name: string) => ({ transform: () => touched.push(name), reload: () => touched.push(name) })
  const names = ["agent", "aisdk", "catalog", "command", "integration", "plugin", "reference", "skill"]
  const reduced = { options: {}, ...Object.fromEntries(names.map((name) => [name, domain(name)])) }
  for (const _ of [1, 2]) assert.equal(await plugin.setup(reduced), undefined)
  assert.deepEqual(touched, [])
})

describe("a context that cannot be read starts nothing and throws nothing", () => {
  const throwing = {
    get tool(): never {
      throw new Error("not here")
    },
  }
  for (const [name, context] of Object.entries({
    nothing: undefined,
    null: null,
    number: 5,
    text: "x",
    empty: {},
    throwing,
  }))
    test(name, () => assert.equal(setup(context), undefined))
})

test("every registration may throw", async () => {
  const refuse = () => {
    throw new Error("refused")
  }
  const host = await contractHost()
  try {
    const context = {
      location: { directory: host.directory },
      tool: { transform: refuse },
      command: { transform: () => Promise.reject(new Error("refused")) },
      session: { hook: refuse },
      event: { subscribe: refuse },
    }
    const cleanup = setup(context)
    assert.equal(typeof cleanup, "function")
    await cleanup?.()
  } finally {
    await host.stop()
  }
})

describe("one instance for each location", () => {
  const run = (key: string, log: string[], name: string) =>
    onePerLocation(
      key,
      () => {
        log.push(`start ${name}`)
        return () => Promise.resolve(void log.push(`end ${name}`))
      },
      () => log.push(`say ${name}`),
    )

  test("the second one says so, does nothing, and takes over when the first one ends", async () => {
    const log: string[] = []
    const first = run("/a", log, "1")
    const second = run("/a", log, "2")
    assert.deepEqual(log, ["start 1", "say 2"])
    await first()
    assert.deepEqual(log.slice(2), ["end 1", "start 2"])
    await second()
    await second()
    assert.deepEqual(log.slice(4), ["end 2"])
  })

  test("a reserve that is unloaded first never starts", async () => {
    const log: string[] = []
    const first = run("/b", log, "1")
    await run("/b", log, "2")()
    await first()
    assert.deepEqual(log, ["start 1", "say 2", "end 1"])
  })

  test("other locations, and hosts that tell none, run side by side", async () => {
    const log: string[] = []
    const all = [run("/c", log, "1"), run("/d", log, "2"), run("", log, "3"), run("", log, "4")]
    assert.deepEqual(log, ["start 1", "start 2", "start 3", "start 4"])
    for (const end of all) await end()
  })

  test("a location can be started anew after a start that failed", async () => {
    assert.throws(() =>
      onePerLocation(
        "/e",
        () => {
          throw new Error("no")
        },
        () => undefined,
      ),
    )
    const log: string[] = []
    await run("/e", log, "1")()
    assert.deepEqual(log, ["start 1", "end 1"])
  })
})
