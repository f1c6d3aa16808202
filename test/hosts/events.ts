import * as z from "zod"
import { within } from "./wait.ts"

// The host's event stream, kept from the first event on.

const event = z.looseObject({ type: z.string(), properties: z.record(z.string(), z.unknown()).default({}) })

export type HostEvent = z.infer<typeof event>

export type EventFollower = AsyncDisposable & {
  /** Everything that arrived, oldest first. */
  seen(): readonly HostEvent[]
  /** The first event, arrived or to come, for which `wanted` holds. */
  waitFor(wanted: (event: HostEvent) => boolean, timeoutMs?: number): Promise<HostEvent>
  close(): Promise<void>
}

/** Connects; resolves once the host said that it follows. */
export async function followEvents(
  url: URL,
  headers: Readonly<Record<string, string>>,
): Promise<EventFollower> {
  const abort = new AbortController()
  const response = await fetch(url, { headers, signal: abort.signal })
  if (!response.ok || response.body === null)
    throw new Error(`GET ${url.pathname} answered ${response.status}`)
  const seen: HostEvent[] = []
  const watchers = new Set<() => void>()
  const ended = read(response.body, (one) => {
    seen.push(one)
    for (const watcher of watchers) watcher()
  }).catch((error: unknown) => {
    // Our own close, or the server's end: both end the stream.
    if (!abort.signal.aborted) seen.push({ type: "stream.ended", properties: { error: String(error) } })
  })

  const follower: EventFollower = {
    seen: () => seen,
    waitFor(wanted, timeoutMs) {
      const found = Promise.withResolvers<HostEvent>()
      const look = () => {
        const match = seen.find(wanted)
        if (match !== undefined) found.resolve(match)
      }
      watchers.add(look)
      look()
      return within(
        found.promise.finally(() => watchers.delete(look)),
        () => `no such event among ${seen.length}: ${[...new Set(seen.map((one) => one.type))].join(", ")}`,
        timeoutMs,
      )
    },
    async close() {
      abort.abort()
      await ended
    },
    [Symbol.asyncDispose]: () => follower.close(),
  }
  await follower.waitFor((one) => one.type === "server.connected")
  return follower
}

async function read(body: ReadableStream<Uint8Array>, take: (event: HostEvent) => void): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ""
  for await (const chunk of body) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split("\n\n")
    rest = blocks.pop() ?? ""
    for (const block of blocks) {
      const data = block.split("\n").filter((line) => line.startsWith("data:"))
      if (data.length > 0) take(event.parse(JSON.parse(data.map((line) => line.slice(5)).join("\n"))))
    }
  }
}
