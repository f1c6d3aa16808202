import type { Options } from "../../config/options.ts"
import { oneLine } from "../../text/printable.ts"
import { tooManyFolders } from "../folders-asked.ts"
import type { Asked, Permission } from "../host.ts"
import { field, textField, type Call } from "../../session/capability.ts"
import { bounded, type Http } from "./http.ts"
import { pause } from "./service.ts"
import type { Outcome } from "./trouble.ts"

// Reading a session of another project is asked first. V2 allows every action it does not know, so a question
// under a name of ours would never be put; reading outside of the project has a rule that asks by default.

/** What "always" for all projects is kept under. */
const ALL_PROJECTS = "*"

export const PERMISSION_ACTION = "external_directory"

/** A service may have nobody who could answer; after this long the question is taken as refused. */
export const ANSWER_MS = 120_000

/** Replies kept for a question whose id is not known yet: the reply may overtake the answer to the request. */
const REPLIES_KEPT = 50

/** Where the host's replies arrive. */
export type Replies = {
  receive(event: unknown): void
  /** The reply to a question: `once`, `always`, `reject`; undefined when none came in time. */
  wait(id: string, ms: number, signal: AbortSignal): Promise<string | undefined>
}

export function createReplies(): Replies {
  const early = new Map<string, string>()
  const waiting = new Map<string, (reply: string) => void>()
  return {
    receive(event) {
      if (!/^permission\.(?:v2\.)?replied$/.test(textField(event, "type"))) return
      const data = field(event, "data")
      const reply = textField(data, "reply") || textField(data, "response") || textField(data, "effect")
      for (const name of ["requestID", "permissionID", "id"]) {
        const id = textField(data, name)
        if (id === "") continue
        waiting.get(id)?.(reply)
        early.set(id, reply)
      }
      for (const oldest of early.keys()) if (early.size > REPLIES_KEPT) early.delete(oldest)
    },
    async wait(id, ms, signal) {
      const known = early.get(id)
      if (known !== undefined) return known
      const ended = new AbortController()
      const replied = Promise.withResolvers<string>()
      waiting.set(id, replied.resolve)
      try {
        return await Promise.race([
          replied.promise,
          pause(ms, AbortSignal.any([ended.signal, signal])).then(() => undefined),
        ])
      } finally {
        waiting.delete(id)
        ended.abort()
      }
    },
  }
}

export type Asking = {
  readonly http: Http
  /** `permission.reply` of the host. */
  readonly reply?: Call | undefined
  /** Undefined where the host has no events: a question whose answer cannot be heard is not put. */
  readonly replies: Replies | undefined
  readonly choice: Options["otherProjects"]
  /** What the user allowed, as named in the question, for as long as this process runs. */
  readonly always: Set<string>
  /** How long an answer is waited for; ANSWER_MS without. */
  readonly answerMs?: number
}

type Question = {
  readonly target: Asked
  readonly sessionID: string
  readonly messageID: string
  readonly callID: string
  readonly signal: AbortSignal
}

/** Whether a session of another project may be read, as the option and the user say. */
export async function askOtherProject(asking: Asking, question: Question): Promise<Permission> {
  const project = question.target.directory || question.target.projectID
  const shown = oneLine(project)
  // What is allowed for good is what was named, so it is kept under all of it; all projects are those to come too.
  const named =
    question.target.all === true ? ALL_PROJECTS : JSON.stringify(resourcesOf(question.target, project))
  const { always } = asking
  if (asking.choice === "allow" || always.has(named) || always.has(ALL_PROJECTS)) return { granted: true }
  if (asking.choice === "deny")
    return refused(
      `reading sessions of another project (${shown}) is off: the option otherProjects is "deny"`,
    )
  const tooMany = tooManyFolders(question.target)
  if (tooMany !== undefined) return refused(tooMany)
  if (asking.replies === undefined)
    return refused(`this OpenCode gives plugins no events, so nobody can be asked about ${shown}; ${remedy}`)

  const asked = await ask(asking.http, question, project)
  if (!asked.ok) {
    // Answered too late or not waited for, it may have been put all the same.
    if (asked.trouble.reason === "late" || question.signal.aborted) await withdrawUnseen(asking, question)
    return refused(
      `nobody could be asked whether sessions of ${shown} may be read (${asked.trouble.message}); ${remedy}`,
    )
  }
  const data = field(asked.value, "data") ?? asked.value
  const effect = textField(data, "effect")
  if (effect === "allow") return { granted: true }
  if (effect !== "ask")
    return refused(`reading sessions of ${shown} is denied by the rules for ${PERMISSION_ACTION}`)

  const id = textField(data, "id")
  const reply = await asking.replies.wait(id, asking.answerMs ?? ANSWER_MS, question.signal)
  if (reply === undefined) {
    await withdraw(asking, question.sessionID, id)
    return refused(`nobody answered whether sessions of ${shown} may be read; ${remedy}`)
  }
  if (reply === "always") asking.always.add(named)
  if (reply === "always" || reply === "once" || reply === "allow") return { granted: true }
  return refused(`reading sessions of ${shown} was refused by the user`)
}

