import { commandDescription, commandName, commandText } from "../handoff/template.ts"
import { field, method, textField } from "../session/capability.ts"
import { askedBy } from "./v2-answer.ts"

// `/handoff` in the terminal. It says what the server's command says, and leaves a mark of this terminal in the
// prompt, so that of several terminals on one session only this one opens the draft.

export type CommandSetup = {
  readonly keymap: unknown
  /** `client.session`. */
  readonly session: unknown
  readonly terminal: string
  shownSession(): string | undefined
  tell(message: string): void
}

/** Adds the command. Where this terminal cannot, the server's command is there. */
export function addTerminalCommand(setup: CommandSetup): void {
  method(
    setup.keymap,
    "layer",
  )?.(() => ({
    commands: [
      {
        id: "opencode-baton.handoff",
        title: "Handoff",
        description: commandDescription,
        slash: { name: commandName, arguments: true },
        run: (input: unknown) => run(setup, input),
      },
    ],
  }))
}

/** False hands the command on: it was not typed into a session, or came in a form this version does not read. */
function run(setup: CommandSetup, input: unknown): boolean | undefined {
  const sessionID = setup.shownSession()
  const goal = goalOf(input)
  if (sessionID === undefined || goal === undefined || method(setup.session, "prompt") === undefined)
    return false
  void send(setup, sessionID, goal)
  return undefined
}

function goalOf(input: unknown): string | undefined {
  if (input === undefined || input === null) return ""
  if (typeof input === "string") return input
  const text = field(input, "arguments") ?? field(input, "text")
  return typeof text === "string" ? text : undefined
}

/** Never rejects: nobody waits for it. */
async function send(setup: CommandSetup, sessionID: string, goal: string): Promise<void> {
  const prompt = method(setup.session, "prompt")
  const body = { sessionID, text: commandText(goal) }
  const marked = { ...body, metadata: askedBy(setup.terminal) }
  try {
    // A release without metadata in prompts refuses the key and has sent nothing.
    if (await isRefused(() => prompt?.(marked))) await prompt?.(body)
  } catch (error) {
    setup.tell(`The handoff could not be sent: ${String(error)}. The goal was: ${goal}`)
  }
}

/** Whether the host took the arguments for wrong ones. Throws its other troubles. */
async function isRefused(call: () => unknown): Promise<boolean> {
  try {
    await call()
    return false
  } catch (error) {
    const tags = [textField(error, "_tag"), textField(error, "name")]
    if (tags.includes("InvalidRequestError")) return true
    throw error
  }
}
