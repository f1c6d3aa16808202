import { claimDraft } from "../handoff/claim.ts"
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
 * Two terminals may find a draft at the same moment, and the host's update knows no "if unchanged". On one machine a
 * claim decides; on two each writes its name, and after this long the name that stands is the one that shows it.
 */
export const CLAIM_MS = 150

/** Takes the draft of a session. Rejects when the host or the file system fails. */
export async function take(store: Store, sessionID: string): Promise<Taken> {
  const record = readRecord(await metadataIn(store, sessionID))
  if (record?.draft !== undefined) {
    const release = await claimDraft(store.hostDir, sessionID)
    if (release === undefined) return { kind: "gone" }
    try {
      return await takeOut(store, sessionID)
    } finally {
      await release()
    }
  }
  const kept = await takeDraft(store.hostDir, sessionID, store.now())
  if (kept !== undefined)
    return { kind: "taken", draft: kept.draft, putBack: () => keepDraft(store.hostDir, sessionID, kept) }
  return { kind: record === undefined && !keepsDrafts(store.hostDir) ? "none" : "gone" }
}

async function takeOut(store: Store, sessionID: string): Promise<Taken> {
  // Another terminal may have taken it between the look and the claim.
  const metadata = await metadataIn(store, sessionID)
  const record = readRecord(metadata)
  if (record?.draft === undefined) return { kind: "gone" }
  const { draft, ...rest } = record
  await update(store, sessionID, { ...metadata, [metadataKey]: { ...rest, takenBy: store.terminal } })
  await new Promise((resolve) => setTimeout(resolve, CLAIM_MS))
  const standing = textField((await metadataIn(store, sessionID))[metadataKey], "takenBy")
  if (standing !== store.terminal) return { kind: "gone" }
  return { kind: "taken", draft, putBack: () => update(store, sessionID, withRecord(metadata, record)) }
}

async function update(store: Store, sessionID: string, metadata: unknown): Promise<void> {
  const call = method(store.session, "update")
  if (call === undefined) throw new Error("this OpenCode cannot change a session's metadata")
  await call({ sessionID, metadata })
}

async function metadataIn(store: Store, sessionID: string): Promise<Readonly<Record<string, unknown>>> {
  const session = await method(store.session, "get")?.({ sessionID })
  const metadata = field(session, "metadata") ?? field(field(session, "data"), "metadata")
  return isRecord(metadata) ? metadata : {}
}
