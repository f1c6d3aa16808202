import { keepDraft, keepsDrafts, takeDraft } from "../handoff/draft-file.ts"
import { metadataKey, readRecord, withRecord } from "../handoff/record.ts"
import { field, method, textField } from "../session/capability.ts"
import { isRecord } from "../session/from-unknown.ts"

// A draft waits in its session's metadata, or in a file of ours where the host has no such metadata. Whoever
// takes it away shows it: that is what makes it appear once, however many terminals there are.

export type Taken =
  | { readonly kind: "taken"; readonly draft: string; putBack(): Promise<void> }
  /** Another terminal has shown it, or it was sent. */
  | { readonly kind: "gone" }
  /** This session never had one, as far as this terminal can see. */
  | { readonly kind: "none" }

export type Store = {
  /** `client.session` of the terminal. */
  readonly session: unknown
  /** The host's data folder. */
  readonly hostDir: string
  /** This terminal among all. */
  readonly terminal: string
  now(): number
}

/**
 * Two terminals may find a draft at the same moment, and the host's update knows no "if unchanged": each writes its
 * name, and after this long the name that stands is the one that shows it.
 */
export const CLAIM_MS = 150

/** Takes the draft of a session. Rejects when the host or the file system fails. */
export async function take(store: Store, sessionID: string): Promise<Taken> {
  const found = await method(store.session, "get")?.({ sessionID })
  const metadata = metadataOf(found)
  const record = readRecord(metadata)
  if (record?.draft !== undefined) {
    const { draft, ...rest } = record
    await update(store, sessionID, { ...metadata, [metadataKey]: { ...rest, takenBy: store.terminal } })
    await new Promise((resolve) => setTimeout(resolve, CLAIM_MS))
    if ((await takenBy(store, sessionID)) !== store.terminal) return { kind: "gone" }
    return { kind: "taken", draft, putBack: () => update(store, sessionID, withRecord(metadata, record)) }
  }
  const kept = await takeDraft(store.hostDir, sessionID, store.now())
  if (kept !== undefined)
    return { kind: "taken", draft: kept.draft, putBack: () => keepDraft(store.hostDir, sessionID, kept) }
  return { kind: record === undefined && !keepsDrafts(store.hostDir) ? "none" : "gone" }
}

async function takenBy(store: Store, sessionID: string): Promise<string> {
  const found = await method(store.session, "get")?.({ sessionID })
  return textField(metadataOf(found)[metadataKey], "takenBy")
}

async function update(store: Store, sessionID: string, metadata: unknown): Promise<void> {
  const call = method(store.session, "update")
  if (call === undefined) throw new Error("this OpenCode cannot change a session's metadata")
  await call({ sessionID, metadata })
}

function metadataOf(session: unknown): Readonly<Record<string, unknown>> {
  const metadata = field(session, "metadata") ?? field(field(session, "data"), "metadata")
  return isRecord(metadata) ? metadata : {}
}
