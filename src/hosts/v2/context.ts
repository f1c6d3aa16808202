import { field, method, textField, type Call } from "../../session/capability.ts"

// The plugin context, read once. Every capability may be missing. Marks: "GA" was read in source of 2.0.16 or
// later, "late" in source from just before, "beta" in a tree of July 2026 and may be named otherwise.

export type V2Context = {
  /** `app.version` (GA): what the registered service must report. */
  readonly version: string
  /** `options` (late). */
  readonly options: unknown
  /** `location` (project.id GA, directory beta). */
  readonly location: {
    readonly directory: string
    readonly projectID: string
    readonly worktree: string
    /** What two instances for the same location have in common; "" when the host does not tell. */
    readonly key: string
  }
  /** `tool.transform` (GA): the editor has `add`; `list` and `get` only in later releases. */
  readonly toolTransform: Call | undefined
  /** `command.transform`: `add` with a callback (GA), with a template (late), `update` (beta). */
  readonly commandTransform: Call | undefined
  /** `session.*` (GA; `list` from 2.1, `update` from later 2.0.x). */
  readonly session: {
    readonly create: Call | undefined
    readonly get: Call | undefined
    readonly list: Call | undefined
    readonly prompt: Call | undefined
    readonly context: Call | undefined
    readonly update: Call | undefined
    /** `session.hook("prompt")` (GA). */
    readonly hook: Call | undefined
  }
  /** `message.*` (GA, only in some releases). */
  readonly message: { readonly list: Call | undefined; readonly get: Call | undefined }
  /** `agent.list` (GA). */
  readonly agentList: Call | undefined
  /** `permission.reply` (GA). */
  readonly permissionReply: Call | undefined
  /** `event.subscribe({ signal })` (GA). */
  readonly subscribe: Call | undefined
}

/** False for the context of a V1 host that also starts its V2 side: it has no tools, sessions and events. */
export function isServer(raw: unknown): boolean {
  return ["tool", "session", "event"].some((name) => field(raw, name) !== undefined)
}

/** The context, or undefined for one that is not a V2 server's. */
export function readContext(raw: unknown): V2Context | undefined {
  if (!isServer(raw)) return undefined
  const [tool, session, event] = [field(raw, "tool"), field(raw, "session"), field(raw, "event")]
  const location = field(raw, "location")
  const project = field(location, "project")
  const directory = textField(location, "directory") || textField(project, "directory")
  return {
    version: textField(field(raw, "app"), "version"),
    options: field(raw, "options"),
    location: {
      directory: directory || process.cwd(),
      projectID: textField(project, "id"),
      worktree: textField(project, "directory") || directory || process.cwd(),
      key: directory || textField(project, "id"),
    },
    toolTransform: method(tool, "transform"),
    commandTransform: method(field(raw, "command"), "transform"),
    session: {
      create: method(session, "create"),
      get: method(session, "get"),
      list: method(session, "list"),
      prompt: method(session, "prompt"),
      context: method(session, "context"),
      update: method(session, "update"),
      hook: method(session, "hook"),
    },
    message: { list: method(field(raw, "message"), "list"), get: method(field(raw, "message"), "get") },
    agentList: method(field(raw, "agent"), "list"),
    permissionReply: method(field(raw, "permission"), "reply"),
    subscribe: method(event, "subscribe"),
  }
}

/** What the host lacks, in words for the log and for answers. */
export function missingOf(context: V2Context): readonly string[] {
  const lacks = (call: Call | undefined, words: string) => (call === undefined ? [words] : [])
  return [
    ...lacks(context.toolTransform, "no tools can be added"),
    ...lacks(
      context.commandTransform,
      "no slash command can be added: `/handoff` is read from the sent text",
    ),
    ...lacks(context.session.hook, "no prompt hook: files of a handoff are not put in front of the model"),
    ...lacks(context.subscribe, "no events: the history index follows by listing"),
    ...lacks(context.session.create, "no new session from a plugin: drafts are stored through the service"),
  ]
}
