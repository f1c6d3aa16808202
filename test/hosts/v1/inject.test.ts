import { after, before, test } from "node:test"
import assert from "node:assert/strict"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { createOpencodeClient } from "@opencode-ai/sdk"
import { DEFAULT_OPTIONS } from "../../../src/config/options.ts"
import { markerSentence } from "../../../src/handoff/draft.ts"
import { readRecord } from "../../../src/handoff/record.ts"
import { injectionHook } from "../../../src/hosts/v1/inject.ts"
import { sessionReader } from "../../../src/hosts/v1/reader.ts"

// What a sent draft leaves in its session's metadata, which the host replaces as a whole.

const session = {
  id: "ses_new",
  projectID: "p",
  directory: "/work",
  title: "t",
  time: { created: 1, updated: 1 },
}
/** The session's metadata as each look at it finds it; undefined: the host fails. */
let looks: (object | undefined)[] = []
let written: { readonly metadata: Record<string, unknown> }[] = []

const host = createServer((request, response) => {
  let body = ""
  request.on("data", (part: Buffer) => (body += String(part)))
  request.on("end", () => {
    const { pathname } = new URL(request.url ?? "", "http://h")
    const isSession = /^\/session\/[^/]+$/.test(pathname)
    if (request.method === "PATCH") written.push(JSON.parse(body) as (typeof written)[number])
    const metadata = isSession && request.method === "GET" ? looks.shift() : {}
    const answer = isSession ? { ...session, metadata } : []
    response.writeHead(metadata === undefined ? 500 : 200, { "content-type": "application/json" })
    response.end(JSON.stringify(answer))
  })
})
before(() => new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve)))
after(() => host.close())

/** Sends a draft and waits until the plugin has said or done what it does about the source. */
async function send(found: (object | undefined)[]): Promise<readonly string[]> {
  looks = found
  written = []
  const logged: string[] = []
  const { port } = host.address() as AddressInfo
  const client = createOpencodeClient({ baseUrl: `http://127.0.0.1:${port}` })
  const hook = injectionHook({
    client,
    reader: sessionReader(client),
    options: DEFAULT_OPTIONS,
    directory: "/work",
    worktree: "/work",
    log: (_level, message) => void logged.push(message),
  })
  const base = { id: "prt_1", sessionID: "ses_new", messageID: "msg_1" }
  const parts = [{ ...base, type: "text", text: `${markerSentence("ses_old")}\n\ngo on\n` }]
  const message = { id: "msg_1", sessionID: "ses_new", agent: "build" }
  await hook({ sessionID: "ses_new" }, { message, parts } as never)
  while (written.length === 0 && !logged.some((line) => line.includes("not recorded")))
    await new Promise((resolve) => setTimeout(resolve, 5))
  return logged
}

test("what was written meanwhile is kept", async () => {
  await send([{ a: 1 }, { a: 1, b: 2 }])
  const metadata = written[0]?.metadata ?? {}
  assert.deepEqual([metadata["a"], metadata["b"], readRecord(metadata)?.source], [1, 2, "ses_old"])
})

test("what cannot be read is not written over", async () => {
  const logged = await send([undefined, undefined, undefined, undefined])
  assert.deepEqual(written, [])
  assert.deepEqual(logged, ["handoff files injected", "handoff source not recorded"])
})
