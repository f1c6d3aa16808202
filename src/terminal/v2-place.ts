import { field, method, textField } from "../session/capability.ts"

// Puts a draft into the prompt of a session in this terminal. V2 has no call for it: the session is opened with
// a seed that its route takes, or the text is inserted into the focused field; either counts only when the
// field is then read and holds exactly the draft.

export type Screen = {
  /** `ui.router`. */
  readonly router: unknown
  /** `keymap`. */
  readonly keymap: unknown
  /** `renderer`; without it nothing can be verified, and nothing is put. */
  readonly renderer: unknown
}

export type Placed =
  | { readonly placed: true }
  /** `left`: the user went to another place meanwhile, and is not brought back. */
  | { readonly placed: false; readonly why: string; readonly left?: true }

/** A prompt mounts in about 300 ms; with both cores busy it has taken seconds. */
export const MOUNT_MS = 6_000

/** Between leaving a session and opening the next one; in the tree it was tried with, this let the seed take. */
export const LEAVE_MS = 50

/** An empty prompt is given this long to take its seed before the text is inserted. */
export const SEED_MS = 500

/** The session that is on screen, or undefined. */
export function shownSession(router: unknown): string | undefined {
  const route = method(router, "current")?.()
  const id = textField(route, "type") === "session" ? textField(route, "sessionID") : ""
  return id === "" ? undefined : id
}

/**
 * Puts the draft into the prompt of the session; `lead` opens the session for it. What the user has typed anywhere is
 * never lost or mixed.
 */
export async function place(
  screen: Screen,
  sessionID: string,
  draft: string,
  lead: boolean,
): Promise<Placed> {
  if (!lead && shownSession(screen.router) !== sessionID) return left
  if (screen.renderer === undefined || screen.renderer === null)
    return { placed: false, why: "this terminal does not let a plugin read its prompt" }
  const typed = typedText(screen)
  if (typed !== undefined && typed !== "" && typed !== draft) {
    await method(screen.keymap, "dispatch")?.("prompt.stash")
    if (typedText(screen) !== "") return { placed: false, why: "the prompt holds text that was not sent" }
  }
  if (shownSession(screen.router) !== sessionID) await open(screen, sessionID, draft)
  return settle(screen, sessionID, draft)
}

async function open(screen: Screen, sessionID: string, draft: string): Promise<void> {
  const navigate = method(screen.router, "navigate")
  if (navigate === undefined) throw new Error("this terminal cannot be led to a session")
  await navigate({ type: "home" })
  await delay(LEAVE_MS)
  const prompt = { text: draft, files: [], agents: [], pasted: [] }
  await navigate({ type: "session", sessionID, prompt })
}

async function settle(screen: Screen, sessionID: string, draft: string): Promise<Placed> {
  const began = performance.now()
  let arrived = shownSession(screen.router) === sessionID
  while (performance.now() - began < MOUNT_MS) {
    const isShown = shownSession(screen.router) === sessionID
    if (arrived && !isShown) return left
    arrived ||= isShown
    const typed = isShown ? typedText(screen) : undefined
    if (typed === draft) return { placed: true }
    if (typed !== undefined && typed !== "") return { placed: false, why: "its prompt holds other text" }
    if (typed === "" && performance.now() - began > SEED_MS) {
      method(focused(screen), "insertText")?.(draft)
      return typedText(screen) === draft
        ? { placed: true }
        : { placed: false, why: "its prompt did not take the text" }
    }
    await delay(20)
  }
  return { placed: false, why: "its prompt did not appear" }
}

const left: Placed = { placed: false, why: "its session was left", left: true }

/** The text of the focused field; undefined when none has the focus. */
function typedText(screen: Screen): string | undefined {
  const text = field(focused(screen), "plainText")
  return typeof text === "string" ? text : undefined
}

function focused(screen: Screen): unknown {
  return field(screen.renderer, "currentFocusedRenderable")
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
