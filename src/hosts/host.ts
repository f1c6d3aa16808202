import type { Message, Session } from "../session/model.ts"

// What a host can do for the tools. Each host implements it in its own folder; nothing else in the code
// asks which host it is.

/** A page of messages in the host's order, oldest first. */
export type MessagePage = {
  readonly messages: readonly Message[]
  /** Where the next older page starts; absent when these are the oldest. */
  readonly older?: string
}

/** Expected trouble of a host call. Anything else is a bug and thrown. */
export type HostFault = {
  readonly reason: "not-found" | "failed"
  readonly message: string
  /** The host did not answer in time, so it has refused nothing. */
  readonly late?: true
}

export type HostResult<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly fault: HostFault }

/** Reading sessions. Calls never throw for what a host answers or fails to answer. */
export type SessionReader = {
  session(id: string, signal?: AbortSignal): Promise<HostResult<Session>>
  /** The newest `limit` messages, or those before `older`. */
  messages(
    id: string,
    page: { readonly limit: number; readonly older?: string },
    signal?: AbortSignal,
  ): Promise<HostResult<MessagePage>>
}

/**
 * What the user is asked to open: a session, or sessions of the folders named. A grant opens these and nothing else. Of a
 * question about several folders `directory` is their name for people.
 */
export type Asked = Pick<Session, "id" | "title" | "projectID" | "directory"> & {
  /** Every folder opened, as the sessions have it, where `directory` is not the only one. */
  readonly folders?: readonly string[]
  /** All projects are meant, those to come too. */
  readonly all?: true
}

/** Who calls a tool: the session and message of the call, and where it stands. */
export type Caller = {
  readonly sessionID: string
  readonly messageID: string
  readonly directory: string
  readonly projectID: string
  readonly signal: AbortSignal
  /** Asks the user before sessions of another project are read. */
  askOtherProject(target: Asked): Promise<Permission>
}

export type Permission = { readonly granted: true } | { readonly granted: false; readonly message: string }

/** What became of a draft. */
export type DraftOutcome =
  | { readonly kind: "shown"; readonly by: "terminal" | "server" }
  | { readonly kind: "stored"; readonly sessionID: string; readonly open: string; readonly why: string }

/** Puts a draft where the user can edit it, or keeps it. Never sends it. */
export type DraftMaker = {
  make(draft: {
    readonly text: string
    /** The session the draft names as its source, then others whose terminal may show it too. */
    readonly sourceSessionIDs: readonly string[]
    /** The title of a new session, where one has to be made to keep the draft. */
    readonly title: string
  }): Promise<HostResult<DraftOutcome>>
}

export type LogLevel = "debug" | "info" | "warn" | "error"

/** Writes one line through the host. Never throws, never waits. */
export type Log = (level: LogLevel, message: string, extra?: Readonly<Record<string, unknown>>) => void
