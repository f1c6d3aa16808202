import { commandDescription, commandName, commandText } from "../handoff/template.ts"
import { field, method, textField } from "../session/capability.ts"
import { askedBy } from "./v2-answer.ts"

// `/handoff` in the terminal. It says what the server's command says, and leaves a mark of this terminal in the
// prompt, so that of several terminals on one session only this one opens the draft.

export type CommandSetup = {
  readonly keymap: unknown
  readonly ui: unknown
  /** `client.session`. */
  readonly session: unknown
  readonly terminal: string
  shownSession(): string | undefined
  tell(message: string): void
}

/** A slot is rendered at once; after this long its claim was not understood. In milliseconds. */
export const RENDER_MS = 1_000

/**
 * Adds the command. Where this terminal cannot, the server's command is there. Layers are taken only while a slot is
 * rendered, so one of the whole screen is claimed: as later releases want it, then as the ones before.
 */
export function addTerminalCommand(setup: CommandSetup): void {
  const layer = method(setup.keymap, "layer")
  if (layer === undefined) return
  const slot = method(setup.ui, "slot")
  if (slot === undefined) {
    layer(() => layerOf(setup))
    return
  }
  let drop: unknown
  let rendered = false
  const render = (): null => {
    rendered = true
    try {
      // The host may render the slot again: the layer of before is given back where it can be.
      if (typeof drop === "function") Reflect.apply(drop, undefined, [])
      drop = layer(() => layerOf(setup))
    } catch {
      // What a slot throws is the whole screen's: the server's command is there.
    }
    return null
  }
  const before = () => {
    if (rendered) return
    try {
      slot("app", render)
    } catch {
      // A later release, which refuses this form.
    }
  }
  try {
    slot({ append: "app", render })
  } catch {
    return before()
  }
  setTimeout(before, RENDER_MS).unref?.()
}

function layerOf(setup: CommandSetup) {
  return {
    commands: [
      {
        id: "opencode-baton.handoff",
        title: "Handoff",
        description: commandDescription,
        slash: { name: commandName, arguments: true },
        run: (input: unknown) => run(setup, input),
      },
    ],
  }
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
