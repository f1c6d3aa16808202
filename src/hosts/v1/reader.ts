import { messagesFromV1, sessionFromV1 } from "../../session/from-v1.ts"
import type { HostResult, SessionReader } from "../host.ts"
import type { V1Client } from "./client.ts"
import { instanceGet, sessionGet, type SessionGet } from "./session-get.ts"

// Reading sessions on V1, whatever folder they belong to, without starting an instance there.

/** A host that answers later than this is starting or stuck. */
export const READ_TIMEOUT_MS = 15_000

export type V1Reader = SessionReader & {
  /** GETs below a session, for what the reader itself does not offer. */
  readonly get: SessionGet
}

/** Reads through the V1 client; `timeoutMs` bounds each call. Creating it asks the host nothing. */
export function sessionReader(client: V1Client, timeoutMs: number = READ_TIMEOUT_MS): V1Reader {
  const get = sessionGet(instanceGet(client, timeoutMs))
  return {
    get,

    async session(id, signal) {
      // V1 answers 500, not 404, for an id of another form.
      if (!id.startsWith("ses")) return fault("not-found", `session ${id}: not found`)
      const reply = await get(id, "", {}, signal)
      if (!reply.ok) return reply
      const session = sessionFromV1(reply.value.data)
      return session === undefined ? unreadable(`session ${id}`) : { ok: true, value: session }
    },

    async messages(id, page, signal) {
      const before = page.older === undefined ? {} : { before: page.older }
      const reply = await get(id, "/message", { limit: page.limit, ...before }, signal)
      if (!reply.ok) return reply
      if (!Array.isArray(reply.value.data)) return unreadable(`messages of ${id}`)
      const messages = messagesFromV1(reply.value.data, id)
      const older = reply.value.headers.get("x-next-cursor")
      if (older !== null && older === page.older)
        return fault("failed", `messages of ${id}: OpenCode repeated a page cursor`)
      return { ok: true, value: { messages, ...(older === null ? {} : { older }) } }
    },
  }
}

function unreadable(what: string): HostResult<never> {
  return fault("failed", `${what}: OpenCode answered in a form this version does not read`)
}

function fault(reason: "not-found" | "failed", message: string): HostResult<never> {
  return { ok: false, fault: { reason, message } }
}
