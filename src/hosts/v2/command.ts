import { commandDescription, commandName, commandText } from "../../handoff/template.ts"
import type { Log } from "../host.ts"
import { field, method, textField, type Call } from "../../session/capability.ts"
import { bounded, type Http } from "./http.ts"
import { describe, type Outcome } from "./trouble.ts"

// `/handoff` on V2. The callback form gets what the user typed as text, so the goal stays what it is and nothing
// in it runs. Where only templates exist, a goal in one would be expanded and executed: it is left out there.

/** How long the host may take to admit the prompt; a person waits for it. */
export const PROMPT_MS = 10_000

export type CommandSetup = {
  readonly transform: Call
  /** `session.prompt` of the host. */
  readonly prompt: Call | undefined
  readonly http: Http
  readonly log: Log
  /** Called when the host took the command. */
  added(): void
}

/** Adds the command. A command of that name the user has is kept. */
export function addCommand(setup: CommandSetup): unknown {
  return setup.transform((editor: unknown) => {
    try {
      if (usersOwn(editor))
        setup.log("info", "the user's own command `handoff` is kept; the plugin's is not added")
      else if (!addAs(editor, setup)) return setup.log("warn", "command: this OpenCode has no way to add one")
      setup.added()
    } catch (error) {
      setup.log("warn", `command: \`handoff\` was not taken: ${describe(error)}`)
    }
  })
}

function addAs(editor: unknown, setup: CommandSetup): boolean {
  const entry = { name: commandName, description: commandDescription }
  const add = method(editor, "add")
  if (add !== undefined) {
    try {
      add({ ...entry, execute: (invocation: unknown) => run(setup, invocation) })
    } catch (error) {
      setup.log("info", `command: added as a template without its goal: ${describe(error)}`)
      add({ ...entry, template: templateText })
    }
    return true
  }
  const update = method(editor, "update")
  update?.(commandName, (command: unknown) => {
    if (typeof command !== "object" || command === null) return { ...entry, template: templateText }
    Object.assign(command, { ...entry, template: templateText })
    return command
  })
  return update !== undefined
}

/** The last placeholder takes the rest of the arguments, and no call has this many: it stands for nothing. */
const templateText = `${commandText(
  "(This release of OpenCode cannot hand over what was typed behind the command. If the conversation does not tell the goal, take the natural continuation of the work.)",
)}$999999999`

/** A command that is not ours. Ours is there again when the host runs its changes anew. */
function usersOwn(editor: unknown): boolean {
  const found = method(editor, "get")?.(commandName)
  return found !== undefined && found !== null && textField(found, "description") !== commandDescription
}

/** Sends the instructions with the goal as the user's prompt. Throws what the user has to know. */
async function run(setup: CommandSetup, invocation: unknown): Promise<void> {
  const typed = field(invocation, "prompt")
  const sessionID = textField(invocation, "sessionID")
  const rest = typeof typed === "object" && typed !== null ? typed : {}
  const prompt = { ...rest, text: commandText(textField(typed, "text")) }
  const sent = await send(setup, sessionID, prompt, {
    ...optional("id", field(invocation, "messageID")),
    ...optional("delivery", field(invocation, "delivery")),
  })
  if (sent.ok) return
  setup.log("error", "the handoff command was not sent", { sessionID, reason: sent.trouble.message })
  throw new Error(`/${commandName}: ${sent.trouble.message}`)
}

async function send(
  setup: CommandSetup,
  sessionID: string,
  prompt: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, unknown>>,
): Promise<Outcome> {
  const call = setup.prompt
  if (call === undefined)
    return setup.http("prompt", {
      method: "POST",
      path: `/api/session/${encodeURIComponent(sessionID)}/prompt`,
      body: { ...more, ...prompt },
    })
  // The prompt's fields as they are; a release may take them as one field.
  const sent = await bounded("prompt", () => call({ sessionID, ...more, ...prompt }), PROMPT_MS)
  if (sent.ok || !isAboutArguments(sent)) return sent
  return bounded("prompt", () => call({ sessionID, ...more, prompt }), PROMPT_MS)
}

/** A prompt is sent a second time only when the first was not understood. */
function isAboutArguments(outcome: Outcome): boolean {
  return !outcome.ok && outcome.trouble.reason === "failed" && !/busy|conflict/i.test(outcome.trouble.message)
}

function optional(name: string, value: unknown): Readonly<Record<string, unknown>> {
  return value === undefined ? {} : { [name]: value }
}
