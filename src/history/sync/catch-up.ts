import type { Progress } from "../contract.ts"
import { pause } from "./clock.ts"
import type { Backfill } from "./backfill.ts"
import type { SyncContext } from "./context.ts"
import type { Ledger } from "./ledger.ts"
import type { Live } from "./live.ts"
import type { Work } from "./work.ts"

// Before a search answers "nothing": what happened since the last listing is brought in, within a bound.

/** A search waits no longer for it than a person waits for a second answer. */
export const CATCH_UP_MS = 2_000

export type CaughtUp = Progress & {
  /** Everything the host has is in the index. When false, `why` is one clause for the answer. */
  readonly complete: boolean
  readonly why?: string
}

/** Never throws and never takes longer than CATCH_UP_MS; what is not finished then goes on in the background. */
export async function catchUp(
  context: SyncContext,
  parts: { readonly live: Live; readonly backfill: Backfill; readonly work: Work; readonly ledger: Ledger },
  signal: AbortSignal,
): Promise<CaughtUp> {
  const ended = new AbortController()
  const end = AbortSignal.any([ended.signal, signal, context.signal])
  let why: string | undefined = "it is still being brought up to date"
  const caught = bringIn().then(
    (trouble) => {
      why = trouble
    },
    (error: unknown) => {
      why = error instanceof Error ? error.message : String(error)
    },
  )
  await Promise.race([caught, pause(context.clock, CATCH_UP_MS, end)])
  ended.abort()
  const progress = parts.ledger.progress()
  const complete = why === undefined && progress.failed === 0 && progress.pending === 0
  return { ...progress, complete, ...(why === undefined ? {} : { why }) }

  /** What kept it from being complete. */
  async function bringIn(): Promise<string | undefined> {
    const listed = await parts.backfill.look()
    await parts.live.flush()
    await parts.work.drained()
    if (!listed.ok) return listed.fault.message
    return parts.work.halted() ? "the index takes no writes now" : undefined
  }
}
