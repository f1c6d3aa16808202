import { closeSync, linkSync, openSync, renameSync, rmSync } from "node:fs"
import { extname, resolve } from "node:path"
import type { StoredSession } from "../../history/contract.ts"
import { guarded, printableJson } from "../../text/printable.ts"
import { counted } from "../../tools/search/notes.ts"
import type { Context } from "../context.ts"
import { openStored, sectionOf, wholeSession, type Section, type Wanted } from "../conversation.ts"
import { DONE, INTERRUPTED, type Outcome, refusedByMachine, trouble } from "../outcome.ts"
import { writeAll } from "../write-all.ts"
import { makePaint } from "../paint.ts"
import { sectionJson } from "../view/conversation-json.ts"
import { JSON_VERSION, jsonText, sessionJson } from "../view/json.ts"
import { HTML_END, htmlHead, htmlSection } from "../view/html.ts"
import { markdownHead, markdownSection } from "../view/markdown.ts"
import { lookFor, type Look } from "../view/text.ts"

// `baton export`: one whole session, written page by page. A file appears complete or not at all, for its owner
// only.

export type ExportOptions = {
  readonly format?: "md" | "json" | "html" | undefined
  readonly output?: string | undefined
  readonly force?: boolean | undefined
  readonly tools?: boolean | undefined
  readonly reasoning?: boolean | undefined
}

export async function exportSession(
  context: Context,
  sessionID: string,
  options: ExportOptions,
): Promise<Outcome> {
  const { output, force } = options
  const wanted = { tools: options.tools === true, reasoning: options.reasoning === true }
  const format = options.format ?? formatOf(output)
  const opened = await openStored(context, sessionID)
  if (!opened.ok) return opened.outcome
  const session = opened.value
  // A document is for no screen.
  const plain = { ...context.output, paint: makePaint(false, false), isTerminal: false }
  const look = { ...lookFor(context), output: plain }
  const form = FORMS[format](session, look)
  if (output === undefined) return write(context, session, form, wanted, (text) => context.output.write(text))

  const path = resolve(context.directory, output)
  const file = openFile(path, force === true)
  if (!file.ok) return trouble(file.error)
  let outcome: Outcome
  try {
    outcome = await write(context, session, form, wanted, async (text) => file.write(guarded(text)))
  } catch (error) {
    file.discard()
    const why = refusedByMachine(error)
    if (why === undefined) throw error
    return trouble(`${path} cannot be written: ${why}; choose another folder`)
  }
  if (outcome.code !== 0) {
    file.discard()
    return outcome
  }
  const placed = file.place()
  if (placed !== undefined) return trouble(placed)
  context.output.complain(`${path}: ${counted(session.messages, "message")}`)
  return DONE
}

function formatOf(output: string | undefined): "md" | "json" | "html" {
  const ending = extname(output ?? "").toLowerCase()
  if (ending === ".html" || ending === ".htm") return "html"
  return ending === ".json" ? "json" : "md"
}

type Form = {
  readonly head: string
  section(section: Section, first: boolean): string
  readonly end: string
}

const FORMS: Readonly<Record<"md" | "json" | "html", (session: StoredSession, look: Look) => Form>> = {
  md: (session, look) => ({
    head: `${markdownHead(session, look).join("\n")}\n`,
    section: (section) => `${markdownSection(section, look).join("\n")}\n`,
    end: "",
  }),
  html: (session, look) => ({
    head: htmlHead(session, look),
    section: (section) => htmlSection(section, look),
    end: HTML_END,
  }),
  json: (session, look) => ({
    head: `${printableJson({ version: JSON_VERSION, kind: "export", session: sessionJson(session, jsonText(look.maskSecrets)) }).slice(0, -1)},"messages":[\n`,
    section: (section, first) => `${first ? "" : ",\n"}${printableJson(sectionJson(section))}`,
    end: "\n]}\n",
  }),
}

async function write(
  context: Context,
  session: StoredSession,
  form: Form,
  wanted: Wanted,
  put: (text: string) => Promise<void>,
): Promise<Outcome> {
  await put(form.head)
  let first = true
  for await (const page of wholeSession(context.history(), { sessionID: session.id }, context.signal)) {
    if (context.signal.aborted) return INTERRUPTED
    if (!page.ok) return page.outcome
    for (const message of page.value.messages) {
      const section = sectionOf(message, wanted, context.options.maskSecrets)
      await put(form.section(section, first))
      first = false
    }
  }
  await put(form.end)
  return DONE
}

type OpenFile =
  | { readonly ok: false; readonly error: string }
  | {
      readonly ok: true
      write(text: string): void
      discard(): void
      /** Gives the file its name; the trouble in one line when that is taken. */
      place(): string | undefined
    }

/** Only the owner may read what somebody's sessions hold. */
const PRIVATE = 0o600

function openFile(path: string, force: boolean): OpenFile {
  const partial = `${path}.${process.pid}.part`
  try {
    const file = openSync(partial, "wx", PRIVATE)
    return {
      ok: true,
      write: (text) => writeAll(file, text),
      discard() {
        closeSync(file)
        rmSync(partial, { force: true })
      },
      place() {
        try {
          closeSync(file)
          if (force) renameSync(partial, path)
          else linkSync(partial, path)
          return undefined
        } catch (error) {
          if (isTaken(error)) return `${path} exists; choose another file, or add --force to overwrite it`
          return `${path} cannot be written: ${error instanceof Error ? error.message : String(error)}; choose another folder`
        } finally {
          rmSync(partial, { force: true })
        }
      },
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return { ok: false, error: `${path} cannot be written: ${why}; choose another folder` }
  }
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EEXIST"
}
