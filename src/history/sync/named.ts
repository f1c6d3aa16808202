import type { Message } from "../../session/model.ts"
import type { SyncContext } from "./context.ts"
import { failed, messagePages } from "./pages.ts"
import type { Failed } from "./write.ts"

// Fetches the messages that events named: one by one, or from pages when there are many.

/** Above this many messages (a fork copies hundreds) pages cost less than single calls. */
export const NAMED_SINGLY = 10

export type Named =
  | {
      readonly kind: "named"
      readonly messages: readonly Message[]
      /** The host does not have these any more. */
      readonly gone: readonly string[]
    }
  | Failed

export async function fetchNamed(
  context: SyncContext,
  sessionID: string,
  ids: ReadonlySet<string>,
): Promise<Named> {
  const { feed } = context
  if (feed.message === undefined || ids.size > NAMED_SINGLY) return fromPages(context, sessionID, ids)
  const messages: Message[] = []
  const gone: string[] = []
  for (const id of ids) {
    const one = await feed.message(sessionID, id, context.signal)
    if (one.ok && one.value !== undefined) messages.push(one.value)
    else if (!one.ok && one.fault.reason === "not-found") gone.push(id)
    else if (!one.ok) return failed(one.fault.message)
  }
  return { kind: "named", messages, gone }
}

async function fromPages(context: SyncContext, sessionID: string, ids: ReadonlySet<string>): Promise<Named> {
  const missing = new Set(ids)
  const messages: Message[] = []
  for await (const page of messagePages(context, sessionID)) {
    if (page.kind !== "page") return page.kind === "gone" ? failed("the session is gone") : page
    messages.unshift(...page.messages.filter((message) => missing.delete(message.id)))
    if (missing.size === 0) break
  }
  return { kind: "named", messages, gone: [...missing] }
}
