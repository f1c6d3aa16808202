// What the six history tools are given. They ask neither which host this is nor how the index works.

import type { Options } from "../../config/options.ts"
import type { History } from "../../history/contract.ts"
import type { SessionReader } from "../../hosts/host.ts"
import type { Position } from "../../reading/cursor.ts"

export type HistoryServices = {
  readonly history: History
  readonly reader: SessionReader
  readonly options: Pick<Options, "exclude" | "maskSecrets"> & Partial<Pick<Options, "otherProjects">>
  /** The project the host was opened in. */
  readonly project: ProjectInfo
  now(): number
  /** IANA name of the zone dates are read and shown in; the process's zone without it. */
  readonly timeZone?: string
  /** The home directory that `~` stands for in `project:~/code`. */
  readonly home?: string
  /**
   * A cheap sync of what changed lately, called before a search answers "nothing". Gives one clause about why it did
   * not come to its end, undefined when it did. Never rejects.
   */
  catchUp?(signal: AbortSignal): Promise<string | undefined>
  /** Why the host's sessions cannot be listed now, so that the index does not grow; undefined while they can. */
  unlisted?(): string | undefined
  /** The host's page cursor for "older than this message", where the host's cursors can be made. */
  readonly olderThan?: (position: Position) => string
  /** Most bytes of one answer; DEFAULT_ANSWER_BYTES without it. */
  readonly maxAnswerBytes?: number
}

export type ProjectInfo = {
  readonly id: string
  readonly directory: string
  readonly worktree: string
}

/** V1 cuts an answer at 51,200 bytes and keeps nothing of a longer single line; 2 KiB are left for its own words. */
export const DEFAULT_ANSWER_BYTES = 48 * 1024
