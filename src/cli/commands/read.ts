import type { StoredSession } from "../../history/contract.ts"
import { counted } from "../../tools/search/notes.ts"
import type { Context } from "../context.ts"
import { openStored, type PageOfMessages, sectionOf, wholeSession } from "../conversation.ts"
import { DONE, foundSome, type Outcome, trouble } from "../outcome.ts"
import { page } from "../pager.ts"
import { type Place, readAround, readPage, type Shown } from "../read-pages.ts"
import { sectionJson } from "../view/conversation-json.ts"
import { jsonText, sessionJson, writeJson } from "../view/json.ts"
import { lookFor } from "../view/text.ts"
import { markdownHead, markdownSection } from "../view/markdown.ts"

// `baton read`: a page from either end, a window around a message, or all of it.

export type ReadOptions = Place & {
  readonly all?: boolean | undefined
  readonly tools?: boolean | undefined
  readonly reasoning?: boolean | undefined
  readonly pager?: boolean | undefined
  readonly json?: boolean | undefined
}

export async function read(
  context: Context,
  sessionID: string,
  messageID: string | undefined,
  options: ReadOptions,
): Promise<Outcome> {
  const misuse = misused(options, messageID)
  if (misuse !== undefined) return trouble(misuse)
  const opened = await openStored(context, sessionID)
  if (!opened.ok) return opened.outcome
  const session = opened.value
  if (options.all === true) return readAll(context, session, options)
  const window = messageID !== undefined
  const shown = window
    ? await readAround(context, session, messageID, options)
    : await readPage(context, session, options)
  if (!shown.ok) return shown.outcome
  return write(context, session, options, shown.value)
}

function misused(options: ReadOptions, messageID: string | undefined): string | undefined {
  if (messageID !== undefined && (options.cursor ?? options.limit ?? options.from) !== undefined)
    return "[message] shows what stands around it and takes no --from, --limit or --cursor; use --before and --after"
  if (messageID === undefined && (options.before ?? options.after) !== undefined)
    return "--before and --after need a message to stand around: baton read <session> <message>"
  if (options.all === true && (messageID ?? options.cursor ?? options.limit ?? options.from) !== undefined)
    return "--all shows the whole conversation; leave out [message], --from, --limit and --cursor"
  return undefined
}

function wantedOf(options: ReadOptions) {
  return { tools: options.tools === true, reasoning: options.reasoning === true }
}

async function write(
  context: Context,
  session: StoredSession,
  options: ReadOptions,
  shown: Shown,
): Promise<Outcome> {
  const mask = context.options.maskSecrets
  const sections = shown.messages.map((message) => sectionOf(message, wantedOf(options), mask))
  if (options.json === true) {
    await writeJson(context.output, {
      kind: "conversation",
      session: sessionJson(session, jsonText(mask)),
      total: shown.total,
      reverted: shown.reverted,
      messages: sections.map(sectionJson),
      previous: shown.earlier === undefined ? null : (shown.messages[0]?.id ?? null),
      next: shown.later === undefined ? null : (shown.messages.at(-1)?.id ?? null),
    })
    return foundSome(sections.length)
  }
  const look = lookFor(context)
  const { paint } = context.output
  const notes = [
    shown.earlier === undefined ? "" : `Before this: baton read ${session.id} ${shown.earlier}`,
    shown.later === undefined ? "" : `After this: baton read ${session.id} ${shown.later}`,
    shown.reverted === 0 ? "" : `${counted(shown.reverted, "reverted message")} left out`,
    `${sections.length} of ${counted(shown.total, "message")}`,
  ].filter((note) => note !== "")
  const lines = [
    ...markdownHead(session, look),
    ...sections.flatMap((section) => markdownSection(section, look)),
    "",
    ...notes.map((note) => paint.faint(note)),
  ]
  async function* pieces() {
    yield `${lines.join("\n")}\n`
  }
  await page(context.output, context.env, pieces(), options.pager !== false)
  return foundSome(sections.length)
}

async function readAll(context: Context, session: StoredSession, options: ReadOptions): Promise<Outcome> {
  const mask = context.options.maskSecrets
  const role = options.role === undefined ? {} : { role: options.role }
  const pages = wholeSession(context.history(), { ...role, sessionID: session.id }, context.signal)
  let outcome: Outcome = DONE
  if (options.json === true) {
    const messages = []
    let last: PageOfMessages | undefined
    for await (const found of pages) {
      if (!found.ok) return found.outcome
      last = found.value
      for (const message of found.value.messages)
        messages.push(sectionJson(sectionOf(message, wantedOf(options), mask)))
    }
    await writeJson(context.output, {
      kind: "conversation",
      session: sessionJson(session, jsonText(mask)),
      total: last?.total ?? 0,
      reverted: last?.reverted ?? 0,
      messages,
      previous: null,
      next: null,
    })
    return foundSome(messages.length)
  }
  const look = lookFor(context)
  async function* pieces() {
    yield `${markdownHead(session, look).join("\n")}\n`
    for await (const found of pages) {
      if (!found.ok) {
        outcome = found.outcome
        return
      }
      const lines = found.value.messages.flatMap((message) =>
        markdownSection(sectionOf(message, wantedOf(options), mask), look),
      )
      if (lines.length > 0) yield `${lines.join("\n")}\n`
      if (!found.value.more && found.value.reverted > 0)
        yield `\n${counted(found.value.reverted, "reverted message")} left out\n`
    }
  }
  await page(context.output, context.env, pieces(), options.pager !== false)
  return outcome
}
