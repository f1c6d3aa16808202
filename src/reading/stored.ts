// The same places read from the index, for sessions the host does not have any more.

import type { History, MessagesAnswer, MessagesRequest, StoredMessage } from "../history/contract.ts"
import type { Role } from "../session/model.ts"
import { shownValue } from "../text/printable.ts"
import type { Around, Place } from "./around.ts"
import type { Read } from "./walk.ts"

/** What was said in a stored message. */
export const SAID = ["user", "assistant", "summary"] as const

/** The same with what tools were asked and what they answered. */
export const SAID_AND_DONE = [...SAID, "tool-input", "tool"] as const

export type StoredReading = {
  readonly history: History
  readonly sessionID: string
  readonly role?: Role
  readonly maxChars: number
  readonly kinds?: MessagesRequest["kinds"]
  readonly signal: AbortSignal
}

/** The stored messages around a place; faults as in `readAround`. */
export async function readStoredAround(
  reading: StoredReading,
  place: Place,
): Promise<Read<Around<StoredMessage>>> {
  const anchor = typeof place.anchor === "string" ? undefined : place.anchor
  const at = anchor === undefined ? {} : { anchor }
  const own =
    anchor === undefined ? undefined : await ask({ anchor, inclusive: true, limit: 1, direction: "back" })
  if (own !== undefined && !own.ok) return own
  const newer =
    place.anchor === "end"
      ? undefined
      : await ask({ ...at, direction: "forward", inclusive: place.anchorAs === "newer", limit: place.newer })
  if (newer !== undefined && !newer.ok) return newer
  const older =
    place.anchor === "start"
      ? undefined
      : await ask({ ...at, direction: "back", inclusive: place.anchorAs === "older", limit: place.older })
  if (older !== undefined && !older.ok) return older
  const nearest = own?.value.messages.at(-1)
  return {
    ok: true,
    value: {
      ...(place.anchorAs === "itself" && nearest?.id === anchor?.messageID && nearest
        ? { anchor: nearest }
        : {}),
      older: older?.value.messages.toReversed() ?? [],
      newer: newer?.value.messages ?? [],
      reverted: (newer ?? older)?.value.reverted ?? 0,
    },
  }

  async function ask(
    request: Pick<MessagesRequest, "anchor" | "inclusive" | "direction" | "limit">,
  ): Promise<Read<Extract<MessagesAnswer, { found: true }>>> {
    const answer = await reading.history.messages(
      {
        ...request,
        limit: Math.max(1, request.limit),
        sessionID: reading.sessionID,
        maxChars: reading.maxChars,
        ...(reading.role === undefined ? {} : { role: reading.role }),
        ...(reading.kinds === undefined ? {} : { kinds: reading.kinds }),
      },
      reading.signal,
    )
    if (!answer.ok) {
      const reason = answer.fault.reason === "aborted" ? "aborted" : "failed"
      return { ok: false, fault: { reason, message: answer.fault.message } }
    }
    if (answer.value.found) return { ok: true, value: answer.value }
    const missing = anchorOf(request)
    return answer.value.missing === "session"
      ? {
          ok: false,
          fault: { reason: "not-found", message: `session ${reading.sessionID} is not in the index` },
        }
      : {
          ok: false,
          fault: {
            reason: "no-message",
            message: `session ${reading.sessionID} has no message ${shownValue(missing)}`,
          },
        }
  }
}

function anchorOf(request: Pick<MessagesRequest, "anchor">): string {
  if (request.anchor === undefined) return ""
  return "messageID" in request.anchor ? request.anchor.messageID : String(request.anchor.index)
}
