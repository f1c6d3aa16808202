import { appendFileSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { isRecord } from "../../session/from-unknown.ts"
import type { Database } from "../../storage/sqlite.ts"
import type { ForgetTarget } from "../contract.ts"
import { putRow } from "../file/sums.ts"
import { parseJson } from "../../text/json.ts"

// The rules of what stays forgotten, in the index and once more in a file beside it: an index of another layout or a
// damaged one is rebuilt from the host, and what was forgotten must not come back with it. Ids and times, no text.

/** One rule a line, as JSON. */
export const RULES_FILE = "forgotten.jsonl"

export type ForgetRule = {
  readonly kind: ForgetTarget["kind"]
  /** The session's or project's id; for dates the project they are limited to, or "". */
  readonly value: string
  readonly since: number
  readonly until: number
}

/** The rule that keeps a target out. A project's later sessions are new work: they may come in. */
export function ruleOf(target: ForgetTarget, now: number): ForgetRule {
  if (target.kind === "session") return { kind: "session", value: target.sessionID, since: 0, until: now }
  if (target.kind === "project") return { kind: "project", value: target.projectID, since: 0, until: now }
  return {
    kind: "dates",
    value: target.projectID ?? "",
    since: Math.trunc(target.from),
    until: Math.trunc(target.to),
  }
}

/** Makes the rule hold in this index. Call inside a transaction. */
export function addRule(database: Database, rule: ForgetRule): void {
  putRow(database, "INSERT OR IGNORE", "forgotten", [rule.kind, rule.value, rule.since, rule.until])
}

/** Keeps the rule for whatever index lies in this one's folder later. Throws what the file system reports. */
export function keepRule(indexPath: string, rule: ForgetRule): void {
  // The line break in front ends a line that a killed process left unfinished.
  appendFileSync(rulesPath(indexPath), `\n${JSON.stringify(rule)}\n`, { mode: 0o600 })
}

/** The kept rules; an unfinished line is none. Throws when there is a file that cannot be read. */
export function keptRules(indexPath: string): readonly ForgetRule[] {
  return textOf(rulesPath(indexPath))
    .split("\n")
    .map(readRule)
    .filter((rule) => rule !== undefined)
}

function rulesPath(indexPath: string): string {
  return join(dirname(indexPath), RULES_FILE)
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return ""
    throw error
  }
}

function readRule(line: string): ForgetRule | undefined {
  const rule = parseJson(line)
  if (!isRecord(rule)) return undefined
  const { kind, value, since, until } = rule
  if (kind !== "session" && kind !== "project" && kind !== "dates") return undefined
  if (typeof value !== "string" || typeof since !== "number" || typeof until !== "number") return undefined
  return { kind, value, since, until }
}
