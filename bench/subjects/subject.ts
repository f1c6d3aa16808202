import type { CorpusSession } from "../corpus/corpus.ts"
import type { Query } from "../queries.ts"

// What is measured: our index and the baselines beside it, each behind the same few calls.

export type Answer = {
  /** As in the truth: at most LIMIT session ids, `message path` of edits, or `project=sessions` of projects. */
  readonly ids: readonly string[]
  /** False when a time limit ended the search early: then the ids are the answer's beginning. */
  readonly complete: boolean
}

export type Subject = {
  /** Gives the work that stores a whole session. Only that work is timed. */
  prepare(session: CorpusSession): () => Promise<void>
  /** Called once behind the last session; timed too. */
  finish(): Promise<void>
  /** Undefined when this subject cannot answer such a query. */
  ask(query: Query): Promise<Answer | undefined>
  close(): Promise<void>
}

export type SubjectKind = {
  readonly name: string
  /** True when the answers are those of a search over all text, and so compared with the truth. */
  readonly exact: boolean
  /** True when it lives in memory: built and asked in one process. */
  readonly inMemory: boolean
  /** Sessions handed over before the first of them is stored; 1 for what works on its caller's thread. */
  readonly behind: number
  open(folder: string): Promise<Subject>
  /** Bytes of its files, closed. */
  sizeOf(folder: string): number
}
