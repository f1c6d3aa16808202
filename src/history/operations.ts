import type {
  Applied,
  Changes,
  EditsAnswer,
  EditsRequest,
  Forgotten,
  ForgetTarget,
  History,
  HistoryResult,
  LineageAnswer,
  LineageRequest,
  MessagesAnswer,
  MessagesRequest,
  Progress,
  ProjectsAnswer,
  ProjectsRequest,
  SearchAnswer,
  SearchRequest,
  Status,
  StoredMarker,
  StoredSession,
} from "./contract.ts"

// The calls of the index as messages between the host's thread and the index's.

export type Operations = {
  beginFetch: { argument: undefined; value: number }
  applyChanges: { argument: Changes; value: Applied }
  search: { argument: SearchRequest; value: SearchAnswer }
  projects: { argument: ProjectsRequest; value: ProjectsAnswer }
  edits: { argument: EditsRequest; value: EditsAnswer }
  markers: { argument: undefined; value: readonly StoredMarker[] }
  session: { argument: string; value: StoredSession | undefined }
  messages: { argument: MessagesRequest; value: MessagesAnswer }
  lineage: { argument: LineageRequest; value: LineageAnswer }
  projectsIn: { argument: string; value: readonly string[] }
  forget: { argument: ForgetTarget; value: Forgotten }
  status: { argument: undefined; value: Status }
}

export type Operation = keyof Operations
export type Result<Op extends Operation> = HistoryResult<Operations[Op]["value"]>

export type Call<Op extends Operation = Operation> = {
  readonly kind: "call"
  readonly id: number
  readonly operation: Op
  readonly argument: Operations[Op]["argument"]
}

export type ToWorker =
  | { readonly [Op in Operation]: Call<Op> }[Operation]
  | { readonly kind: "abort"; readonly id: number }
  | { readonly kind: "progress"; readonly progress: Progress }
  | { readonly kind: "close" }

export type Reply<Op extends Operation = Operation> = {
  readonly kind: "reply"
  readonly id: number
  readonly operation: Op
  readonly result: Result<Op>
}

export type FromWorker =
  | { readonly kind: "ready" }
  | { readonly [Op in Operation]: Reply<Op> }[Operation]
  | { readonly kind: "closed" }

/** What a worker is started with. */
export type WorkerData = { readonly dataDir: string; readonly maskSecrets: boolean }

type Performers = {
  readonly [Op in Operation]: (
    history: History,
    argument: Operations[Op]["argument"],
    signal?: AbortSignal,
  ) => Promise<Result<Op>>
}

const PERFORMERS: Performers = {
  beginFetch: (history, _argument, signal) => history.beginFetch(signal),
  applyChanges: (history, argument, signal) => history.applyChanges(argument, signal),
  search: (history, argument, signal) => history.search(argument, signal),
  projects: (history, argument, signal) => history.projects(argument, signal),
  edits: (history, argument, signal) => history.edits(argument, signal),
  markers: (history, _argument, signal) => history.markers(signal),
  session: (history, argument, signal) => history.session(argument, signal),
  messages: (history, argument, signal) => history.messages(argument, signal),
  lineage: (history, argument, signal) => history.lineage(argument, signal),
  projectsIn: (history, argument, signal) => history.projectsIn(argument, signal),
  forget: (history, argument, signal) => history.forget(argument, signal),
  status: (history) => history.status(),
}

/** Carries out a call on an index of this thread. */
export function perform<Op extends Operation>(
  history: History,
  operation: Op,
  argument: Operations[Op]["argument"],
  signal?: AbortSignal,
): Promise<Result<Op>> {
  return PERFORMERS[operation](history, argument, signal)
}

/** True for what our own worker and client send; nobody else has the port. */
export function isFromWorker(value: unknown): value is FromWorker {
  return typeof value === "object" && value !== null && "kind" in value
}

export function isToWorker(value: unknown): value is ToWorker {
  return typeof value === "object" && value !== null && "kind" in value
}

export function isWorkerData(value: unknown): value is WorkerData {
  return typeof value === "object" && value !== null && "dataDir" in value && "maskSecrets" in value
}

/** node:sqlite says on first use that it is experimental; a line on the terminal would draw over the host. */
export const QUIET_ARGUMENT = "--disable-warning=ExperimentalWarning"

/** Sends a message to another thread, from either side. */
export function tell(thread: { postMessage(message: object): void }, message: object): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
  thread.postMessage(message)
}
