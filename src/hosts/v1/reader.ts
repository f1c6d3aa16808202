import { messageFromV1, sessionFromV1 } from "../../session/from-v1.ts"
import type { Message } from "../../session/model.ts"
import type { HostResult, SessionReader } from "../host.ts"
import { attempt, type V1Client } from "./client.ts"

/** Reads sessions through the V1 client. `timeoutMs` bounds each call. */
export function sessionReader(client: V1Client, timeoutMs?: number): SessionReader {
  return {
    async session(id, signal) {
      const reply = await attempt(
        `session ${id}`,
        () => client.session.get({ path: { id }, ...abort(signal) }),
        timeoutMs,
      )
      if (!reply.ok) return reply
      const session = sessionFromV1(reply.value.data)
      return session === undefined ? unreadable(`session ${id}`) : { ok: true, value: session }
    },

    async messages(id, page, signal) {
      // `before` is in the API and not in the client's types; V1's newest page comes without it.
      const query = { limit: page.limit, ...(page.older === undefined ? {} : { before: page.older }) }
      const reply = await attempt(
        `messages of ${id}`,
        () => client.session.messages({ path: { id }, query, ...abort(signal) }),
        timeoutMs,
      )
      if (!reply.ok) return reply
      if (!Array.isArray(reply.value.data)) return unreadable(`messages of ${id}`)
      const messages = reply.value.data.map((value: unknown) => messageFromV1(value)).filter(isMessage)
      const older = reply.value.headers.get("x-next-cursor") ?? undefined
      if (older !== undefined && older === page.older)
        return {
          ok: false,
          fault: { reason: "failed", message: `messages of ${id}: OpenCode repeated a page cursor` },
        }
      return { ok: true, value: { messages, ...(older === undefined ? {} : { older }) } }
    },
  }
}

function abort(signal: AbortSignal | undefined): { signal?: AbortSignal } {
  return signal === undefined ? {} : { signal }
}

function isMessage(value: Message | undefined): value is Message {
  return value !== undefined
}

function unreadable(what: string): HostResult<never> {
  return {
    ok: false,
    fault: { reason: "failed", message: `${what}: OpenCode answered in a form this version does not read` },
  }
}
