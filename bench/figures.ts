import * as z from "zod"
import { CLASSES } from "./queries.ts"

// What is measured, as it goes from the measuring processes to the report and into the JSON file. Milliseconds, bytes.

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
  samples: z.array(z.number()),
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

export type BuildFigures = z.infer<typeof build>
export type QueryFigures = z.infer<typeof query>
export type SearchFigures = z.infer<typeof search>
export type SubjectFigures = z.infer<typeof subjectFigures>
export type TruthFigures = z.infer<typeof truthFigures>
