import entry from "../../../src/terminal.ts"
import type { ContractHost } from "./host.ts"
import { messagePage } from "./pages.ts"
import { callable } from "./registry.ts"
import type { Release } from "./release.ts"
import { invalid, shape, text } from "./strict.ts"

// A terminal on the contract host: router, prompt fields, dialog, toast, keymap, client and event feed. A prompt
// mounts a moment after its session is opened, and takes its seed only then.

export type TerminalSetup = {
  readonly release?: Release
  /** What opening a session does with a seeded prompt. */
  readonly seed?: "taken" | "dropped"
  /** `earlier`: slots are claimed by name. */
  readonly slot?: "earlier"
  /** How long a prompt takes to be there. */
  readonly mountMs?: number
  /** `insertText` of the field; some hosts may swallow it. */
  readonly insert?: "taken" | "dropped"
  readonly without?: readonly ("renderer" | "dialog" | "toast" | "keymap" | "data" | "stash" | "update")[]
  /** What the user answers in the editable dialog. */
  readonly dialog?: (value: string) => string | undefined
}

export type ContractTerminal = {
  /** The session on screen, or "home". */
  screen(): string
  /** What stands in the prompt on screen. */
  promptText(): string
  type(text: string): void
  /** Sends what stands in the prompt, in the session on screen. */
  enter(): Promise<void>
  open(sessionID: string): void
  /** Runs a slash command of a plugin; false when no plugin took it. */
  slash(name: string, args: string): Promise<boolean>
  readonly toasts: string[]
  readonly dialogs: string[]
  /** Texts that went to the host's stash. */
  readonly stash: string[]
  readonly violations: string[]
  close(): void
}

const MOUNT_MS = 15

