import { isRecord } from "../../../src/session/from-unknown.ts"
import type { HostSetup } from "./release.ts"
import { invalid, json, shape, text } from "./strict.ts"

// What plugins registered, and the editors they registered it with: one of the two forms each release knows.

export type Execute = (input: unknown, context: unknown) => unknown
export type Tool = {
  readonly name: string
  readonly description: string
  readonly input: Readonly<Record<string, unknown>>
  readonly codemode: boolean
  readonly namespace: string
  readonly structured: boolean
  readonly execute: Execute
}
export type Command =
  | {
      readonly form: "callback"
      readonly name: string
      readonly description: unknown
      readonly execute: (invocation: unknown) => unknown
    }
  | { readonly form: "template"; readonly name: string; readonly template: string }

/** Runs a change of an editor, which is synchronous: what it does later is too late. */
export function applyTo(editor: object, change: unknown): void {
  const answer = callable("transform", change)(editor)
  if (isRecord(answer) && typeof answer["then"] === "function") throw invalid("transform: not synchronous")
}

export type Registry = {
  readonly tools: Map<string, Tool>
  readonly commands: Map<string, Command>
  readonly hooks: ((event: object) => unknown)[]
  /** Every change that was registered, to be run again whenever another plugin's changes. */
  readonly changes: (() => void)[]
}

const NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/

export function toolEditor(setup: HostSetup, registry: Registry) {
  const add = (value: unknown): void => {
    const tool = shape("tool", value, ["name", "description", "input", "execute"], ["output", "options"])
    const options = shape(
      "tool.options",
      tool["options"] ?? {},
      [],
      ["namespace", "permission", "codemode", "pinned"],
    )
    if (options["pinned"] !== undefined && options["codemode"] === false)
      throw invalid("tool.options: pinned is for Code Mode")
    const name = text("tool.name", tool["name"])
    if (!NAME.test(name)) throw invalid(`tool name ${name}`)
    const namespace = options["namespace"] === undefined ? "" : text("namespace", options["namespace"])
    const id = namespace === "" ? name : `${namespace}_${name}`
    if (registry.tools.has(id) || (setup.ownTools ?? []).includes(id)) throw invalid(`tool ${id} exists`)
    const input = tool["input"]
    if (!isRecord(input) || input["type"] !== "object" || !isRecord(input["properties"]))
      throw invalid("tool.input")
    json("tool.input", input)
    if (tool["output"] !== undefined) json("tool.output", tool["output"])
    registry.tools.set(id, {
      name,
      description: text("tool.description", tool["description"]),
      input,
      codemode: options["codemode"] !== false,
      namespace,
      structured: tool["output"] !== undefined,
      execute: callable("tool.execute", tool["execute"]),
    })
  }
  if ((setup.release ?? "2.0.16") === "2.0.16") return { add }
  const own = (setup.ownTools ?? []).map((id) => ({ name: id, description: "the host's own" }))
  return {
    add,
    list: () => [...own, ...registry.tools.values()],
    get: (id: string) => own.find((tool) => tool.name === id) ?? registry.tools.get(id),
    namespace: () => undefined,
    update: () => undefined,
    remove: (id: string) => registry.tools.delete(id),
  }
}

export function commandEditor(setup: HostSetup, registry: Registry) {
  const template = (value: unknown): void => {
    const command = shape(
      "command",
      value,
      ["name", "template"],
      ["description", "agent", "model", "subagent"],
    )
    const name = text("command.name", command["name"])
    registry.commands.set(name, { form: "template", name, template: text("template", command["template"]) })
  }
  if (setup.command === "template") return { add: template }
  if (setup.command === "update")
    return {
      list: () => [...registry.commands.values()],
      get: (name: string) => registry.commands.get(name),
      update(name: string, change: (command: object) => unknown) {
        const draft: Record<string, unknown> = { name }
        change(draft)
        template(draft)
      },
      remove: (name: string) => registry.commands.delete(name),
    }
  return {
    add(value: unknown) {
      const command = shape("command", value, ["name", "execute"], ["description"])
      const name = text("command.name", command["name"])
      registry.commands.set(name, {
        form: "callback",
        name,
        description: command["description"],
        execute: callable("execute", command["execute"]),
      })
    },
  }
}

export function callable(what: string, value: unknown): (...args: unknown[]) => unknown {
  if (typeof value !== "function") throw invalid(`${what}: not a function`)
  return (...args) => {
    const answer: unknown = Reflect.apply(value, undefined, args)
    return answer
  }
}
