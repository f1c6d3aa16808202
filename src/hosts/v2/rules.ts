import type { ReadRules } from "../../handoff/read-rules.ts"
import { readRules } from "../../handoff/read-rules.ts"
import { isRecord } from "../../session/from-unknown.ts"
import { field, textField } from "../../session/capability.ts"
import type { Http } from "./http.ts"

// The read rules of the session's agent and of the session itself. V2 spells a rule `{ action, resource,
// effect }`; the last match wins, and the host's own defaults come first.

/** What V2 starts from (its documentation of permissions), as far as it concerns reading. */
const DEFAULTS = [
  { action: "*", resource: "*", effect: "allow" },
  { action: "read", resource: "*.env", effect: "ask" },
  { action: "read", resource: "*.env.*", effect: "ask" },
  { action: "read", resource: "*.env.example", effect: "allow" },
]

/** The rules for files that a prompt of this session attaches; the host's defaults where it tells none. */
export async function readRulesOf(
  http: Http,
  session: unknown,
  platform?: NodeJS.Platform,
): Promise<ReadRules> {
  const name = textField(session, "agent")
  const agent = name === "" ? undefined : await agentOf(http, name)
  return readRules([...v1Rules(DEFAULTS), ...rulesIn(agent), ...rulesIn(session)], platform)
}

async function agentOf(http: Http, name: string): Promise<unknown> {
  const found = await http("agents", { path: "/api/agent" })
  const agents: unknown = found.ok ? (field(found.value, "data") ?? found.value) : undefined
  if (!Array.isArray(agents)) return undefined
  return agents.find((agent: unknown) => textField(agent, "id") === name || textField(agent, "name") === name)
}

function rulesIn(owner: unknown): readonly unknown[] {
  const rules: unknown = field(owner, "permissions") ?? field(owner, "permission")
  return Array.isArray(rules) ? v1Rules(rules) : []
}

/** The spelling the rules are read in. What is no rule stays, and allows nothing: it may forbid anything. */
function v1Rules(rules: readonly unknown[]): readonly unknown[] {
  return rules.map((rule) =>
    isRecord(rule) && typeof rule["effect"] === "string"
      ? { permission: rule["action"], pattern: rule["resource"], action: rule["effect"] }
      : rule,
  )
}
