import type { Options } from "../../config/options.ts"
import { takeDraft } from "../../handoff/draft-file.ts"
import { noteSource } from "../../handoff/source-notes.ts"
import { excluder } from "../../history/sync/index.ts"
import { handoffSession } from "../../tools/handoff-session.ts"
import { readSession } from "../../tools/read-session.ts"
import type { Tool } from "../../tools/tool.ts"
import type { Log, SessionReader } from "../host.ts"
import { callsOf, type Calls } from "./calls.ts"
import { addCommand } from "./command.ts"
import type { V2Context } from "./context.ts"
import { draftMaker } from "./draft.ts"
import { httpTo, type Http } from "./http.ts"
import { promptHook } from "./inject.ts"
import { sentPrompts, type Sent } from "./sent.ts"
import type { Service } from "./service.ts"

// The handoff half of a plugin instance: its two tools, the command, the prompt hook.

/** A hook holds the user's prompt while it waits. */
const HOOK_TIMES = { waitMs: 500, timeoutMs: 2_000 }

export type HandoffSetup = {
  readonly context: V2Context
  readonly options: Options
  readonly dataDir: string
  readonly hostDir: string
  readonly service: Service
  readonly http: Http
  readonly calls: Calls
  readonly reader: SessionReader
  /** The reader of transcripts: also sessions that only the index has. */
  readonly transcripts: SessionReader
  readonly maxAnswerBytes: number
  readonly log: Log
  /** The end of the instance. */
  readonly ending: AbortSignal
  /** Registers something; what the host refuses is logged. */
  register(what: string, call: () => unknown): void
  /** Takes work that nobody waits for, until the instance ends. */
  later(work: Promise<void>): void
}

export function handoffTools(setup: HandoffSetup): readonly Tool[] {
  const { context, options, calls, reader, log, dataDir, hostDir, maxAnswerBytes } = setup
  const { directory } = context.location
  const injects = context.session.hook !== undefined
  const drafts = draftMaker({ calls, directory, dataDir, hostDir, injects })
  return [
    handoffSession({ reader, drafts, log, now: Date.now }),
    readSession({
      reader: setup.transcripts,
      maxAnswerBytes,
      maskSecrets: options.maskSecrets,
      excluded: excluder(options.exclude),
    }),
  ]
}

/** Adds the command and the hook, each where the host has a place for it. Returns who takes the host's events. */
export function addHandoff(setup: HandoffSetup): Pick<Sent, "receive"> | undefined {
  const { context, options, http, log, dataDir, hostDir } = setup
  const { directory, worktree } = context.location
  const transform = context.commandTransform
  let hasCommand = false
  if (transform !== undefined) {
    const command = {
      transform,
      prompt: context.session.prompt,
      http,
      log,
      added: () => void (hasCommand = true),
    }
    setup.register("command", () => addCommand(command))
  }
  const hook = context.session.hook
  if (hook === undefined) return undefined
  const hookHttp = httpTo(setup.service, HOOK_TIMES)
  const calls = callsOf(context, hookHttp, HOOK_TIMES.timeoutMs)
  const earlier = { calls, context: context.session.context, timeoutMs: HOOK_TIMES.timeoutMs }
  const sent = sentPrompts(earlier, context.subscribe !== undefined, setup.ending)
  const run = promptHook({
    calls,
    earlier,
    expect: (...prompt) => sent.expect(...prompt),
    http: hookHttp,
    agentList: context.agentList,
    options,
    directory,
    worktree,
    log,
    hasCommand: () => hasCommand,
    later: (work) => setup.later(work),
    note: (sessionID, record) => noteSource(dataDir, sessionID, record),
    async sent(sessionID) {
      await takeDraft(hostDir, sessionID, Date.now())
    },
  })
  setup.register("prompt hook", () => hook("prompt", run))
  return sent
}
