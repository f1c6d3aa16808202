import { LAYOUT_VERSION } from "../../history/file/schema.ts"
import { counted } from "../../tools/search/notes.ts"
import type { Facts } from "../commands/status.ts"
import { pad, wrapLines } from "../layout.ts"
import { shortPath, type Look } from "./text.ts"

// The status of the index as people read it: facts, then what is slow or broken with what to do.

/** An index that was not written to for so long is most likely not being kept up to date. */
export const STALE_MS = 7 * 24 * 3_600_000

/** A log longer than this has a reader that never lets go: searches get slower. */
export const LOG_BYTES_MAX = 64 * 1024 * 1024

/** The status reads a few numbers and the list of sessions: longer than this means a slow disk or machine. */
export const SLOW_MS = 2_000

const NAME_COLUMNS = 12

export function statusLines(facts: Facts, attention: readonly string[], look: Look): readonly string[] {
  const { paint, textColumns } = look.output
  return [
    ...rowsOf(facts, look).flatMap(([name, value]) => {
      const [first = "", ...rest] = wrapLines(value, textColumns - NAME_COLUMNS)
      return [
        paint.faint(pad(name, NAME_COLUMNS)) + first,
        ...rest.map((line) => " ".repeat(NAME_COLUMNS) + line),
      ]
    }),
    ...(attention.length === 0
      ? []
      : ["", ...attention.flatMap((line) => wrapLines(line, textColumns)).map(paint.warning)]),
  ]
}

function rowsOf(facts: Facts, look: Look): readonly (readonly [string, string])[] {
  const time = (iso: string | null, otherwise: string) =>
    iso === null ? otherwise : `${look.clock.time(Date.parse(iso))} (${look.clock.zone})`
  const log = facts.logBytes > 0 ? ` and ${megabytes(facts.logBytes)} of log` : ""
  return [
    ["index", shortPath(facts.file, look)],
    ["size", `${megabytes(facts.bytes)}${log}`],
    ["sessions", String(facts.sessions)],
    ["  indexed", String(facts.indexed)],
    ["  pending", String(facts.pending)],
    ["  failed", String(facts.failed)],
    ["  excluded", leftOut(facts.excluded, facts.excludedRules.length, facts.excludedRules)],
    ["  forgotten", leftOut(facts.forgotten, facts.forgottenRules, [])],
    ["messages", messagesText(facts)],
    ["file edits", String(facts.edits)],
    ["last sync", time(facts.lastSync, "never")],
    ["counted", time(facts.counted, "not yet: pending and failed are known after a whole sync")],
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
    ["runs on", `${facts.driver}, answered in ${facts.answeredMs} ms`],
  ]
}

/** `3 by 1 rule: /work/secret`; of rules alone before a sync has counted sessions. */
function leftOut(sessions: number | null, rules: number, names: readonly string[]): string {
  if (rules === 0) return sessions === null || sessions === 0 ? "0" : String(sessions)
  const by = `${counted(rules, "rule")}${names.length === 0 ? "" : `: ${names.join(", ")}`}`
  return sessions === null ? by : `${sessions} by ${by}`
}

/** What needs a person, a sentence each, with what to do. */
export function attentionOf(facts: Facts, now: number): readonly string[] {
  const age = facts.lastSync === null ? 0 : now - Date.parse(facts.lastSync)
  return [
    ...facts.notes,
    facts.mode === "read-only"
      ? `The index cannot be written to, so it goes out of date: make ${facts.file} and its folder writable.`
      : "",
    facts.pending > 0
      ? `${counted(facts.pending, "session is", "sessions are")} not completely indexed: OpenCode goes on with them while it runs, \`baton index\` does it now.`
      : "",
    facts.failed > 0
      ? `${counted(facts.failed, "session")} could not be fetched: OpenCode tries again while it runs, \`baton index\` does it now and says why.`
      : "",
    age > STALE_MS
      ? `The last sync was ${Math.floor(age / 86_400_000)} days ago: run \`baton index\`, and \`baton doctor\` when OpenCode was used since.`
      : "",
    facts.sessions === 0 ? "The index is empty: run `baton index`." : "",
    facts.excludedStored > 0
      ? `${counted(facts.excludedStored, "excluded session is", "excluded sessions are")} still stored: the next \`baton index\` removes them.`
      : "",
    facts.logBytes > LOG_BYTES_MAX
      ? "The log beside the index is long, which slows searches: end processes that read it for a long time, then run `baton index`."
      : "",
    facts.answeredMs > SLOW_MS
      ? `The index took ${facts.answeredMs} ms to answer: the disk or the machine is slow, or another process keeps it busy; \`baton doctor\` looks for locks.`
      : "",
  ].filter((line) => line !== "")
}

/** Bytes as people read them. */
function megabytes(bytes: number): string {
  if (bytes < 1024 * 1024) return `${Math.ceil(bytes / 1024)} KB`
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`
}

function messagesText({ messages, unreadable, unreadableAtLeast }: Facts): string {
  if (unreadable === 0) return String(messages)
  return `${messages}; ${unreadableAtLeast ? "at least " : ""}${unreadable} of them, or parts of them, OpenCode cannot deliver`
}
