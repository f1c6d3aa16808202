import { calls, text } from "../hosts/reply.ts"
import { toolResults } from "../hosts/request.ts"
import type { CallInput } from "../hosts/reply.ts"
import type { HostClient } from "../hosts/client.ts"
import { waitUntil } from "../hosts/wait.ts"
import type { World } from "../hosts/world.ts"

// A session whose model calls tools when a test says so. Its script must be a queue.

export type Ask = readonly [tool: string, input?: CallInput]

export type Agent = {
  readonly sessionID: string
  /** What the model was told when it called the tool. */
  ask(tool: string, input?: CallInput): Promise<string>
  /** Several calls in one turn; the answers in the order of the calls. */
  askAll(list: readonly Ask[]): Promise<readonly string[]>
  /** The first answer of the tool that `wanted` holds for. */
  askUntil(ask: Ask, wanted: (answer: string) => boolean, timeoutMs?: number): Promise<string>
}

/** An agent in a session of its own, or in the one given. */
export async function agentOf(world: World, host: HostClient, sessionID?: string): Promise<Agent> {
  const session = sessionID ?? (await host.createSession({ title: "The asking session" })).id
  const askAll = async (list: readonly Ask[]) => {
    world.model.add(calls(list), text("Done."))
    await host.prompt(session, "Go on.")
    const results = toolResults(world.model.lastRequest()).slice(-list.length)
    if (results.length < list.length) throw new Error(`${list.length} calls, ${results.length} answers`)
    return results.map((result) => result.output)
  }
  const ask = async (tool: string, input: CallInput = {}) => (await askAll([[tool, input]]))[0] ?? ""
  return {
    sessionID: session,
    ask,
    askAll,
    askUntil([tool, input], wanted, timeoutMs) {
      let last = ""
      return waitUntil(
        async () => {
          last = await ask(tool, input)
          return wanted(last) ? last : undefined
        },
        () => `${tool} ${JSON.stringify(input)} answers: ${last}`,
        timeoutMs,
      )
    },
  }
}
