import * as z from "zod"
import { CLASSES } from "./queries.ts"

// What is measured, as it goes from the measuring processes to the report and into the JSON file. Milliseconds, bytes.

const samples = z.array(z.number())

const build = z.object({
  wallMs: z.number(),
  cpuMs: z.number(),
  longestBlockMs: z.number(),
  /** Of the whole process, the corpus generator included. */
  peakBytes: z.number(),
})

const query = z.object({
  id: z.string(),
  class: z.enum(CLASSES),
  samples,
  /** "other text": not the text the truth is of. */
  verdict: z.enum(["right", "wrong", "incomplete", "refused", "other text"]),
})

const search = z.object({
  queries: z.array(query),
  longestBlockMs: z.number(),
  /** Above what the process had before it opened the index. */
  peakBytes: z.number(),
})

export const subjectFigures = z.object({
  build: build.optional(),
  /** Of its files; absent for what lives in memory. */
  bytes: z.number().optional(),
  search: search.optional(),
})

export const truthFigures = z.object({
  expected: z.array(z.object({ id: z.string(), ids: z.array(z.string()), total: z.number() })),
  sessions: z.number(),
  messages: z.number(),
  textBytes: z.number(),
  saidBytes: z.number(),
})

/** Per session length one list of samples. */
export const appendFigures = z.object({
  lengths: z.array(z.number()),
  samples: z.array(samples),
  longestBlockMs: z.number(),
})

export const readFigures = z.array(z.object({ name: z.string(), samples, answerBytes: z.number() }))

/** From the import to the hooks: time that went by, and time the process worked. */
export const loadOf = z.object({ ms: z.number(), cpuMs: z.number() })

export const loadFigures = z.object({ pairs: z.array(z.object({ nothing: loadOf, plugin: loadOf })) })

export const definitionFigures = z.array(z.object({ name: z.string(), characters: z.number() }))

/** From the start of a process to its first byte. */
export const commandFigures = z.array(z.object({ by: z.string(), what: z.string(), samples }))

/** Rates over drawn queries, 0 to 1. */
export const answerFigures = z.object({
  messages: z.number(),
  /** Three words of a message: it is the first hit of the first session, by relevance. */
  knownFirst: z.number(),
  /** It is among the hits shown, newest first. */
  knownShown: z.number(),
  /** Words of two neighbouring messages: their session is the first, by relevance. */
  spreadFirst: z.number(),
})

export const ripgrepFigures = z.array(z.object({ id: z.string(), class: z.enum(CLASSES), samples }))

export const runFigures = z.object({
  machine: z.object({
    processor: z.string(),
    cores: z.number(),
    memoryBytes: z.number(),
    system: z.string(),
    bun: z.string(),
    /** Of the last minute, before the first and after the last measurement. */
    load: z.tuple([z.number(), z.number()]),
  }),
  command: z.string(),
  date: z.string(),
  seed: z.number(),
  corpus: truthFigures.omit({ expected: true }),
  subjects: z.record(z.string(), subjectFigures),
  append: appendFigures.optional(),
  baselineAppend: appendFigures.optional(),
  reads: readFigures.optional(),
  load: loadFigures.optional(),
  definitions: definitionFigures.optional(),
  ripgrep: ripgrepFigures.optional(),
  baton: commandFigures.optional(),
  answers: answerFigures.optional(),
  /** What was left out, and why. */
  notes: z.array(z.string()),
})

export type BuildFigures = z.infer<typeof build>
export type QueryFigures = z.infer<typeof query>
export type SearchFigures = z.infer<typeof search>
export type SubjectFigures = z.infer<typeof subjectFigures>
export type AppendFigures = z.infer<typeof appendFigures>
export type ReadFigures = z.infer<typeof readFigures>
export type Load = z.infer<typeof loadOf>
export type LoadFigures = z.infer<typeof loadFigures>
export type DefinitionFigures = z.infer<typeof definitionFigures>
export type CommandFigures = z.infer<typeof commandFigures>
export type AnswerFigures = z.infer<typeof answerFigures>
export type RipgrepFigures = z.infer<typeof ripgrepFigures>
export type RunFigures = z.infer<typeof runFigures>
