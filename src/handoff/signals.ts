import * as z from "zod/mini"
import { parseJson } from "../text/json.ts"

// What the server part and the terminal part say to each other. V1 carries any text in the `command` of a
// `tui.command.execute` event to every terminal of the server and back to the plugin; an unknown command
// does nothing by itself.
//
//   server   offer   "a draft from session S is ready: who shows S?"
//   terminal here    "I run the terminal part, and I do (not) show S"
//   server   grant   "you, terminal T, take the draft"
//   terminal done    "it is in my prompt" or "it is not, because …"
//   server   cancel  "too late, it is stored elsewhere now"

const prefix = "opencode-baton."

const signal = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("offer"),
    id: z.string(),
    sessionIDs: z.array(z.string()),
    /** The plugin instance to answer: V1 delivers a terminal's answer to one directory only. */
    directory: z.string(),
  }),
  z.object({ kind: z.literal("here"), id: z.string(), terminal: z.string(), showing: z.boolean() }),
  z.object({
    kind: z.literal("grant"),
    id: z.string(),
    terminal: z.string(),
    draft: z.string(),
    directory: z.string(),
  }),
  z.object({
    kind: z.literal("done"),
    id: z.string(),
    terminal: z.string(),
    shown: z.boolean(),
    why: z.optional(z.string()),
  }),
  z.object({ kind: z.literal("cancel"), id: z.string() }),
])

export type Signal = z.infer<typeof signal>

/** The `command` text that carries a signal. */
export function encodeSignal(value: Signal): string {
  return prefix + JSON.stringify(value)
}

/** The signal in a `command` text; undefined for every other command, and for a signal of another version. */
export function decodeSignal(command: unknown): Signal | undefined {
  if (typeof command !== "string" || !command.startsWith(prefix)) return undefined
  const parsed = signal.safeParse(parseJson(command.slice(prefix.length)))
  return parsed.success ? parsed.data : undefined
}
