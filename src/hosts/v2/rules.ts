import { posix, win32 } from "node:path"
import { matchesPattern, readRules, type ReadRules } from "../../handoff/read-rules.ts"
import { isRecord } from "../../session/from-unknown.ts"
import { field, textField } from "../../session/capability.ts"
import { agentIn, agentsOf, type AgentSource } from "./agents.ts"

// The read rules of the session's agent and of the session itself. V2 spells a rule `{ action, resource,
// effect }`; the last match wins, and the host's own defaults come first. A session on the default agent names none.

/** What V2 starts from (its documentation of permissions), as far as it concerns reading. */
const DEFAULTS = [
  { action: "*", resource: "*", effect: "allow" },
  { action: "read", resource: "*.env", effect: "ask" },
  { action: "read", resource: "*.env.*", effect: "ask" },
  { action: "read", resource: "*.env.example", effect: "allow" },
]

export type RuleSource = AgentSource & { readonly worktree: string }

/**
 * The rules for files that a prompt of this session attaches. Where the session, its agent or the agent's rules cannot
 * be known, every file is refused.
 */
export async function readRulesOf(
  source: RuleSource,
  session: unknown,
  platform: NodeJS.Platform = process.platform,
): Promise<ReadRules> {
  const unknown = readRules(undefined, platform)
  if (!isRecord(session)) return unknown
  const directory = textField(field(session, "location"), "directory") || source.directory
  const agents = await agentsOf(source, directory)
  const own = rulesIn(agents === undefined ? undefined : agentIn(agents, textField(session, "agent")))
  if (own === undefined || own.length === 0) return unknown
  const rules = [...v1Rules(DEFAULTS), ...own, ...(rulesIn(session) ?? [])]
  const paths = platform === "win32" ? win32 : posix
  return (relative) => {
    const absolute = paths.resolve(source.worktree, relative)
    // What the rules call a file: by its place in the worktree, or in the session's folder. Neither may refuse it.
    const names = new Set([relative, paths.relative(directory, absolute)])
    const verdicts = [...names].map((name) =>
      readRules(absoluteAs(rules, absolute, name, platform), platform)(name),
    )
    return verdicts.find((verdict) => verdict !== "allowed") ?? "allowed"
  }
}

/** V2 compares a rule of an absolute path with the absolute path: where it matches, it is one for this name. */
function absoluteAs(
  rules: readonly unknown[],
  absolute: string,
  name: string,
  platform: NodeJS.Platform,
): readonly unknown[] {
  return rules.map((rule) => {
    const pattern = textField(rule, "pattern")
    const isAbsolute = /^(?:[\\/]|[A-Za-z]:[\\/])/.test(pattern)
    return isRecord(rule) && isAbsolute && matchesPattern(absolute, pattern, platform)
      ? { ...rule, pattern: name }
      : rule
  })
}

function rulesIn(owner: unknown): readonly unknown[] | undefined {
  const rules: unknown = field(owner, "permissions") ?? field(owner, "permission")
  return Array.isArray(rules) ? v1Rules(rules) : undefined
}

/** The spelling the rules are read in. What is no rule stays, and allows nothing: it may forbid anything. */
function v1Rules(rules: readonly unknown[]): readonly unknown[] {
  return rules.map((rule) =>
    isRecord(rule) && typeof rule["effect"] === "string"
      ? { permission: rule["action"], pattern: rule["resource"], action: rule["effect"] }
      : rule,
  )
}