const remedy = 'set the option otherProjects to "allow"'

async function ask(http: Http, question: Question, project: string): Promise<Outcome> {
  const path = questionsOf(question.sessionID)
  const body = { action: PERMISSION_ACTION, resources: resourcesOf(question.target, project) }
  const more = {
    metadata: {
      reason: `opencode-baton: read sessions of ${oneLine(project)}`,
      title: oneLine(question.target.title),
    },
    // The call is `id` in later releases, `callID` before; a key that is not known is dropped.
    source: {
      type: "tool",
      messageID: question.messageID,
      callID: question.callID,
      id: question.callID,
    },
  }
  const first = await http("permission", {
    method: "POST",
    path,
    body: { ...body, ...more },
    signal: question.signal,
  })
  // What stands around the question may be spelled otherwise in another release.
  if (first.ok || first.trouble.reason !== "failed") return first
  return http("permission", { method: "POST", path, body, signal: question.signal })
}

/** Each folder is asked for: a rule against one of them counts. */
function resourcesOf({ folders = [], all }: Asked, project: string): readonly string[] {
  const named = folders.length > 0 && all !== true ? [] : [project]
  return [...new Set([...named, ...folders].map(resourceOf))]
}

/**
 * Takes a question back that nobody waits for: it would cover the session's prompt for good. `once` grants nothing here,
 * where `reject` would refuse what else the session asks. Both names of the reply are sent: releases know one. Never
 * throws.
 */
async function withdraw(asking: Asking, sessionID: string, requestID: string): Promise<void> {
  if (requestID === "") return
  const own = asking.reply
  if (own !== undefined) {
    const args = { sessionID, requestID, decision: "once", reply: "once" }
    if ((await bounded("permission reply", () => own(args), WITHDRAW_MS)).ok) return
  }
  const path = `${questionsOf(sessionID)}/${encodeURIComponent(requestID)}/reply`
  const body = { decision: "once", reply: "once" }
  await asking.http("permission reply", { method: "POST", path, body })
}

/** The same for a question whose id never came: it is found by its call. */
async function withdrawUnseen(asking: Asking, question: Question): Promise<void> {
  const asked = await asking.http("permission list", { path: questionsOf(question.sessionID) })
  const list: unknown = asked.ok ? (field(asked.value, "data") ?? asked.value) : undefined
  if (!Array.isArray(list)) return
  for (const request of list) {
    const source = field(request, "source")
    const call = textField(source, "id") || textField(source, "callID")
    if (call === question.callID && textField(source, "messageID") === question.messageID)
      await withdraw(asking, question.sessionID, textField(request, "id"))
  }
}

/** Nobody waits for a reply that takes a question back. */
const WITHDRAW_MS = 2_000

function questionsOf(sessionID: string): string {
  return `/api/session/${encodeURIComponent(sessionID)}/permission`
}

/** Rules are written for folders and what is below. */
function resourceOf(project: string): string {
  return /^(?:\/|[A-Za-z]:[\\/])/.test(project) ? `${project.replace(/(?<![\\/])[\\/]+$/, "")}/*` : "*"
}

function refused(message: string): Permission {
  return { granted: false, message }
}