/** `slots` keeps two terminals of one process apart, which in truth are two processes. */
export async function contractTerminal(
  host: ContractHost,
  setup: TerminalSetup = {},
): Promise<ContractTerminal> {
  const lacks = (part: string) => (setup.without as readonly string[] | undefined)?.includes(part) === true
  const violations: string[] = []
  const toasts: string[] = []
  const dialogs: string[] = []
  const stash: string[] = []
  const commands: Record<string, unknown>[] = []
  const unsent = new Map<string, string>()
  let place = "home"
  let field: { plainText: string; insertText(text: string): void } | undefined
  mount("")

  function mount(seed: string): void {
    const at = place
    field = {
      plainText: unsent.get(at) ?? seed,
      insertText(value) {
        if (setup.insert !== "dropped") this.plainText += value
      },
    }
    unsent.delete(at)
  }

  function go(to: string, seed: string): void {
    if (to === place) return
    // Text that is not sent is gone with its prompt: the host keeps none of it.
    field = undefined
    place = to
    setTimeout(() => {
      if (place === to) mount(seed)
    }, setup.mountMs ?? MOUNT_MS)
  }

  /** A call with a wrong argument is refused and noted. */
  function strict<Value>(run: () => Value): Value {
    try {
      return run()
    } catch (error) {
      violations.push(String(error))
      throw error
    }
  }

  let rendering = false
  /** Renders the slot of the whole screen; the host may do it again. */
  function render(make: unknown): () => void {
    const run = callable("render", make)
    setTimeout(() => {
      rendering = true
      try {
        if (run() !== null) violations.push("the slot shows something")
      } finally {
        rendering = false
      }
    }, 0)
    return () => undefined
  }

  const session = {
    get: async (args: unknown) =>
      host.store.session(text("sessionID", strict(() => shape("get", args, ["sessionID"]))["sessionID"])),
    prompt: async (args: unknown) => {
      const { sessionID, ...body } = shape(
        "prompt",
        args,
        ["sessionID", "text"],
        ["id", "files", "agents", "metadata", "delivery", "resume"],
      )
      return host.prompt(text("sessionID", sessionID), body)
    },
    ...(!lacks("update")
      ? {
          update: async (args: unknown) => {
            const { sessionID, ...body } = strict(() =>
              shape("update", args, ["sessionID"], ["title", "metadata", "permissions"]),
            )
            host.store.put({ ...host.store.session(text("sessionID", sessionID)), ...body })
          },
        }
      : {}),
  }

  const context = {
    options: {},
    app: { version: setup.release ?? "2.0.16", channel: "latest" },
    location: { directory: host.directory },
    client: {
      session,
      message: {
        list: async (args: unknown) => {
          const { sessionID, ...query } = strict(() =>
            shape("message.list", args, ["sessionID"], ["limit", "order", "cursor"]),
          )
          return messagePage(host.store, text("sessionID", sessionID), query)
        },
      },
    },
    storage: {},
    ...(lacks("data")
      ? {}
      : {
          data: {
            on(type: unknown, take: unknown) {
              const call = callable("data.on", take)
              const listener = (event: { readonly type: string }) => {
                if (event.type === type) call(event)
              }
              host.store.listeners.add(listener)
              return () => host.store.listeners.delete(listener)
            },
          },
        }),
    ...(lacks("keymap")
      ? {}
      : {
          keymap: {
            layer(make: unknown) {
              if (!rendering) throw new Error("Keymap.Provider is missing")
              const layer = strict(() =>
                shape("layer", callable("layer", make)(), ["commands"], ["bindings"]),
              )
              for (const command of layer["commands"] as unknown[])
                commands.push({
                  ...strict(() =>
                    shape(
                      "command",
                      command,
                      ["run"],
                      [
                        "id",
                        "title",
                        "description",
                        "group",
                        "enabled",
                        "bind",
                        "palette",
                        "slash",
                        "suggested",
                      ],
                    ),
                  ),
                })
            },
            dispatch(id: unknown) {
              if (id !== "prompt.stash" || lacks("stash") || field === undefined) return
              stash.push(field.plainText)
              field.plainText = ""
            },
          },
        }),
    ...(lacks("renderer")
      ? {}
      : {
          renderer: {
            // A question to the user covers the prompt.
            get currentFocusedRenderable() {
              return host.asked.list(place).length > 0 ? null : (field ?? null)
            },
          },
        }),
    ui: {
      slot(claim: unknown, make: unknown) {
        if (setup.slot === "earlier") {
          // An object is no name of a slot there, and nobody says so.
          return claim === "app" ? render(make) : () => undefined
        }
        if (typeof claim !== "object" || claim === null) throw new Error("a slot takes one claim")
        const given = strict(() => shape("slot", claim, ["append", "render"]))
        if (given["append"] !== "app") throw invalid("slot.append")
        return render(given["render"])
      },
      router: {
        current: () => (place === "home" ? { type: "home" } : { type: "session", sessionID: place }),
        navigate(to: unknown) {
          const route = strict(() => shape("navigate", to, ["type"], ["sessionID", "prompt"]))
          if (route["type"] === "home") return go("home", "")
          if (route["type"] !== "session") throw invalid("navigate")
          const id = host.store.session(text("sessionID", route["sessionID"])).id
          const seed = route["prompt"]
          if (seed === undefined) return go(id, "")
          const prompt = strict(() => shape("prompt", seed, ["text", "files", "agents", "pasted"]))
          go(id, setup.seed === "dropped" ? "" : text("prompt.text", prompt["text"]))
        },
      },
      ...(lacks("toast")
        ? {}
        : {
            toast: {
              show(toast: unknown) {
                const given = strict(() =>
                  shape("toast", toast, ["message"], ["title", "variant", "duration"]),
                )
                toasts.push(text("toast.message", given["message"]))
              },
            },
          }),
      ...(lacks("dialog")
        ? {}
        : {
            dialog: {
              prompt: async (args: unknown) => {
                const given = strict(() =>
                  shape("dialog", args, ["title"], ["description", "placeholder", "value"]),
                )
                const value = text("value", given["value"] ?? "")
                dialogs.push(value)
                return setup.dialog?.(value)
              },
            },
          }),
    },
  }

  const running = Symbol.for("opencode-baton.terminal.v2")
  const others: unknown = Reflect.get(globalThis, running)
  Reflect.set(globalThis, running, false)
  const cleanup = await entry.setup(context)
  Reflect.set(globalThis, running, others ?? false)

  return {
    screen: () => place,
    promptText: () => field?.plainText ?? "",
    type(value) {
      if (field !== undefined) field.plainText += value
    },
    async enter() {
      const text = field?.plainText ?? ""
      if (field === undefined || text === "" || place === "home") throw new Error("there is nothing to send")
      field.plainText = ""
      await host.prompt(place, { text })
    },
    open: (sessionID) => go(sessionID, ""),
    async slash(name, args) {
      for (const command of commands) {
        const slash = command["slash"]
        if (typeof slash !== "object" || slash === null || Reflect.get(slash, "name") !== name) continue
        if ((await callable("run", command["run"])(args)) !== false) return true
      }
      return false
    },
    toasts,
    dialogs,
    stash,
    violations,
    close: () => cleanup?.(),
  }
}
