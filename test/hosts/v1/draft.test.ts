import { after, test } from "node:test"
import assert from "node:assert/strict"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { createOpencodeClient } from "@opencode-ai/sdk"
import { draftMaker } from "../../../src/hosts/v1/draft.ts"
import { withRecord } from "../../../src/handoff/record.ts"

// A server without an answer of a terminal part: the draft is stored, and terminals are led to it.

type Asked = { readonly path: string; readonly body: string }

const asked: Asked[] = []
let isTaken = false

const session = {
  id: "ses_new",
  projectID: "p",
  directory: "/work",
  title: "t",
  time: { created: 1, updated: 1 },
}
const host = createServer((request, response) => {
  let body = ""
  request.on("data", (part: Buffer) => (body += String(part)))
  request.on("end", () => {
    const path = `${request.method} ${new URL(request.url ?? "", "http://h").pathname}`
    asked.push({ path, body })
    // The offer is refused: nobody is waited for.
    const isOffer = path === "POST /tui/publish" && body.includes("offer")
    const record = { source: "ses_1", at: 1, ...(isTaken ? {} : { draft: "the draft\n" }) }
    const answer = path.includes("/session") ? { ...session, metadata: withRecord({}, record) } : true
    response.writeHead(isOffer ? 400 : 200, { "content-type": "application/json" })
    response.end(JSON.stringify(answer))
  })
})
after(() => host.close())

for (const [name, taken, appended] of [
  ["and see it in its prompt", false, true],
  ["and see it once, when a terminal part that answered too late shows it", true, false],
] as const)
  test(`terminals without an answer are led to the stored draft, ${name}`, async () => {
    if (!host.listening) await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve))
    asked.length = 0
    isTaken = taken
    const { port } = host.address() as AddressInfo
    const client = createOpencodeClient({ baseUrl: `http://127.0.0.1:${port}` })
    const maker = draftMaker({ client, mode: "server", directory: "/work", log: () => undefined })
    const made = await maker.make({ text: "the draft\n", sourceSessionIDs: ["ses_1"], title: "t" })
    assert.equal(made.ok && made.value.kind, "stored")
    assert.ok(asked.some((one) => one.body.includes("tui.session.select")))
    assert.equal(
      asked.some((one) => one.path === "POST /tui/append-prompt"),
      appended,
    )
  })
