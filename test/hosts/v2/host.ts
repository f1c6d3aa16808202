import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import plugin from "../../../src/plugin.ts"
import { createContext } from "./context.ts"
import { within } from "../wait.ts"
import { admitted, commitRevert, modelText, PROMPT_KEYS, promptEvent } from "./prompt.ts"
import { createAgents, type Agents } from "./agents.ts"
import { createQuestions, type Questions, type Rules } from "./questions.ts"
import type { HostSetup } from "./release.ts"
import type { Registry, Tool } from "./registry.ts"
import { isOverBound, resultOf, type ToolResult } from "./result.ts"
import { startService, type Service } from "./service.ts"
import { expanded } from "./template.ts"
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
  /** Questions of plugins; `rules` are what the next ones get. */
  readonly questions: Readonly<Record<string, unknown>>[]
  /** The questions nobody replied to, and all replies. */
  readonly asked: Questions
  readonly agents: Agents
  readonly rules: Rules
  /** Starts the plugin for a location; `around` may come between the plugin and its context. */
  load(directory?: string, around?: (context: object) => object): Promise<Instance>
  tool(sessionID: string, name: string, input: unknown, signal?: AbortSignal): Promise<ToolResult>
  prompt(sessionID: string, body: unknown): Promise<Row>
  command(sessionID: string, name: string, args: string): Promise<void>
  stop(): Promise<void>
}

/** Nothing is known of a bound of the host; a person waits for this prompt. */
const HOOK_MS = 10_000

/** The start of a plugin, and its end. */
const SETUP_MS = 5_000

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
  const rules: Rules = { effect: "ask", reply: "once" }
  const instances = new Set<Instance>()
  const earlier = setup.shapes === "earlier"
  const agents = createAgents(directory)
  const asked = createQuestions(store, agents, rules, earlier)
  const hasMetadata = !earlier && setup.without?.includes("metadata") !== true
  /** What a host does not know it drops, and says nothing. */
  const known = (given: Readonly<Record<string, unknown>>) => {
    const { metadata, ...rest } = given
    return hasMetadata && metadata !== undefined ? given : rest
  }

  const service = await startService({
    store,
    version: release,
    password: setup.password ?? "hunter2",
    stateDir: join(home, "state"),
    create,
    update,
    prompt,
    agents,
    earlier,
    permission: setup.without?.includes("permission") === true ? undefined : asked,
  })
  if (setup.without?.includes("service") !== true) service.register()

  function create(body: unknown): Row {
    const keys = ["id", "title", "agent", "model", "location", "parentID", "metadata", "permissions"]
    const given = known(shape("create", body, [], keys))
    json("create", given)
    const { title, location, ...rest } = given
    const at =
      location === undefined ? { directory } : shape("location", location, ["directory"], ["workspaceID"])
    return store.put({
      ...rest,
      location: { directory: text("location.directory", at["directory"]) },
      ...(title === undefined || setup.without?.includes("title") === true
        ? {}
        : { title: text("title", title) }),
    })
  }

  function update(id: string, body: unknown): void {
    const given = known(shape("update", body, [], ["title", "metadata", "permissions"]))
    json("update", given)
    store.put({ ...store.session(id), ...given })
  }

  async function prompt(sessionID: string, body: unknown): Promise<Row> {
    if (!store.sessions.has(sessionID)) throw noSession(sessionID)
    const keys = [...PROMPT_KEYS, "id", "delivery", "resume", "metadata"]
    const given = known(shape("prompt", body, ["text"], keys))
    const messageID = given["id"] === undefined ? store.id("msg") : text("id", given["id"])
    if (given["delivery"] !== undefined && given["delivery"] !== "steer" && given["delivery"] !== "queue")
      throw invalid("prompt.delivery")
    if (given["resume"] !== undefined && typeof given["resume"] !== "boolean") throw invalid("prompt.resume")
    const event = promptEvent(sessionID, messageID, given)
    for (const instance of instances)
      for (const hook of instance.registry.hooks)
        await within(
          run(() => hook(event)),
          () => "the prompt hook is not done",
          HOOK_MS,
        )
    const kept = admitted(Reflect.get(event, "prompt"))
    const changed: unknown = Reflect.get(event, "metadata")
    if (changed !== undefined) json("metadata", changed)
    const metadata = hasMetadata ? changed : undefined
    commitRevert(store, sessionID)
    if (!earlier)
      store.emit("session.inbox.enqueued", {
        sessionID,
        inboxID: messageID,
        item: { type: "user", delivery: given["delivery"] ?? "steer" },
      })
    const message = store.write(
      sessionID,
      {
        id: messageID,
        type: "user",
        text: kept.text,
        ...(kept.files.length === 0 ? {} : { files: kept.files }),
        ...(metadata === undefined ? {} : { metadata }),
      },
      earlier ? "session.input.promoted" : "session.inbox.delivered",
    )
    requests.push(modelText(message))
    return message
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
    questions: asked.put,
    asked,
    agents,
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
        agents,
        asked,
        registry,
        violations,
        isOpen: () => open,
        create,
        update,
        prompt,
      })
      const cleanup = await within(
        run(() => plugin.setup(around(made.context))),
        () => "setup is not done",
        SETUP_MS,
      )
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
            await within(
              run(() => Reflect.apply(cleanup, undefined, [])),
              () => "cleanup is not done",
              SETUP_MS,
            )
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

/** A call that may throw, as one that rejects. */
async function run<Value>(call: () => Value): Promise<Awaited<Value>> {
  return await call()
}

function restore(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name]
  else process.env[name] = value
}
