import { mkdir, rm, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { errorCode } from "./file-errors.ts"
import { isSessionID } from "./session-id.ts"

// Who takes a session's waiting draft: the host's metadata knows no "if unchanged", so terminals of one machine
// agree by a file in the host's data folder that only one of them can make. It is there while one takes the draft.

/** Ends a claim. Never rejects. */
export type Release = () => Promise<void>

/** Taking a draft is two requests to a host on this machine; a claim this old is of a terminal that was killed. */
export const CLAIM_STALE_MS = 60_000

/**
 * Claims the draft of a session; undefined while another terminal holds it. Where no file can be made there is nothing
 * to agree by, and everyone gets the claim.
 */
export async function claimDraft(
  hostDir: string,
  sessionID: string,
  now: () => number = Date.now,
): Promise<Release | undefined> {
  if (!isSessionID(sessionID)) return undefined
  const folder = join(hostDir, "opencode-baton", "claims")
  const file = join(folder, sessionID)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await removeStale(file, now())
    await writeFile(file, "", { flag: "wx", mode: 0o600 })
    return () => rm(file, { force: true }).catch(unremoved)
  } catch (error) {
    return errorCode(error) === "EEXIST" ? undefined : async () => undefined
  }
}

async function removeStale(file: string, now: number): Promise<void> {
  const found = await stat(file).catch(() => undefined)
  if (found !== undefined && now - found.mtimeMs > CLAIM_STALE_MS) await rm(file, { force: true })
}

// It is stale after a minute, and removed by the next who claims.
function unremoved(_error: unknown): void {}
