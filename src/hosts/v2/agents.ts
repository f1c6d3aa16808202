import { field, textField, type Call } from "../../session/capability.ts"
import { bounded, type Http } from "./http.ts"
import { pause } from "./service.ts"

// The agents of a folder. The first question for a folder may be answered with none: its configuration is still being
// read, so it is asked again, and none in the end is not known.

/** Questions for one folder, and the wait between two: a prompt is held meanwhile. */
export const AGENT_TRIES = 5
export const AGENT_WAIT_MS = 150

export type AgentSource = {
  /** `agent.list` of the host: no request is needed. */
  readonly agentList: Call | undefined
  readonly http: Http
  /** The folder this instance serves. */
  readonly directory: string
}

/** The agents of `directory`, the default one first; undefined when the host does not tell. Never throws. */
export async function agentsOf(
  source: AgentSource,
  directory: string,
): Promise<readonly unknown[] | undefined> {
  for (let tries = 0; tries < AGENT_TRIES; tries++) {
    if (tries > 0) await pause(AGENT_WAIT_MS)
    const own = await fromHost(source, directory)
    if (own !== undefined) return own
    const path = "/api/agent"
    const asked = await source.http("agents", { path, query: { "location[directory]": directory } })
    const listed = asked.ok ? listIn(asked.value, directory) : undefined
    if (listed !== undefined) return listed
    const isFinal =
      !asked.ok && asked.trouble.reason !== "unreachable" && asked.trouble.reason !== "undecodable"
    if (source.agentList === undefined && isFinal) return undefined
  }
  return undefined
}

async function fromHost(source: AgentSource, directory: string): Promise<readonly unknown[] | undefined> {
  const { agentList } = source
  if (agentList === undefined) return undefined
  const isOwn = directory === source.directory
  const args = isOwn ? {} : { location: { directory } }
  const asked = await bounded("agents", () => agentList(args), LIST_MS)
  if (!asked.ok) return undefined
  // A release that does not know the argument answers for its own folder.
  const isTold = textField(field(asked.value, "location"), "directory") !== ""
  return isOwn || isTold ? listIn(asked.value, directory) : undefined
}

/** The host's own list is in memory. */
const LIST_MS = 1_000

/** The agents in an answer that is about this folder. */
function listIn(answer: unknown, directory: string): readonly unknown[] | undefined {
  const told = textField(field(answer, "location"), "directory")
  if (told !== "" && told !== directory) return undefined
  const list: unknown = Array.isArray(answer) ? answer : field(answer, "data")
  return Array.isArray(list) && list.length > 0 ? list : undefined
}

/** The agent a session works with; without a name the default one: the first that a person may choose. */
export function agentIn(agents: readonly unknown[], name: string): unknown {
  if (name !== "")
    return agents.find((one) => textField(one, "id") === name || textField(one, "name") === name)
  return agents.find((one) => textField(one, "mode") !== "subagent" && field(one, "hidden") !== true)
}
