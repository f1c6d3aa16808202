import { parseOptions } from "../../config/options.ts"
import { sourceNotes } from "../../handoff/source-notes.ts"
import { method } from "../../session/capability.ts"
import { hostDataDir } from "../data-dir.ts"
import { historyPart, type HistoryPart } from "../history.ts"
import type { Caller } from "../host.ts"
import { callsOf } from "./calls.ts"
import { missingOf, readContext, type V2Context } from "./context.ts"
import { v2Feed } from "./feed.ts"
import { followEvents } from "./follow.ts"
import { addHandoff, handoffTools } from "./handoff.ts"
import { httpTo } from "./http.ts"
import { onePerLocation } from "./location.ts"
import { readerOverIndex } from "./index-reader.ts"
import { fileLog } from "./log.ts"
import { askOtherProject, createReplies } from "./permission.ts"
import { sessionReader } from "./reader.ts"
import { rowReader } from "./rows.ts"
import { findService, type Service } from "./service.ts"
import { addTools, type ToolRun } from "./tools.ts"
import { describe } from "./trouble.ts"
import { keepV1, readerBeside } from "./v1-history.ts"

// The server part on V2. It registers what the host lets it register and returns at once; the host's service,
// the index and the events come in by themselves later.

export type Cleanup = () => Promise<void>

/** V2 keeps the head and the tail of an answer over 50 KiB: ours stay whole. */
const MAX_ANSWER_BYTES = 48 * 1024

/** A tool call may wait for the service's start and for a slow answer. */
const TOOL_TIMES = { waitMs: 3_000, timeoutMs: 15_000 }

/**
 * Starts one plugin instance and returns its cleanup; undefined where there is nothing to do: the reduced
 * context of a V1 host, or a context that cannot be read. Never throws.
 */
export function setup(raw: unknown): Cleanup | undefined {
  try {
    const context = readContext(raw)
    if (context === undefined) return undefined
    return onePerLocation(context.location.key, () => start(context), say)
  } catch (error) {
    say(`not started: ${describe(error)}`)
    return undefined
  }
}

/** All instances of a process share the index that the first one opened, with what it knows of V1's sessions. */
function isFromV1(part: HistoryPart | undefined, sessionID: string): boolean {
  const known = method(part?.sync.history, "isFromV1")
  return known?.(sessionID) === true
}

/** Releases without a session list of their own are read through the service. */
function unlisted(context: V2Context, service: Service): string | undefined {
  const reason = context.session.list === undefined ? service.missing() : undefined
  return reason === undefined ? undefined : `its service is not reachable: ${reason}`
}

/** V2 has no log for plugins; what is written to this stream is in the host's own. */
function say(message: string): void {
  process.stderr.write(`opencode-baton: ${message}\n`)
}

function start(context: V2Context): Cleanup {
  const { options, problems, excludeProblem } = parseOptions(context.options)
  const hostDir = hostDataDir(process.env)
  const dataDir = options.dataDir ?? hostDir
  const log = fileLog(dataDir)
  for (const problem of problems) {
    say(problem)
    log("warn", problem)
  }
  const missing = missingOf(context)
  if (missing.length > 0) log("warn", `this OpenCode ${context.version} lacks: ${missing.join("; ")}`)

  const ending = new AbortController()
  const running = new Set<Promise<void>>()
  const service = findService({ env: process.env, version: context.version, pid: process.pid })
  const http = httpTo(service, TOOL_TIMES)
  const calls = callsOf(context, http, TOOL_TIMES.timeoutMs)
  const rows = rowReader(calls)
  const reader = sessionReader(calls, rows)
  const replies = createReplies()
  const { location, toolTransform, subscribe } = context

  const feed = v2Feed({
    calls,
    rows,
    notes: sourceNotes(dataDir),
    onRemoved: () => history?.sync.reconcile(),
  })
  const beside = readerBeside(reader, (sessionID) => isFromV1(history, sessionID))
  const history: HistoryPart | undefined = historyPart({
    options,
    excludeProblem,
    feed,
    reader: beside,
    log,
    project: { id: location.projectID, directory: location.directory, worktree: location.worktree },
    maxAnswerBytes: MAX_ANSWER_BYTES,
    through: keepV1,
    unlisted: () => unlisted(context, service),
  })
  const handoff = {
    context,
    options,
    dataDir,
    hostDir,
    service,
    http,
    calls,
    reader,
    log,
    ending: ending.signal,
    register,
    transcripts: history === undefined ? reader : readerOverIndex(beside, history.sync.history),
    maxAnswerBytes: MAX_ANSWER_BYTES,
    later(work: Promise<void>) {
      running.add(work)
      void work.finally(() => running.delete(work))
    },
  }
  const withHandoff = options.tools.includes("handoff")
  const tools = [...(withHandoff ? handoffTools(handoff) : []), ...(history?.tools ?? [])]

  const asking = {
    http,
    reply: context.permissionReply,
    replies: subscribe === undefined ? undefined : replies,
    choice: options.otherProjects,
    always: new Set<string>(),
  }
  const caller = (run: ToolRun): Caller => ({
    sessionID: run.sessionID,
    messageID: run.messageID,
    directory: location.directory,
    projectID: location.projectID,
    signal: run.signal,
    askOtherProject: (target) => askOtherProject(asking, { ...run, target }),
  })

  if (toolTransform !== undefined)
    register("tools", () => addTools({ transform: toolTransform, tools, caller, log }))
  const sent = withHandoff ? addHandoff(handoff) : undefined
  if (subscribe !== undefined)
    followEvents({
      subscribe,
      signal: ending.signal,
      log,
      receive(event) {
        feed.receive(event)
        replies.receive(event)
        sent?.receive(event)
      },
      missed: () => history?.sync.reconcile(),
    })

  return async () => {
    ending.abort()
    feed.close()
    service.close()
    await Promise.all([...running, history?.sync.leave()])
    await log.written()
  }

  /** A registration the host refuses costs that one function and nothing else. */
  function register(what: string, call: () => unknown): void {
    const refused = (error: unknown) => log("warn", `${what}: not taken by OpenCode: ${describe(error)}`)
    try {
      Promise.resolve(call()).catch(refused)
    } catch (error) {
      refused(error)
    }
  }
}
