import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Worker } from "node:worker_threads"
import type { Hooks, PluginInput } from "@opencode-ai/plugin"
import type { V1Client } from "../../src/hosts/v1/client.ts"
import { v1Feed } from "../../src/hosts/v1/feed.ts"
import { escapedID } from "../../src/hosts/v1/session-get.ts"
import { messageFromV1 } from "../../src/session/from-v1.ts"
import { threadClock } from "../loop.ts"
import { FETCHED, PAGE_SIZES, type FetchFigures, type FetchStep } from "./fetch-job.ts"

// Runs inside the host, on its thread: fetches the whole history page by page, as a backfill does, and tells what each
// step of a page takes of the thread. Its figures go to a file beside the host's data.

/** The host has started by then. */
const START_MS = 3_000

export default {
  id: "fetch-bench",
  async server(input: PluginInput): Promise<Hooks> {
    const out = join(process.env["XDG_DATA_HOME"] ?? "", "opencode", FETCHED)
    const tell = (told: object) => writeFileSync(out, JSON.stringify(told))
    setTimeout(() => {
      void measureAll(input.client).then(
        (figures) => tell({ figures }),
        (error: unknown) => tell({ error: String(error) }),
      )
    }, START_MS)
    return {}
  },
}

async function measureAll(client: V1Client): Promise<readonly FetchFigures[]> {
  const clock = await threadClock()
  const ids = await sessionIDs(client)
  const ignore = `require("node:worker_threads").parentPort.on("message", () => {})`
  const worker = new Worker(ignore, { eval: true })
  const figures: FetchFigures[] = []
  for (const page of PAGE_SIZES) figures.push(await measure(client, ids, page, worker, clock))
  await worker.terminate()
  return figures
}

async function sessionIDs(client: V1Client): Promise<readonly string[]> {
  const feed = v1Feed(client)
  const ids = new Set<string>()
  let cursor: string | undefined
  do {
    const listed = await feed.listSessions(cursor)
    if (!listed.ok) throw new Error(listed.fault.message)
    for (const { session } of listed.value.sessions) ids.add(session.id)
    cursor = listed.value.next
  } while (cursor !== undefined)
  return [...ids]
}

async function measure(
  client: V1Client,
  ids: readonly string[],
  page: number,
  worker: Worker,
  clock: () => number,
): Promise<FetchFigures> {
  const get = textGet(client)
  const steps: Record<FetchStep, number[]> = { answer: [], parse: [], decode: [], "hand over": [] }
  let messages = 0
  for (const id of ids) {
    let before: string | undefined
    do {
      let last = clock()
      const timed = (step: FetchStep): void => {
        const now = clock()
        steps[step].push(now - last)
        last = now
      }
      const query = { limit: page, ...(before === undefined ? {} : { before }) }
      const answer = await get(`/session/${escapedID(id)}/message`, query)
      timed("answer")
      const parsed: unknown = JSON.parse(answer.text)
      timed("parse")
      const decoded = (Array.isArray(parsed) ? parsed : []).map(messageFromV1)
      timed("decode")
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      worker.postMessage(decoded)
      timed("hand over")
      messages += decoded.length
      before = answer.next
      await new Promise((resolve) => setTimeout(resolve, 0))
    } while (before !== undefined)
  }
  return { page, messages, steps }
}

type Query = Readonly<Record<string, string | number>>

/** The client's own transport, its answers left as text. */
function textGet(client: V1Client) {
  const transport: unknown = Reflect.get(client, "_client")
  if (transport === null || typeof transport !== "object") throw new Error("the client has no transport")
  const get: unknown = Reflect.get(transport, "get")
  if (typeof get !== "function") throw new Error("the client's transport has no get")
  return async (url: string, query: Query): Promise<{ text: string; next: string | undefined }> => {
    const answer: unknown = await Reflect.apply(get, transport, [{ url, query, parseAs: "text" }])
    if (typeof answer !== "object" || answer === null) throw new Error(`${url}: no answer`)
    const data: unknown = Reflect.get(answer, "data")
    const response: unknown = Reflect.get(answer, "response")
    if (typeof data !== "string" || !(response instanceof Response)) throw new Error(`${url}: no text`)
    return { text: data, next: response.headers.get("x-next-cursor") ?? undefined }
  }
}
