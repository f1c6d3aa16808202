import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import plugin from "../../../src/plugin.ts"
import { isRecord } from "../../../src/session/from-unknown.ts"
import { createContext } from "./context.ts"
import { admitted, modelText, PROMPT_KEYS } from "./prompt.ts"
import type { HostSetup } from "./release.ts"
import type { Registry, Tool } from "./registry.ts"
import { startService, type Service } from "./service.ts"
import { createStore, type Row, type Store } from "./store.ts"
import { invalid, json, noSession, shape, text } from "./strict.ts"

// OpenCode V2 as the plugin sees it, made from what is known of it and stricter than that: a wrong argument is
// refused and written down. It runs in the test's own process, with private folders.

export type Instance = {
  readonly registry: Registry
  cleanup(): Promise<void>
  failStreams(): void
  /** Runs all changes of the editors anew, as the host does when another plugin comes or goes. */
  reload(): void
}

export type ToolResult = { readonly content: string; readonly output: unknown }

export type ContractHost = {
  readonly store: Store
  readonly service: Service
  readonly directory: string
  readonly dataDir: string
  /** What a plugin did wrong. */
  readonly violations: string[]
  /** What the model was sent for each admitted prompt. */
  readonly requests: string[]
  /** Shell commands that templates ran. */
  readonly executed: string[]
  /** Questions of plugins; `effect` and `reply` are what the next ones get. */
  readonly questions: Readonly<Record<string, unknown>>[]
  readonly rules: { effect: "allow" | "deny" | "ask"; reply: "once" | "always" | "reject" | undefined }
  /** Starts the plugin for a location; `around` may come between the plugin and its context. */
  load(directory?: string, around?: (context: object) => object): Promise<Instance>
  tool(sessionID: string, name: string, input: unknown, signal?: AbortSignal): Promise<ToolResult>
  prompt(sessionID: string, body: unknown): Promise<Row>
  command(sessionID: string, name: string, args: string): Promise<void>
  stop(): Promise<void>
}

/** Nothing is known of a bound of the host; a person waits for this prompt. */
const HOOK_MS = 10_000

