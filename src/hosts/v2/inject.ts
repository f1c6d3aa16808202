import type { Options } from "../../config/options.ts"
import { attachedKeys } from "../../handoff/attached.ts"
import { findMarker } from "../../handoff/draft.ts"
import { planInjection, type Injection } from "../../handoff/injection.ts"
import { formatFor } from "../../handoff/read-format.ts"
import { metadataKey, readRecord, withRecord } from "../../handoff/record.ts"
import { commandName, commandText } from "../../handoff/template.ts"
import { isRecord } from "../../session/from-unknown.ts"
import type { Log } from "../host.ts"
import { attachmentsOf, plainFormat, storedAttachmentsOf } from "./attachment.ts"
import type { Calls } from "./calls.ts"
import { field, textField, type Call } from "../../session/capability.ts"
import { isFirst, type Earlier } from "./first.ts"
import { bounded, type Http } from "./http.ts"
import { readRulesOf } from "./rules.ts"
import type { Sent } from "./sent.ts"
import { describe } from "./trouble.ts"

// Puts the files of a sent draft into its own prompt, before the host admits it: the first request has them.
// Whatever goes wrong here, the prompt goes through as it was.

export type InjectSetup = {
  readonly calls: Calls
  readonly earlier: Earlier
  readonly http: Http
  /** `agent.list` of the host. */
  readonly agentList: Call | undefined
  readonly options: Options
  readonly directory: string
  readonly worktree: string
  readonly log: Log
  /** Whether the host took `/handoff` as a command; otherwise it arrives as the text of a prompt. */
  hasCommand(): boolean
  /** Takes work that the prompt does not wait for. */
  later(work: Promise<void>): void
  /** Runs `settle` when the message of a prompt is in its session, never for one that was refused. */
  readonly expect: Sent["expect"]
  /** Keeps in a file of ours where a session came from: a host may drop metadata that it does not know. */
  note(sessionID: string, record: { readonly source: string; readonly at: number }): Promise<void>
  /** The draft was sent: what was kept of it is not needed any more. */
  sent(sessionID: string): Promise<void>
}

/** A person waits for this prompt: slow storage must not hold it longer than this. */
export const MAX_INJECTION_MS = 5_000

/** The `prompt` hook. Never throws: a hook that does fails the prompt. */
export function promptHook(setup: InjectSetup): (event: unknown) => Promise<void> {
  return async (event) => {
    try {
      if (!isRecord(event) || !isRecord(event["prompt"])) return
      if (!setup.hasCommand()) expandCommand(event, event["prompt"])
      await inject(setup, event)
    } catch (error) {
      const sessionID = textField(event, "sessionID")
      setup.log("error", "handoff files not injected", { sessionID, reason: describe(error) })
    }
  }
}

/** `/handoff goal`, typed where no such command exists: the rest of the text is the goal, as it is. */
function expandCommand(event: object, prompt: Readonly<Record<string, unknown>>): void {
  const [, goal] = new RegExp(`^/${commandName}(?:$|[ \\n]([^]*))`).exec(textField(prompt, "text")) ?? [
    undefined,
  ]
  const isCommand = textField(prompt, "text") === `/${commandName}` || goal !== undefined
  if (isCommand) Reflect.set(event, "prompt", { ...prompt, text: commandText(goal ?? "") })
}

async function inject(setup: InjectSetup, event: Readonly<Record<string, unknown>>): Promise<void> {
  const prompt = event["prompt"]
  const text = textField(prompt, "text")
  const marker = findMarker(text)
  if (marker === undefined || !isRecord(prompt) || isOurs(event)) return
  const started = Date.now()
  const sessionID = textField(event, "sessionID")
  const found = await setup.calls.session(sessionID)
  const session = found.ok ? found.value : undefined
  if (!(await isFirst(setup.earlier, session, sessionID, textField(event, "messageID")))) return

  const files: readonly unknown[] = Array.isArray(prompt["files"]) ? prompt["files"] : []
  const plain = setup.options.readFormat === "auto" ? plainFormat() : undefined
  const planned = await bounded(
    "files",
    async () =>
      planInjection({
        text,
        directory: textField(field(session, "location"), "directory") || setup.directory,
        worktree: setup.worktree,
        limits: setup.options.inject,
        format: plain ?? formatFor(undefined, "numbered"),
        rules: await readRulesOf(setup, session),
        alreadyAttached: attachedKeys(files.map(addressOf)),
      }),
    MAX_INJECTION_MS,
  )
  const plan = planned.ok ? asPlan(planned.value) : undefined
  const isStored = files.some((file) => typeof field(file, "data") === "string")
  const added = isStored ? storedAttachmentsOf(plan ?? late) : await attachmentsOf(plan ?? late, plain)
  if (added.length > 0) Reflect.set(event, "prompt", { ...prompt, files: [...files, ...added] })
  Reflect.set(event, "metadata", { ...recordIn(event["metadata"]), [metadataKey]: { handoff: true } })
  setup.log("info", "handoff files injected", {
    sessionID,
    sourceSessionID: marker.sourceSessionID,
    files: plan?.files.length ?? 0,
    bytes: plan?.bytes ?? 0,
    skipped: plan?.skipped.length ?? 0,
    ms: Date.now() - started,
  })
  const record = {
    source: marker.sourceSessionID,
    at: readRecord(field(session, "metadata"))?.at ?? Date.now(),
  }
  setup.later(
    setup.note(sessionID, record).catch((error: unknown) => {
      setup.log("warn", "handoff source not noted", { sessionID, reason: describe(error) })
    }),
  )
  // The host may still refuse the prompt: a draft that waits is needed then.
  setup.expect({ sessionID, messageID: textField(event, "messageID") }, () =>
    setup.later(recordSource(setup, sessionID, record)),
  )
}

/** Our mark: a second copy of the plugin, or the same prompt again, sees that the files are there. */
function isOurs(event: Readonly<Record<string, unknown>>): boolean {
  return field(event["metadata"], metadataKey) !== undefined
}

/** Where an attachment of the user comes from, as given or as the host stores it; "" for its bare content. */
function addressOf(file: unknown): string {
  return textField(file, "uri") || textField(field(file, "source"), "uri")
}

const late: Injection = {
  files: [],
  note: `Not included: the files this prompt names could not be read within ${MAX_INJECTION_MS / 1000} s. Read them with the read tool.`,
  bytes: 0,
  skipped: [],
}

function asPlan(value: unknown): Injection | undefined {
  return isPlan(value) ? value : undefined
}

function isPlan(value: unknown): value is Injection {
  return isRecord(value) && Array.isArray(value["files"]) && Array.isArray(value["skipped"])
}

function recordIn(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {}
}

/**
 * Leaves in the session where it came from, and takes a stored draft out: it is sent now. The host replaces all
 * metadata, so nothing is written over what could not be read a moment ago.
 */
async function recordSource(
  setup: InjectSetup,
  sessionID: string,
  record: { readonly source: string; readonly at: number },
): Promise<void> {
  const beside = (reason: string) =>
    setup.log("info", "handoff source only recorded beside the session", { sessionID, reason })
  try {
    const session = await setup.calls.session(sessionID)
    const metadata = session.ok ? recordIn(field(session.value, "metadata")) : {}
    await setup.sent(sessionID)
    if (!session.ok) return beside(session.trouble.message)
    const updated = await setup.calls.updateSession(sessionID, { metadata: withRecord(metadata, record) })
    if (!updated.ok) beside(updated.trouble.message)
  } catch (error) {
    setup.log("warn", "handoff source not recorded", { sessionID, reason: describe(error) })
  }
}
