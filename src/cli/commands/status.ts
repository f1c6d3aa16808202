import { statSync } from "node:fs"
import type { Status, StoredMarker } from "../../history/contract.ts"
import { LAYOUT_VERSION } from "../../history/schema.ts"
import { excluder, unreadableIn } from "../../history/sync/index.ts"
import { counted } from "../../tools/search/notes.ts"
import type { Context } from "../context.ts"
import { pad, wrapLines } from "../layout.ts"
import { DONE, type Outcome, trouble } from "../outcome.ts"
import { shortPath } from "../view/text.ts"
import { timeJson, writeJson } from "../view/json.ts"
import { indexPath } from "../index-path.ts"
import { lookFor } from "./search.ts"

// `baton status`: where the index is, what it holds, and what needs a person, each with the remedy. Asking it
// creates nothing.

/** An index that was not written to for so long is most likely not being kept up to date. */
export const STALE_MS = 7 * 24 * 3_600_000

/** A log longer than this has a reader that never lets go: searches get slower. */
export const LOG_BYTES_MAX = 64 * 1024 * 1024

export async function status(
  context: Context,
  options: { readonly json?: boolean | undefined },
): Promise<Outcome> {
  const file = indexPath(context.dataDir)
  if (statSync(file, { throwIfNoEntry: false }) === undefined)
    return {
      code: 1,
      error: `there is no index at ${file} yet; start OpenCode with the plugin, or run \`baton index\``,
    }
  const found = await context.history().status()
  if (!found.ok) return trouble(found.fault.message)
  const markers = await context.history().markers(context.signal)
  if (!markers.ok) return trouble(markers.fault.message)
  const facts = factsOf(found.value, markers.value, context)
  const attention = attentionOf(found.value, facts, context)
  if (options.json === true) await writeJson(context.output, { kind: "status", ...facts, attention })
  else await write(context, facts, attention)
  return DONE
}

type Facts = ReturnType<typeof factsOf>

function factsOf(status: Status, markers: readonly StoredMarker[], context: Context) {
  const isExcluded = excluder(context.options.exclude, context.env["HOME"])
  const hosts = [
    ...new Set(
      markers.map((one) => /^(v\d+)\./.exec(one.marker ?? "")?.[1]).filter((kind) => kind !== undefined),
    ),
  ]
  return {
    file: status.file,
    bytes: status.bytes,
    logBytes: status.logBytes,
    layout: status.layout,
    mode: status.mode,
    driver: status.driver,
    sessions: status.sessions,
    indexed: status.complete,
    /** Listed and not fetched to the end: waiting, or failed and tried again. */
    pending: status.sessions - status.complete,
    messages: status.messages,
    /** Messages and parts of messages that OpenCode could not deliver in a form that can be read. */
    unreadable: unreadableIn(markers),
    edits: status.edits,
    excludedRules: context.options.exclude,
    excludedStored: markers.filter(isExcluded).length,
    forgottenRules: status.forgotten,
    lastSync: timeJson(status.syncedAt),
    hosts: hosts.sort(),
    notes: status.notes,
  }
}

function attentionOf(status: Status, facts: Facts, context: Context): readonly string[] {
  const age = status.syncedAt === undefined ? undefined : context.now() - status.syncedAt
  return [
    ...facts.notes,
    facts.mode === "read-only"
      ? `The index cannot be written to, so it goes out of date: make ${facts.file} and its folder writable.`
      : "",
    facts.pending > 0
      ? `${counted(facts.pending, "session is", "sessions are")} not completely indexed: OpenCode goes on with them while it runs, \`baton index\` does it now and names those that fail.`
      : "",
    age !== undefined && age > STALE_MS
      ? `The last sync was ${Math.floor(age / 86_400_000)} days ago: run \`baton index\`, and \`baton doctor\` when OpenCode was used since.`
      : "",
    status.sessions === 0 ? "The index is empty: run `baton index`." : "",
    facts.excludedStored > 0
      ? `${counted(facts.excludedStored, "excluded session is", "excluded sessions are")} still stored: the next \`baton index\` removes them.`
      : "",
    facts.logBytes > LOG_BYTES_MAX
      ? "The log beside the index is long, which slows searches: end processes that read it for a long time, then run `baton index`."
      : "",
  ].filter((line) => line !== "")
}

async function write(context: Context, facts: Facts, attention: readonly string[]): Promise<void> {
  const look = lookFor(context)
  const { paint, textColumns } = context.output
  const rows: readonly (readonly [string, string])[] = [
    ["index", shortPath(facts.file, look)],
    [
      "size",
      `${megabytes(facts.bytes)}${facts.logBytes > 0 ? ` and ${megabytes(facts.logBytes)} of log` : ""}`,
    ],
    ["sessions", `${facts.indexed} indexed, ${facts.pending} pending or failed`],
    [
      "messages",
      facts.unreadable === 0
        ? String(facts.messages)
        : `${facts.messages}; ${facts.unreadable} of them, or parts of them, OpenCode cannot deliver`,
    ],
    ["file edits", String(facts.edits)],
    [
      "excluded",
      facts.excludedRules.length === 0
        ? "nothing"
        : `${counted(facts.excludedRules.length, "rule")}: ${facts.excludedRules.join(", ")}`,
    ],
    ["forgotten", facts.forgottenRules === 0 ? "nothing" : counted(facts.forgottenRules, "rule")],
    [
      "last sync",
      facts.lastSync === null
        ? "never"
        : `${look.clock.time(Date.parse(facts.lastSync))} (${look.clock.zone})`,
    ],
    [
      "host seen",
      facts.hosts.length === 0
        ? "none"
        : facts.hosts.map((kind) => `OpenCode ${kind.toUpperCase()}`).join(", "),
    ],
    [
      "layout",
      `${facts.layout}${facts.layout === LAYOUT_VERSION ? "" : ` (this baton writes ${LAYOUT_VERSION})`}`,
    ],
    ["runs on", facts.driver],
  ]
  await context.output.lines([
    ...rows.flatMap(([name, value]) => {
      const [first = "", ...rest] = wrapLines(value, textColumns - NAME_COLUMNS)
      return [
        paint.faint(pad(name, NAME_COLUMNS)) + first,
        ...rest.map((line) => " ".repeat(NAME_COLUMNS) + line),
      ]
    }),
    ...(attention.length === 0
      ? []
      : ["", ...attention.flatMap((line) => wrapLines(line, textColumns)).map(paint.warning)]),
  ])
}

const NAME_COLUMNS = 12

/** Bytes as people read them. */
export function megabytes(bytes: number): string {
  if (bytes < 1024 * 1024) return `${Math.ceil(bytes / 1024)} KB`
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`
}