export async function contractHost(setup: HostSetup = {}): Promise<ContractHost> {
  const release = setup.release ?? "2.0.16"
  const home = mkdtempSync(join(tmpdir(), "baton-v2-"))
  const directory = join(home, "project")
  mkdirSync(directory)
  const before = { data: process.env["XDG_DATA_HOME"], state: process.env["XDG_STATE_HOME"] }
  process.env["XDG_DATA_HOME"] = join(home, "data")
  process.env["XDG_STATE_HOME"] = join(home, "state")

  const store = createStore(directory, "prj_here")
  const violations: string[] = []
  const requests: string[] = []
  const executed: string[] = []
  const questions: Readonly<Record<string, unknown>>[] = []
  const rules: ContractHost["rules"] = { effect: "ask", reply: "once" }
  const instances = new Set<Instance>()
  const earlier = setup.shapes === "earlier"
  const hasMetadata = release !== "2.0.16" && setup.without?.includes("metadata") !== true

  const service = await startService({
    store,
    release,
    version: release,
    password: setup.password ?? "hunter2",
    stateDir: join(home, "state"),
    create,
    update,
    prompt,
    permission: setup.without?.includes("permission") === true ? undefined : permission,
  })
  if (setup.without?.includes("service") !== true) service.register()

  function create(body: unknown): Row {
    const later = hasMetadata ? ["parentID", "metadata", "permissions"] : []
    const given = shape("create", body, [], ["id", "title", "agent", "model", "location", ...later])
    json("create", given)
    const { title, location, ...rest } = given
    const at =
      location === undefined ? { directory } : shape("location", location, ["directory"], ["workspaceID"])
    return store.put({
      ...rest,
      location: { directory: text("location.directory", at["directory"]) },
      ...(title === undefined ? {} : { title: text("title", title) }),
    })
  }

  function update(id: string, body: unknown): void {
    const given = shape("update", body, [], ["title", "metadata", "permissions"])
    if (!hasMetadata && given["metadata"] !== undefined) throw invalid("unknown key metadata")
    json("update", given)
    store.put({ ...store.session(id), ...given })
  }

  async function prompt(sessionID: string, body: unknown): Promise<Row> {
    if (!store.sessions.has(sessionID)) throw noSession(sessionID)
    const later = hasMetadata ? ["metadata"] : []
    const given = shape("prompt", body, ["text"], [...PROMPT_KEYS, "id", "delivery", "resume", ...later])
    const messageID = given["id"] === undefined ? store.id("msg") : text("id", given["id"])
    if (given["delivery"] !== undefined && given["delivery"] !== "steer" && given["delivery"] !== "queue")
      throw invalid("prompt.delivery")
    if (given["resume"] !== undefined && typeof given["resume"] !== "boolean") throw invalid("prompt.resume")
    const event = promptEvent(sessionID, messageID, given)
    for (const instance of instances)
      for (const hook of instance.registry.hooks) await within(HOOK_MS, "prompt hook", () => hook(event))
    const kept = admitted(Reflect.get(event, "prompt"))
    const metadata: unknown = Reflect.get(event, "metadata")
    if (metadata !== undefined) json("metadata", metadata)
    commitRevert(sessionID)
    const message = store.write(
      sessionID,
      {
        id: messageID,
        type: "user",
        text: kept.text,
        ...(kept.files.length === 0 ? {} : { files: kept.files }),
        ...(metadata === undefined ? {} : { metadata }),
      },
      "session.input.promoted",
    )
    requests.push(modelText(message))
    return message
  }

  /** What is reverted stays listed until the next prompt, and then is gone. */
  function commitRevert(sessionID: string): void {
    const { revert, ...session } = store.session(sessionID)
    if (!isRecord(revert)) return
    const from = text("revert.messageID", revert["messageID"])
    const rows = store.messages.get(sessionID) ?? []
    const at = rows.findIndex((row) => row.id === from)
    if (at !== -1) store.messages.set(sessionID, rows.slice(0, at))
    store.sessions.set(sessionID, session)
    store.emit("session.revert.committed", { sessionID, to: from })
  }

  function permission(sessionID: string, body: unknown): unknown {
    if (!isRecord(body) || !Array.isArray(body["resources"])) throw invalid("permission")
    if (body["source"] !== undefined) {
      const source = shape("source", body["source"], ["type", "messageID", "callID"])
      if (source["type"] !== "tool") throw invalid("source.type")
      store.message(sessionID, text("source.messageID", source["messageID"]))
      text("source.callID", source["callID"])
    }
    questions.push(body)
    const id = store.id("per")
    const reply = rules.reply
    // Nothing keeps the reply from being there before the answer.
    if (rules.effect === "ask" && reply !== undefined)
      store.emit(
        earlier ? "permission.v2.replied" : "permission.replied",
        earlier ? { sessionID, permissionID: id, response: reply } : { sessionID, requestID: id, reply },
      )
    return { id, effect: rules.effect }
  }

  function toolOf(name: string): { tool: Tool; id: string } {
    for (const instance of instances)
      for (const [id, tool] of instance.registry.tools) if (tool.name === name) return { tool, id }
    throw new Error(`no tool ${name}`)
  }

  return {
    store,
    service,
    directory,
    dataDir: join(home, "data", "opencode"),
    violations,
    requests,
    executed,
    questions,
    rules,
    prompt,

    async load(at = directory, around = (context) => context) {
      const registry: Registry = { tools: new Map(), commands: new Map(), hooks: [], changes: [] }
      let open = true
      const made = createContext({
        host: setup,
        version: release,
        directory: at,
        projectID: "prj_here",
        store,
        registry,
        violations,
        isOpen: () => open,
        create,
        update,
        prompt,
      })
      const cleanup = await within(5_000, "setup", () => plugin.setup(around(made.context)))
      open = false
      const instance: Instance = {
        registry,
        failStreams: () => made.failStreams(),
        reload() {
          registry.tools.clear()
          registry.commands.clear()
          for (const change of registry.changes) change()
        },
        async cleanup() {
          if (!instances.delete(instance)) return
          if (typeof cleanup === "function")
            await within(5_000, "cleanup", () => Reflect.apply(cleanup, undefined, []))
        },
      }
      instances.add(instance)
      return instance
    },

    async tool(sessionID, name, input, signal = new AbortController().signal) {
      const { tool } = toolOf(name)
      const message = store.write(sessionID, { type: "assistant", agent: "build", model: {}, content: [] })
      const id = store.id("call")
      const part = (state: object) => ({
        ...message,
        content: [
          { type: "tool", ...(earlier ? { callID: id } : { id }), name, state, time: { created: 1 } },
        ],
      })
      store.write(
        sessionID,
        part({ status: "running", input, ...(earlier ? { structured: {} } : { metadata: {} }) }),
      )
      const call = earlier ? { callID: id } : { id }
      const context = Object.freeze({
        sessionID,
        agent: "build",
        messageID: message.id,
        ...call,
        signal,
        progress: () => undefined,
      })
      const result = resultOf(tool, await tool.execute(input, context))
      if (isOverBound(result.content)) violations.push(`${name}: an answer the host would cut`)
      const content = [{ type: "text", text: result.content }]
      const state = earlier
        ? { structured: result.output ?? {}, content, result: result.content }
        : { content }
      store.write(sessionID, part({ status: "completed", input, ...state }))
      store.emit("session.tool.success", { sessionID, assistantMessageID: message.id, ...call, ...state })
      return result
    },

    async command(sessionID, name, args) {
      for (const { registry } of instances) {
        const command = registry.commands.get(name)
        if (command?.form === "callback") {
          const more = release === "2.0.16" ? {} : { messageID: store.id("msg") }
          const invocation = Object.freeze({
            sessionID,
            ...more,
            prompt: { text: args, files: [] },
            delivery: "steer",
          })
          await command.execute(invocation)
          return
        }
        if (command?.form === "template") {
          await prompt(sessionID, { text: expanded(command.template, args, executed) })
          return
        }
      }
      // A name nobody registered is text.
      await prompt(sessionID, { text: args === "" ? `/${name}` : `/${name} ${args}` })
    },

    async stop() {
      for (const instance of instances) await instance.cleanup()
      await service.stop()
      restore("XDG_DATA_HOME", before.data)
      restore("XDG_STATE_HOME", before.state)
      rmSync(home, { recursive: true, force: true })
    },
  }
}

