// A session is walked from newer to older, as hosts page it: page by page, nothing kept but what the visitor keeps.

import type { HostFault, MessagePage, SessionReader } from "../hosts/host.ts"
import type { Message } from "../session/model.ts"

/** Why a reading failed: the host's own reasons, the caller's abort, or a message that is not in the session. */
export type ReadFault = {
  readonly reason: HostFault["reason"] | "aborted" | "no-message"
  readonly message: string
}

export type Read<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly fault: ReadFault }

/** Without an index a session is streamed in pages of this size: 200 was the fastest per message on V1. */
export const SCAN_PAGE = 200

export type Walk = {
  readonly reader: SessionReader
  readonly sessionID: string
  readonly signal: AbortSignal
  /** Messages asked for at once, 1..SCAN_PAGE. */
  readonly pageSize: number
  /** A host cursor to start from; without it at the newest message. */
  readonly from?: string
}

/** A page of the walk, oldest message first, and the cursor that gives the same page again. */
export type WalkedPage = { readonly messages: readonly Message[]; readonly from?: string }

/**
 * Gives every message to `visit`, newest first, until it answers false or the first message was given. The value
 * says whether the beginning was reached.
 */
export async function walkBack(walk: Walk, visit: (message: Message) => boolean): Promise<Read<boolean>> {
  for await (const page of pagesBack(walk)) {
    if (!page.ok) return page
    for (const message of page.value.messages.toReversed())
      if (!visit(message)) return { ok: true, value: false }
  }
  return { ok: true, value: true }
}

/** The pages of a session, newest first. A cursor that the host repeats is a fault, never an endless walk. */
export async function* pagesBack(walk: Walk): AsyncGenerator<Read<WalkedPage>, void, void> {
  const seen = new Set<string>()
  for (let from = walk.from; ;) {
    const page = await pageAt(walk, from, seen)
    if (!page.ok) {
      yield page
      return
    }
    yield { ok: true, value: { messages: page.value.messages, ...(from === undefined ? {} : { from }) } }
    from = page.value.older
    if (from === undefined) return
  }
}

async function pageAt(walk: Walk, from: string | undefined, seen: Set<string>): Promise<Read<MessagePage>> {
  if (walk.signal.aborted) return aborted
  if (from !== undefined && seen.has(from)) return repeated(walk.sessionID)
  if (from !== undefined) seen.add(from)
  const request = { limit: walk.pageSize, ...(from === undefined ? {} : { older: from }) }
  const page = await walk.reader.messages(walk.sessionID, request, walk.signal)
  return walk.signal.aborted ? aborted : page
}

const aborted: Read<never> = { ok: false, fault: { reason: "aborted", message: "the call was aborted" } }

function repeated(sessionID: string): Read<never> {
  const message = `the host repeated a page cursor of session ${sessionID}, so its messages cannot be paged`
  return { ok: false, fault: { reason: "failed", message } }
}
