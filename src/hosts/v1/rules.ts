import { isRecord } from "../../session/from-unknown.ts"
import { attempt, type V1Client } from "./client.ts"

// The permission rules a tool of the host has in a session, as V1 1.18 joins them: those of the agent, then those of the
// session, and the last that matches counts. Tools that a prompt switches on or off are its session's only rules from
// then on, each for everything. What V1 keeps to itself is left out: what was allowed "always" in its memory.

export type Ruled = {
  readonly agent: string
  /** The session as V1 gives it; undefined when it could not be read. */
  readonly session: unknown
  /** The prompt's `tools`, where it is a prompt that is asked about. */
  readonly tools?: unknown
}

/** The rules in their order; undefined when the agent cannot be read within `timeoutMs`, or its session was not. */
export async function rulesOf(
  client: V1Client,
  ruled: Ruled,
  timeoutMs: number,
): Promise<readonly unknown[] | undefined> {
  const switched = switchedTools(ruled.tools)
  const session = switched.length > 0 ? switched : sessionRules(ruled.session)
  const agent = await agentRules(client, ruled.agent, timeoutMs)
  return agent === undefined || session === undefined ? undefined : [...agent, ...session]
}

async function agentRules(
  client: V1Client,
  name: string,
  timeoutMs: number,
): Promise<readonly unknown[] | undefined> {
  const reply = await attempt("agents", () => client.app.agents(), timeoutMs)
  if (!reply.ok || !Array.isArray(reply.value.data)) return undefined
  const agents: unknown[] = reply.value.data
  return listIn(agents.find((agent) => isRecord(agent) && agent["name"] === name))
}

function sessionRules(session: unknown): readonly unknown[] | undefined {
  if (!isRecord(session)) return undefined
  // Most sessions have no rules of their own.
  return (session["permission"] ?? undefined) === undefined ? [] : listIn(session)
}

function listIn(owner: unknown): readonly unknown[] | undefined {
  const rules = isRecord(owner) ? owner["permission"] : undefined
  return Array.isArray(rules) ? rules : undefined
}

function switchedTools(tools: unknown): readonly unknown[] {
  if (!isRecord(tools)) return []
  return Object.entries(tools).map(([permission, enabled]) => ({
    permission,
    pattern: "*",
    action: enabled === true ? "allow" : "deny",
  }))
}