function promptEvent(sessionID: string, messageID: string, given: Readonly<Record<string, unknown>>): object {
  const { id: _, delivery = "steer", resume: _resume, metadata, ...prompt } = given
  return Object.defineProperties(
    { prompt, delivery, ...(metadata === undefined ? {} : { metadata }) },
    { sessionID: { value: sessionID, enumerable: true }, messageID: { value: messageID, enumerable: true } },
  )
}

/** Longer answers reach the model without their middle. */
function isOverBound(content: string): boolean {
  return Buffer.byteLength(content) > 50 * 1024 || content.split("\n").length > 2_000
}

function resultOf(tool: Tool, value: unknown): ToolResult {
  const result = shape("result", value, [], ["output", "content", "metadata"])
  json("result", result)
  if ((result["output"] !== undefined) !== tool.structured)
    throw invalid("output without its schema, or none")
  return { content: text("result.content", result["content"]), output: result["output"] }
}

/** What a template host does, in the order that hurts most: arguments first, then commands in the whole text. */
function expanded(template: string, args: string, executed: string[]): string {
  const words = args.match(/"[^"]*"|\S+/g) ?? []
  const last = Math.max(0, ...[...template.matchAll(/\$(\d+)/g)].map((found) => Number(found[1])))
  const filled = /\$(?:\d|ARGUMENTS)/.test(template)
    ? template
        .replaceAll("$ARGUMENTS", () => args)
        .replace(/\$(\d+)/g, (_, digits: string) => {
          const at = Number(digits)
          return (at === last ? words.slice(at - 1) : [words[at - 1] ?? ""]).join(" ")
        })
    : `${template}\n\n${args}`
  return filled.replace(/!`([^`]*)`/g, (_, command: string) => {
    executed.push(command)
    return ""
  })
}

async function within<Value>(ms: number, what: string, run: () => Value): Promise<Awaited<Value>> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error(`${what} took longer than ${ms} ms`)), ms)
  try {
    return await Promise.race([run(), late.promise])
  } finally {
    clearTimeout(timer)
  }
}

function restore(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name]
  else process.env[name] = value
}
