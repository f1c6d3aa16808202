import { decodeSignal, encodeSignal, type Signal } from "../../handoff/signals.ts"
import { attempt, type V1Client } from "./client.ts"

// The server part's side of the talk with terminal parts: sends a signal to every terminal of this server and
// hands the answers to whoever waits for them. The plugin may be started twice in one process and only one of
// the two gets events, so the listeners are shared by the whole module.

type Listener = (signal: Signal) => void

const listeners = new Map<string, Listener>()

/** Hands the signals of one exchange to `listener` until the returned function is called. */
export function listen(id: string, listener: Listener): () => void {
  listeners.set(id, listener)
  return () => listeners.delete(id)
}

/** Takes a host event's `command`; anything that is not a signal is left alone. */
export function receive(command: unknown): void {
  const signal = decodeSignal(command)
  if (signal !== undefined) listeners.get(signal.id)?.(signal)
}

/** Sends a signal to every terminal of this server. True when the host took it; nobody may be there. */
export async function send(client: V1Client, signal: Signal): Promise<boolean> {
  return execute(client, encodeSignal(signal))
}

/** Publishes a terminal command by its full name, which `tui.executeCommand` cannot for most names. */
export async function execute(client: V1Client, command: string): Promise<boolean> {
  // The client's types list only some of the commands; the host takes any text.
  const properties: { command: never } = { command: command as never }
  const reply = await attempt(
    "tui command",
    () => client.tui.publish({ body: { type: "tui.command.execute", properties } }),
    publishTimeoutMs,
  )
  return reply.ok
}

/** A publish is answered in milliseconds; a host that takes longer than this is not going to. */
const publishTimeoutMs = 2000
