import type { Hooks } from "@opencode-ai/plugin"
import { pathToFileURL } from "node:url"
import type { Options } from "../../config/options.ts"
import { attachedKeys } from "../../handoff/attached.ts"
import { findMarker } from "../../handoff/draft.ts"
import { planInjection, type Injection } from "../../handoff/injection.ts"
import { formatFor } from "../../handoff/read-format.ts"
import { readRules } from "../../handoff/read-rules.ts"
import { readRecord, withRecord } from "../../handoff/record.ts"
import { sessionFromV1 } from "../../session/from-v1.ts"
import type { Message } from "../../session/model.ts"
import type { Log, SessionReader } from "../host.ts"
import { attempt, describe, transport, type V1Client } from "./client.ts"
import { partIDsAfter } from "./ids.ts"
import type { V1Reader } from "./reader.ts"
import { rulesOf } from "./rules.ts"

// Puts the files of a sent draft in front of the model, in the user's own message. Runs before the host
// stores the message and calls the model: whatever goes wrong here, the message goes through as it was.

type Hook = NonNullable<Hooks["chat.message"]>
type Part = Parameters<Hook>[1]["parts"][number]

type Setup = {
  readonly client: V1Client
  readonly reader: V1Reader
  readonly options: Options
  readonly directory: string
  readonly worktree: string
  readonly log: Log
}

/** Marks our parts in the stored message, so that a second run or a second copy of the plugin sees them. */
const ourMark = "opencode-baton"

/** A fresh session has a handful of messages at most; one with more pages than this is not fresh. */
const freshMessages = 50

/** A person waits for this message: slow storage must not hold it longer than this. */
export const maxInjectionMs = 5000

/** The `chat.message` hook. Never throws. */
export function injectionHook(setup: Setup): Hook {
  return async (_input, output) => {
    try {
      const marker = findMarker(userText(output.parts))
      if (marker === undefined || output.parts.some(isOurs)) return
      const started = Date.now()
      const { sessionID, id: messageID } = output.message
      const found = await setup.reader.get(sessionID, "", {})
      if (!(await isFirst(setup.reader, sessionID, messageID))) return

      const plan = await bounded(planFor(setup, found.ok ? found.value.data : undefined, output))
      output.parts.push(...partsOf(plan, output))
      setup.log("info", "handoff files injected", {
        sessionID,
        sourceSessionID: marker.sourceSessionID,
        files: plan.files.length,
        bytes: plan.bytes,
        skipped: plan.skipped.length,
        ms: Date.now() - started,
      })
      void recordSource(setup, sessionID, marker.sourceSessionID)
    } catch (error) {
      setup.log("error", "handoff files not injected", {
        sessionID: output.message.sessionID,
        reason: describe(error),
      })
    }
  }
}

function userText(parts: readonly Part[]): string {
  return parts.map((part) => (part.type === "text" && part.synthetic !== true ? part.text : "")).join("\n")
}

function isOurs(part: Part): boolean {
  return part.type === "text" && part.metadata?.[ourMark] !== undefined
}

/**
 * Whether this is the session's first message written by the user. The same message sent again counts as the
 * first only while our parts are not stored with it. A host that cannot say is taken as yes: a file too often
 * is better than a file never.
 */
async function isFirst(reader: SessionReader, sessionID: string, messageID: string): Promise<boolean> {
  const page = await reader.messages(sessionID, { limit: freshMessages })
  if (!page.ok) return true
  if (page.value.older !== undefined) return false
  return page.value.messages.every((message) =>
    message.id === messageID ? !message.parts.some(storedAsOurs) : !isWritten(message),
  )
}

function isWritten(message: Message): boolean {
  return (
    message.role === "user" &&
    message.parts.some((part) => part.type === "text" && !part.synthetic && !part.ignored)
  )
}

function storedAsOurs(part: Message["parts"][number]): boolean {
  return part.type === "text" && ourMark in part.metadata
}

async function planFor(setup: Setup, session: unknown, output: Parameters<Hook>[1]): Promise<Injection> {
  const { agent, tools } = output.message
  const [version, rules] = await Promise.all([
    hostVersion(setup.client),
    rulesOf(setup.client, { agent, session, tools }, callTimeoutMs),
  ])
  return planInjection({
    text: userText(output.parts),
    directory: sessionFromV1(session)?.directory ?? setup.directory,
    worktree: setup.worktree,
    limits: setup.options.inject,
    format: formatFor(version, setup.options.readFormat),
    rules: readRules(rules),
    alreadyAttached: attachedKeys(output.parts.flatMap((part) => (part.type === "file" ? [part.url] : []))),
  })
}

const callTimeoutMs = 2000

async function hostVersion(client: V1Client): Promise<string | undefined> {
  const reply = await attempt("health", () => transport(client).get({ url: "/global/health" }), callTimeoutMs)
  if (!reply.ok || typeof reply.value.data !== "object" || reply.value.data === null) return undefined
  const version: unknown = Reflect.get(reply.value.data, "version")
  return typeof version === "string" ? version : undefined
}

async function bounded(plan: Promise<Injection>): Promise<Injection> {
  const late = Promise.withResolvers<Injection>()
  const timer = setTimeout(
    () =>
      late.resolve({
        files: [],
        note: `Not included: the files this prompt names could not be read within ${maxInjectionMs / 1000} s. Read them with the read tool.`,
        bytes: 0,
        skipped: [],
      }),
    maxInjectionMs,
  )
  try {
    return await Promise.race([plan, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

function partsOf(plan: Injection, output: Parameters<Hook>[1]): Part[] {
  const base = { sessionID: output.message.sessionID, messageID: output.message.id }
  const text = (text: string) =>
    ({ ...base, type: "text", synthetic: true, text, metadata: { [ourMark]: { handoff: true } } }) as const
  const bodies = plan.files.flatMap((file) => [
    text(file.header),
    text(file.body),
    { ...base, type: "file", mime: "text/plain", filename: file.name, url: urlOf(file) } as const,
  ])
  const parts = plan.note === undefined ? bodies : [...bodies, text(plan.note)]
  const ids = partIDsAfter(
    output.parts.map((part) => part.id),
    parts.length,
    Date.now(),
  )
  return parts.map((part, index) => ({ ...part, id: ids[index] ?? "" }))
}

function urlOf(file: Injection["files"][number]): string {
  const url = pathToFileURL(file.path)
  if (file.range !== undefined) {
    url.searchParams.set("start", String(file.range.start))
    if (file.range.end !== undefined) url.searchParams.set("end", String(file.range.end))
  }
  return url.href
}

/**
 * Leaves in the new session where it came from, and takes a stored draft out: it is sent now. The host replaces all
 * metadata, so nothing is written over what could not be read a moment ago.
 */
async function recordSource(setup: Setup, sessionID: string, source: string): Promise<void> {
  const unrecorded = (reason: string) =>
    setup.log("warn", "handoff source not recorded", { sessionID, reason })
  const session = await setup.reader.session(sessionID)
  if (!session.ok) return unrecorded(session.fault.message)
  const { metadata } = session.value
  const at = readRecord(metadata)?.at ?? Date.now()
  const reply = await attempt("session update", () =>
    transport(setup.client).patch({
      url: `/session/${sessionID}`,
      body: { metadata: withRecord(metadata, { source, at }) },
      headers: { "content-type": "application/json" },
    }),
  )
  if (!reply.ok) unrecorded(reply.fault.message)
}
