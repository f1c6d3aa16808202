import type { TuiPluginApi, TuiPromptInfo, TuiPromptRef } from "@opencode-ai/plugin/tui"

// The terminal hands out its prompt only to a plugin that renders it. While a draft is on its way we render
// the host's own prompt component in the host's place and take its handle; at every other time the slot
// answers nothing, and the host renders its prompt itself.

/** Where a prompt stands: the home screen, or one session. */
export type Place = { readonly name: "home" } | { readonly name: "session"; readonly sessionID: string }

export type Prompts = {
  /**
   * Waits until the prompt at `place` exists and holds `text`, and says whether it does. `open` navigates
   * there. What the user was typing goes to the host's stash. `stillWanted` is asked right before the text
   * is set. Calls are served one after the other.
   */
  show(place: Place, text: string, open: () => void, stillWanted: () => boolean): Promise<boolean>
}

/** A prompt mounts in about 300 ms; with both cores busy it has taken seconds. */
export const mountMs = 6000

type Wanted = { readonly place: Place; taken(prompt: TuiPromptRef): void }

/** Registers the two prompt slots. Call once for a terminal. */
export function prompts(api: TuiPluginApi): Prompts {
  let wanted: Wanted | undefined

  api.slots.register({
    slots: {
      home_prompt: (_context, props) =>
        wanted?.place.name === "home"
          ? api.ui.Prompt({
              ref: handle(wanted, props.ref),
              get right() {
                return api.ui.Slot({ name: "home_prompt_right" })
              },
            })
          : null,
      session_prompt: (_context, props) =>
        wanted?.place.name === "session" && wanted.place.sessionID === props.session_id
          ? api.ui.Prompt({
              ref: handle(wanted, props.ref),
              sessionID: props.session_id,
              get visible() {
                return props.visible ?? true
              },
              get disabled() {
                return props.disabled ?? false
              },
              onSubmit: () => props.on_submit?.(),
              get right() {
                return api.ui.Slot({ name: "session_prompt_right", session_id: props.session_id })
              },
            })
          : null,
    },
  })

  let last: Promise<unknown> = Promise.resolve()
  return {
    show(place, text, open, stillWanted) {
      const shown = last.then(() => showNow(place, text, open, stillWanted))
      last = shown.catch(() => undefined)
      return shown
    },
  }

  async function showNow(...[place, text, open, stillWanted]: Parameters<Prompts["show"]>): Promise<boolean> {
    if (!stillWanted()) return false
    const mounted = Promise.withResolvers<TuiPromptRef | undefined>()
    wanted = { place, taken: mounted.resolve }
    const timer = setTimeout(() => mounted.resolve(undefined), mountMs)
    try {
      stash()
      open()
      const prompt = await mounted.promise
      // A prompt behind a permission question takes no commands, and its text comes along to the new one.
      if (prompt !== undefined && !isEmpty(prompt)) stash()
      if (prompt === undefined || !isEmpty(prompt) || !stillWanted()) return false
      return set(prompt, { input: text, parts: [] })
    } finally {
      clearTimeout(timer)
      wanted = undefined
    }
  }

  /** On an empty prompt this does nothing. */
  function stash(): void {
    api.keymap.dispatchCommand("prompt.stash")
  }
}

function isEmpty(prompt: TuiPromptRef): boolean {
  return prompt.current.input.trim() === "" && prompt.current.parts.length === 0
}

function handle(wanted: Wanted, host: ((prompt: TuiPromptRef | undefined) => void) | undefined) {
  return (prompt: TuiPromptRef | undefined) => {
    host?.(prompt)
    if (prompt !== undefined) wanted.taken(prompt)
  }
}

function set(prompt: TuiPromptRef, info: TuiPromptInfo): boolean {
  prompt.set(info)
  prompt.focus()
  return prompt.current.input === info.input
}
