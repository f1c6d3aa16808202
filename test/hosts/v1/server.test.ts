import { after, test } from "node:test"
import assert from "node:assert/strict"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createOpencodeClient } from "@opencode-ai/sdk"
import { server } from "../../../src/hosts/v1/server.ts"

// What the server part does before it is needed, and what it takes to make it begin.

const dataDir = mkdtempSync(join(tmpdir(), "baton-server-"))
after(() => rmSync(dataDir, { recursive: true, force: true }))

/** A host that refuses every call. */
const input = {
  client: createOpencodeClient({ baseUrl: "http://127.0.0.1:1" }),
  directory: "/work",
  worktree: "/work",
  project: { id: "p", worktree: "/work", time: { created: 0 } },
}

const event = {
  type: "session.deleted",
  properties: {
    info: {
      id: "ses_1",
      projectID: "p",
      directory: "/work",
      title: "",
      version: "1",
      time: { created: 1, updated: 1 },
    },
  },
} as const

function joined(): number {
  return globalThis.opencodeBatonHistorySync1?.size ?? 0
}

test("the tools are those of the chosen groups, and hooks of the others are not taken", async () => {
  const hooks = server(input, { dataDir, tools: ["sessions"] })
  assert.deepEqual(Object.keys(hooks.tool ?? {}), ["session_list", "session_read"])
  assert.equal(hooks["chat.message"], undefined)
  assert.equal(hooks["command.execute.before"], undefined)
  await hooks.dispose?.()
})

test("starting it begins nothing; an event of a session does, and dispose ends it", async () => {
  const hooks = server(input, { dataDir })
  assert.equal(joined(), 0)
  await hooks.event?.({ event: { type: "lsp.updated", properties: {} } })
  assert.equal(joined(), 0)
  await hooks.event?.({ event })
  assert.equal(joined(), 1)
  await hooks.dispose?.()
  assert.equal(joined(), 0)
})

test("after dispose an event begins nothing", async () => {
  const hooks = server(input, { dataDir })
  await hooks.dispose?.()
  await hooks.event?.({ event })
  assert.equal(joined(), 0)
})

test("a message goes through as it was", async () => {
  const hooks = server(input, { dataDir })
  const part = { id: "prt_1", sessionID: "ses_1", messageID: "msg_1", type: "text", text: "hello" } as const
  const model = { providerID: "x", modelID: "y" }
  const message = {
    id: "msg_1",
    sessionID: "ses_1",
    role: "user",
    time: { created: 1 },
    agent: "build",
    model,
  } as const
  const output = { message, parts: [part] }
  await hooks["chat.message"]?.({ sessionID: "ses_1" }, output)
  assert.deepEqual(output.parts, [part])
  await hooks.dispose?.()
})

test("an instance that cannot be made breaks no hook and is told once", async () => {
  const logged: string[] = []
  const client = createOpencodeClient({
    baseUrl: "http://127.0.0.1:1",
    fetch: async (request) => {
      logged.push(await request.text())
      return Response.json(true)
    },
  })
  const broken = {
    ...input,
    client,
    get worktree(): string {
      throw new Error("nothing to load")
    },
  }
  const hooks = server(broken, { dataDir })
  await hooks.event?.({ event })
  await hooks.event?.({ event })
  await hooks.dispose?.()
  // Lines are written in order: behind this one none of ours comes.
  await client.app.log({ body: { service: "test", level: "info", message: "last" } })
  const told = logged.filter((line) => line.includes("nothing to load"))
  assert.equal(told.length, 1)
  assert.equal(joined(), 0)
})
