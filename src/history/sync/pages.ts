import type { Message } from "../../session/model.ts"
import type { SyncContext } from "./context.ts"
import type { Failed } from "./write.ts"

// A session's messages page by page, newest page first, giving way to the host between pages.

/**
 * Messages fetched by one call, which costs OpenCode 1.18 some 10 ms whatever it brings: of messages of 2.8 kB, 0.43 ms
 * each by 25 and 0.28 by 100 (docs/history.md). More would keep the host longer at a stretch than the 30 ms of these.
 */
export const MESSAGES_PAGE = 100

export type Page =
  | {
      readonly kind: "page"
      readonly messages: readonly Message[]
      readonly isFirst: boolean
      readonly isLast: boolean
    }
  | { readonly kind: "gone" }
  | Failed

/** Ends after the last page, or with the first that is none. A repeated cursor is a failure, never a loop. */
export async function* messagePages(context: SyncContext, sessionID: string): AsyncGenerator<Page, void> {
  const cursors = new Set<string>()
  let older: string | undefined
  for (;;) {
    await context.turn()
    if (context.signal.aborted) {
      yield failed("stopped")
      return
    }
    const began = context.clock.elapsed()
    const at = older === undefined ? { limit: MESSAGES_PAGE } : { limit: MESSAGES_PAGE, older }
    const page = await context.feed.messages(sessionID, at, context.signal)
    context.answered(began)
    if (!page.ok) {
      yield page.fault.reason === "not-found" ? { kind: "gone" } : failed(page.fault.message)
      return
    }
    const isFirst = older === undefined
    older = page.value.older
    if (older !== undefined && cursors.has(older)) {
      yield failed(`messages of ${sessionID}: the host repeated a page cursor`)
      return
    }
    yield { kind: "page", messages: page.value.messages, isFirst, isLast: older === undefined }
    if (older === undefined) return
    cursors.add(older)
  }
}

export function failed(message: string): Failed {
  return { kind: "failed", message, halt: false }
}
