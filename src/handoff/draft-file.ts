import { randomUUID } from "node:crypto"
import { existsSync } from "node:fs"
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import * as z from "zod/mini"
import { errorCode } from "./file-errors.ts"
import { isSessionID } from "./session-id.ts"
import { parseJson } from "../text/json.ts"

// A waiting draft as a file of ours, for hosts that cannot keep it in its session's metadata. Server part and
// terminal part meet in the host's data folder, whatever their options: each has its own, and they could differ.
// Taking the file away is what makes a draft appear once.

const record = z.object({ source: z.string(), at: z.number(), draft: z.string() })

export type DraftFile = z.infer<typeof record>

/** A draft nobody opened for so long is not looked for any more; 30 days in milliseconds. */
export const DRAFT_KEPT_MS = 30 * 86_400_000

/** Keeps a draft for `sessionID`. Throws what the file system reports. */
export async function keepDraft(dataDir: string, sessionID: string, draft: DraftFile): Promise<void> {
  await mkdir(folderOf(dataDir), { recursive: true, mode: 0o700 })
  await writeFile(fileOf(dataDir, sessionID), JSON.stringify(draft), { mode: 0o600 })
}

/** Takes the draft of a session away; undefined when there is none. */
export async function takeDraft(
  dataDir: string,
  sessionID: string,
  now: number,
): Promise<DraftFile | undefined> {
  if (!isSessionID(sessionID)) return undefined
  const file = fileOf(dataDir, sessionID)
  // Of several that try at the same moment only one can rename it.
  const own = `${file}.${randomUUID()}`
  try {
    await rename(file, own)
    const text = await readFile(own, "utf8")
    await rm(own)
    const parsed = record.safeParse(parseJson(text))
    return parsed.success && now - parsed.data.at < DRAFT_KEPT_MS ? parsed.data : undefined
  } catch (error) {
    // Missing, taken by another terminal meanwhile, or on another machine.
    if (errorCode(error) === "ENOENT") return undefined
    throw error
  }
}

/** Whether drafts are kept on this machine at all: otherwise one that is missing may wait on another. */
export function keepsDrafts(dataDir: string): boolean {
  return existsSync(folderOf(dataDir))
}

function folderOf(dataDir: string): string {
  return join(dataDir, "opencode-baton", "drafts")
}

function fileOf(dataDir: string, sessionID: string): string {
  if (!isSessionID(sessionID)) throw new Error(`${JSON.stringify(sessionID)} is not a session id`)
  return join(folderOf(dataDir), `${sessionID}.json`)
}
