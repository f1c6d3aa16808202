import { appendFile, mkdir, readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import * as z from "zod/mini"
import { errorCode } from "./file-errors.ts"
import { readRecord, withRecord, type HandoffRecord } from "./record.ts"
import { parseJson } from "../text/json.ts"

// Where sessions came from, in a file of ours: for hosts that keep no metadata of a session. One line a handoff,
// only ever appended, so that several processes can write; it holds ids and times and no text.

const line = z.object({ session: z.string(), source: z.string(), at: z.number() })

/** Notes that the work of `record.source` was handed off to the session. Throws what the file system reports. */
export async function noteSource(
  dataDir: string,
  sessionID: string,
  record: Pick<HandoffRecord, "source" | "at">,
): Promise<void> {
  const entry: z.infer<typeof line> = { session: sessionID, source: record.source, at: record.at }
  await mkdir(join(dataDir, "opencode-baton"), { recursive: true, mode: 0o700 })
  await appendFile(fileOf(dataDir), `${JSON.stringify(entry)}\n`, { mode: 0o600 })
}

export type SourceNotes = {
  /** The metadata with what is noted of the session, unless a record is in it already. Never throws. */
  complete(
    sessionID: string,
    metadata: Readonly<Record<string, unknown>>,
  ): Promise<Readonly<Record<string, unknown>>>
}

/** The notes of a data folder. Nothing is read before the first question, and a file that did not change only once. */
export function sourceNotes(dataDir: string): SourceNotes {
  let known: ReadonlyMap<string, HandoffRecord> = new Map()
  let state = ""

  return {
    async complete(sessionID, metadata) {
      if (readRecord(metadata) !== undefined) return metadata
      const now = await stateOf(fileOf(dataDir))
      if (now !== state) {
        known = await read(fileOf(dataDir))
        state = now
      }
      const record = known.get(sessionID)
      return record === undefined ? metadata : withRecord(metadata, record)
    },
  }
}

function fileOf(dataDir: string): string {
  return join(dataDir, "opencode-baton", "handoffs.jsonl")
}

/** What changes with every line that is added; "" for a file that is not there or cannot be looked at. */
async function stateOf(file: string): Promise<string> {
  return stat(file).then(
    (info) => `${info.size} ${info.mtimeMs}`,
    () => "",
  )
}

/** A line that another process is just writing, or that is broken, is left out. */
async function read(file: string): Promise<ReadonlyMap<string, HandoffRecord>> {
  const text = await readFile(file, "utf8").catch((error: unknown) => {
    if (errorCode(error) !== "") return ""
    throw error
  })
  const notes = new Map<string, HandoffRecord>()
  for (const entry of text.split("\n")) {
    const parsed = line.safeParse(parseJson(entry))
    if (parsed.success) notes.set(parsed.data.session, { source: parsed.data.source, at: parsed.data.at })
  }
  return notes
}
