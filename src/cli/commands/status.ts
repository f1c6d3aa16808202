import type { Reported, Status, StoredMarker } from "../../history/contract.ts"
import { excluder } from "../../history/sync/exclude.ts"
import { unreadableIn } from "../../history/sync/marker.ts"
import type { Context } from "../context.ts"
import { DONE, type Outcome, trouble } from "../outcome.ts"
import { timeJson, writeJson } from "../view/json.ts"
import { attentionOf, statusLines } from "../view/status.ts"
import { lookFor } from "../view/text.ts"

// `baton status`: where the index is, what it holds, and what needs a person. Asking it creates nothing.

export async function status(
  context: Context,
  options: { readonly json?: boolean | undefined },
): Promise<Outcome> {
  const began = performance.now()
  const found = await context.history().status()
  if (!found.ok) return trouble(found.fault.message)
  const markers = await context.history().markers(context.signal)
  if (!markers.ok) return trouble(markers.fault.message)
  const facts = factsOf(found.value, markers.value, context, performance.now() - began)
  const attention = attentionOf(facts, context.now())
  if (options.json === true) await writeJson(context.output, { kind: "status", ...facts, attention })
  else await context.output.lines(statusLines(facts, attention, lookFor(context)))
  return DONE
}

export type Facts = ReturnType<typeof factsOf>

function factsOf(status: Status, markers: readonly StoredMarker[], context: Context, tookMs: number) {
  const isExcluded = excluder(context.options.exclude, context.env["HOME"])
  const hosts = markers.map((one) => /^(v\d+)\./.exec(one.marker ?? "")?.[1])
  const { reported } = status
  const lacking = unreadableIn(markers)
  return {
    file: status.file,
    bytes: status.bytes,
    logBytes: status.logBytes,
    layout: status.layout,
    mode: status.mode,
    driver: status.driver,
    sessions: status.sessions,
    indexed: status.complete,
    pending: waiting(status, reported).pending,
    failed: waiting(status, reported).failed,
    /** Sessions that OpenCode has and the rules leave out; null before a sync counted them. */
    excluded: reported?.excluded ?? null,
    forgotten: reported?.forgotten ?? null,
    excludedRules: context.options.exclude,
    excludedStored: markers.filter(isExcluded).length,
    forgottenRules: status.forgotten,
    messages: status.messages,
    /** Messages and parts of messages that OpenCode could not deliver in a form that can be read. */
    unreadable: lacking.unreadable,
    /** Whether there may be more of them: OpenCode gives no way to count a run of messages that it cannot decode. */
    unreadableAtLeast: lacking.atLeast,
    edits: status.edits,
    lastSync: timeJson(status.syncedAt),
    /** When a sync last counted what is pending, failed, excluded and forgotten. */
    counted: timeJson(reported?.at),
    hosts: [...new Set(hosts.filter((kind) => kind !== undefined))].sort(),
    answeredMs: Math.round(tookMs),
    notes: status.notes,
  }
}

/** Before a sync has counted, stored sessions without their end wait; what is stored may also be newer than the count. */
function waiting(status: Status, reported: Reported | undefined) {
  const unfinished = status.sessions - status.complete
  const failed = reported?.failed ?? 0
  return { failed, pending: Math.max(reported?.pending ?? 0, unfinished - failed) }
}
