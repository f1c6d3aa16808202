import * as z from "zod"
import { followEvents, type EventFollower } from "./events.ts"

// A client of the host's HTTP interface: plain requests, and the few calls every test makes.

/** No test waits longer for one request; a turn of the scripted model takes about half a second. */
export const REQUEST_MS = 60_000

const part = z.looseObject({
  id: z.string(),
  type: z.string(),
  text: z.string().optional(),
  synthetic: z.boolean().optional(),
  ignored: z.boolean().optional(),
  tool: z.string().optional(),
  callID: z.string().optional(),
  state: z
    .looseObject({
      status: z.string(),
      input: z.record(z.string(), z.unknown()).optional(),
      output: z.string().optional(),
      error: z.string().optional(),
      title: z.string().optional(),
      metadata: z.record(z.string(), z.unknown()).optional(),
    })
    .optional(),
  mime: z.string().optional(),
  url: z.string().optional(),
  filename: z.string().optional(),
})

const message = z.object({
  info: z.looseObject({
    id: z.string(),
    sessionID: z.string(),
    role: z.enum(["user", "assistant"]),
    agent: z.string().optional(),
    error: z.looseObject({ name: z.string() }).optional(),
  }),
  parts: z.array(part),
})

const session = z.looseObject({
  id: z.string(),
  title: z.string(),
  directory: z.string(),
  projectID: z.string(),
  parentID: z.string().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
})

export type HostPart = z.infer<typeof part>
export type HostMessage = z.infer<typeof message>
export type HostSession = z.infer<typeof session>

export type Answer = { readonly status: number; readonly data: unknown; readonly headers: Headers }

export type Call = {
  readonly query?: Readonly<Record<string, string | number | boolean>>
  readonly body?: unknown
}

/** A part of a prompt as the host takes it. */
export type PromptPart = { readonly type: string } & Readonly<Record<string, unknown>>

export type HostClient = {
  readonly url: string
  /** Requests of any kind; no status is an error. */
  get(path: string, call?: Call): Promise<Answer>
  post(path: string, call?: Call): Promise<Answer>
  patch(path: string, call?: Call): Promise<Answer>
  del(path: string, call?: Call): Promise<Answer>
  /** From here on: rejects with the host's answer when it is not 2xx. */
  createSession(body?: Readonly<Record<string, unknown>>): Promise<HostSession>
  session(sessionID: string): Promise<HostSession>
  /** The sessions of the directory, most recently updated first. */
  sessions(): Promise<readonly HostSession[]>
  /** Sends a prompt and waits for the end of the turn; the last assistant message. */
  prompt(
    sessionID: string,
    prompt: string | readonly PromptPart[],
    extra?: Readonly<Record<string, unknown>>,
  ): Promise<HostMessage>
  /** Sends a prompt; resolves at once. */
  promptAsync(
    sessionID: string,
    prompt: string | readonly PromptPart[],
    extra?: Readonly<Record<string, unknown>>,
  ): Promise<void>
  /** Runs a slash command and waits for the end of the turn. */
  command(sessionID: string, name: string, args?: string): Promise<HostMessage>
  /** All messages, oldest first. */
  messages(sessionID: string): Promise<readonly HostMessage[]>
  /** Follows the events of `directory`; connected when it resolves. */
  events(): Promise<EventFollower>
}

export type ClientSetup = {
  readonly url: string
  /** The project of every request; the server's own working directory when left out. */
  readonly directory?: string
  /** OPENCODE_SERVER_PASSWORD of the server. */
  readonly password?: string
}

/** A client for a running server. */
export function connect(setup: ClientSetup): HostClient {
  const headers = {
    ...(setup.directory === undefined ? {} : { "x-opencode-directory": encodeURIComponent(setup.directory) }),
    ...(setup.password === undefined ? {} : { authorization: `Basic ${btoa(`opencode:${setup.password}`)}` }),
  }

  const send = async (method: string, path: string, call: Call = {}): Promise<Answer> => {
    const target = new URL(path, setup.url)
    for (const [name, value] of Object.entries(call.query ?? {})) target.searchParams.set(name, String(value))
    const response = await fetch(target, {
      method,
      headers: { ...headers, ...(call.body === undefined ? {} : { "content-type": "application/json" }) },
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
      signal: AbortSignal.timeout(REQUEST_MS),
    })
    return { status: response.status, data: parsed(await response.text()), headers: response.headers }
  }

  const good = async (method: string, path: string, call: Call = {}): Promise<unknown> => {
    const answer = await send(method, path, call)
    if (answer.status >= 200 && answer.status < 300) return answer.data
    throw new Error(`${method} ${path} answered ${answer.status}: ${JSON.stringify(answer.data)}`)
  }

  return {
    url: setup.url,
    get: (path, call) => send("GET", path, call),
    post: (path, call) => send("POST", path, call),
    patch: (path, call) => send("PATCH", path, call),
    del: (path, call) => send("DELETE", path, call),
    createSession: async (body = {}) => session.parse(await good("POST", "/session", { body })),
    sessions: async () => z.array(session).parse(await good("GET", "/session")),
    session: async (id) => session.parse(await good("GET", `/session/${id}`)),
    prompt: async (id, prompt, extra = {}) =>
      message.parse(
        await good("POST", `/session/${id}/message`, { body: { ...extra, parts: promptParts(prompt) } }),
      ),
    async promptAsync(id, prompt, extra = {}) {
      await good("POST", `/session/${id}/prompt_async`, { body: { ...extra, parts: promptParts(prompt) } })
    },
    command: async (id, name, args = "") =>
      message.parse(
        await good("POST", `/session/${id}/command`, { body: { command: name, arguments: args } }),
      ),
    messages: async (id) => z.array(message).parse(await good("GET", `/session/${id}/message`)),
    events: () => followEvents(new URL("/event", setup.url), headers),
  }
}

/** The text of a message that is neither synthetic nor ignored. */
export function textOf(one: HostMessage): string {
  const texts = one.parts.filter(
    (item) => item.type === "text" && item.synthetic !== true && item.ignored !== true,
  )
  return texts.map((item) => item.text ?? "").join("\n")
}

/** The tool parts of messages, in order. */
export function toolParts(messages: readonly HostMessage[]): readonly HostPart[] {
  return messages.flatMap((one) => one.parts.filter((item) => item.type === "tool"))
}

function promptParts(prompt: string | readonly PromptPart[]): readonly PromptPart[] {
  return typeof prompt === "string" ? [{ type: "text", text: prompt }] : prompt
}

/** JSON where it is JSON; the text itself otherwise. */
function parsed(body: string): unknown {
  if (body === "") return undefined
  try {
    return JSON.parse(body)
  } catch (error) {
    if (error instanceof SyntaxError) return body
    throw error
  }
}
