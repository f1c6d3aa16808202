import { matchesPattern } from "../../../src/handoff/read-rules.ts"
import { isRecord } from "../../../src/session/from-unknown.ts"

// Agents of a location with their rules, and what those rules say. The last match wins; without one it is asked.

export type Effect = "allow" | "deny" | "ask"
export type Rule = { readonly action: string; readonly resource: string; readonly effect: Effect }
export type Agent = {
  readonly id: string
  readonly name: string
  readonly mode: "primary" | "subagent"
  readonly hidden: boolean
  readonly permissions: readonly Rule[]
}

/** What every agent starts with. */
export const DEFAULT_RULES: readonly Rule[] = [
  { action: "*", resource: "*", effect: "allow" },
  { action: "external_directory", resource: "*", effect: "ask" },
  { action: "read", resource: "*.env", effect: "ask" },
  { action: "read", resource: "*.env.*", effect: "ask" },
  { action: "read", resource: "*.env.example", effect: "allow" },
]

/** The rules of the test projects' own configuration. */
export const PROJECT_RULES: readonly Rule[] = [{ action: "read", resource: "*.secret", effect: "deny" }]

export function agent(id: string, more: Partial<Agent> = {}): Agent {
  const rules = [...DEFAULT_RULES, ...PROJECT_RULES]
  return { id, name: id, mode: "primary", hidden: false, permissions: rules, ...more }
}

export type Agents = {
  /** The agents of a folder, the default one first; other folders have an agent with the defaults alone. */
  readonly at: Map<string, readonly Agent[]>
  /** What the host answers for a folder: nothing at all the first time. */
  answer(directory: string): { readonly location: object; readonly data: readonly Agent[] }
  /** The agent whose rules hold in a session; undefined for one that does not exist. */
  of(session: Readonly<Record<string, unknown>>): Agent | undefined
}

export function createAgents(directory: string): Agents {
  const at = new Map<string, readonly Agent[]>([[directory, [agent("build"), agent("plan")]]])
  const warm = new Set<string>()
  const elsewhere = [agent("build", { permissions: DEFAULT_RULES })]
  const all = (folder: string) => at.get(folder) ?? elsewhere
  return {
    at,
    answer(folder) {
      const isCold = !warm.has(folder)
      warm.add(folder)
      return { location: { directory: folder }, data: isCold ? [] : all(folder) }
    },
    of(session) {
      const place = session["location"]
      const agents = all(isRecord(place) ? String(place["directory"]) : "")
      const name = session["agent"]
      return name === undefined ? agents[0] : agents.find((one) => one.id === name)
    },
  }
}

/** What the rules say to one action on one resource. */
export function effectOf(rules: readonly Rule[], action: string, resource: string): Effect {
  const last = rules.findLast(
    (rule) =>
      matchesPattern(action, rule.action, "linux") && matchesPattern(resource, rule.resource, "linux"),
  )
  return last?.effect ?? "ask"
}
