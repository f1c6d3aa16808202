import type { Message, Part, Session } from "../../src/session/model.ts"
import {
  isPlanted,
  PLANTED_PATH,
  PLANTED_PATH_SESSIONS,
  PLANTED_SECRET,
  PLANTED_SECRET_SESSIONS,
  PLANTS,
} from "./plants.ts"
import { type Random, random, seedOf } from "./random.ts"
import { poolOf, type Writer, writer } from "./writer.ts"

// A coding agent's history from a seed, one session at a time and newest first, as a backfill sees it. Session n is
// the same whichever others are made, so that a million messages need the memory of one session.

/** One session of every corpus is this long (a tenth of a small corpus). */
export const LONG_SESSION = 2_000

export type CorpusSession = { readonly session: Session; readonly messages: readonly Message[] }

export type Corpus = {
  readonly seed: number
  /** Messages of each session, newest session first. */
  readonly lengths: readonly number[]
  readonly projects: number
  sessions(): Iterable<CorpusSession>
  sessionAt(index: number): CorpusSession
}

const END = Date.UTC(2026, 10, 30)
const YEAR_MS = 365 * 86_400_000

export function corpus(messages: number, seed = 1): Corpus {
  return corpusOf(lengthsOf(messages, seed), seed)
}

/** Sessions of these lengths. */
export function corpusOf(lengths: readonly number[], seed: number): Corpus {
  const messages = lengths.reduce((sum, length) => sum + length, 0)
  const projects = Math.max(3, Math.round(messages ** 0.5 / 16))
  const pool = poolOf(seed)
  const make = (index: number) => sessionAt({ seed, lengths, projects, pool }, index)
  return {
    seed,
    lengths,
    projects,
    sessionAt: make,
    *sessions() {
      for (let index = 0; index < lengths.length; index++) yield make(index)
    },
  }
}

/** Most sessions are short, some long, one very long; about 40 messages each. */
function lengthsOf(messages: number, seed: number): readonly number[] {
  const from = random(seedOf(seed, -1))
  const long = Math.min(LONG_SESSION, Math.floor(messages / 10))
  const lengths: number[] = []
  let left = messages - long
  while (left > 0) {
    const length = Math.min(left, 4 + Math.floor(10 + from.share() ** 3 * 130))
    lengths.push(length)
    left -= length
  }
  lengths.splice(Math.floor(lengths.length * 0.3), 0, long)
  return lengths
}

type Plan = Pick<Corpus, "seed" | "lengths" | "projects"> & { readonly pool: readonly string[] }

function sessionAt(plan: Plan, index: number): CorpusSession {
  const from = random(seedOf(plan.seed, index))
  const text = writer(from, plan.pool)
  const count = plan.lengths[index] ?? 0
  const total = plan.lengths.length
  const step = YEAR_MS / total
  const project = from.skewed(Array.from({ length: plan.projects }, (_, n) => n))
  const directory = `/home/dev/project-${project}${from.once(5) ? `/.worktrees/w${from.below(3)}` : ""}`
  // A message every half minute; a long session lasts the longer.
  const created = END - Math.floor((index + 0.2 + from.share() * 0.6) * step) - count * 30_000
  const id = `ses_${String(total - index).padStart(7, "0")}${from.below(1_000_000)}`
  const japanese = from.once(12)
  const messages: Message[] = []
  for (let n = 0; n < count; n++) {
    const asks = n === 0 || from.once(6)
    const parts = asks ? userParts(text, from, japanese) : assistantParts(text, from, directory, japanese)
    messages.push({
      id: `msg_${String(total - index).padStart(7, "0")}${String(n).padStart(6, "0")}`,
      sessionID: id,
      role: asks ? "user" : "assistant",
      created: created + n * 30_000 + from.below(20_000),
      summary: false,
      parts,
      malformed: 0,
    })
  }
  plant(messages, index, total, directory)
  const last = messages.at(-1)?.created ?? created
  const kind = from.below(20)
  return {
    session: {
      id,
      title: japanese ? text.japanese(12) : text.title(),
      projectID: `prj_${project}`,
      directory,
      ...(kind < 3 ? { parentID: `ses_parent${index}` } : {}),
      created,
      updated: last + 1_000 + from.below(5_000),
      ...(kind === 3 ? { archived: last } : {}),
      metadata: {},
    },
    messages,
  }
}

function userParts(text: Writer, from: Random, japanese: boolean): Part[] {
  if (japanese && from.once(2)) return [textPart(text.japanese(30 + from.below(200)))]
  const asked = textPart(text.prose(80 + from.below(700)))
  return from.once(8) ? [asked, textPart(text.log(500 + from.below(6_500)))] : [asked]
}

function assistantParts(text: Writer, from: Random, directory: string, japanese: boolean): Part[] {
  const parts: Part[] = []
  if (from.once(3)) parts.push({ type: "reasoning", text: text.prose(150 + from.below(1_200)) })
  parts.push(textPart(japanese && from.once(3) ? text.japanese(60) : text.prose(100 + from.below(950))))
  for (let calls = from.below(3); calls > 0; calls--) parts.push(toolCall(text, from, directory))
  return parts
}

function toolCall(text: Writer, from: Random, directory: string): Part {
  const filePath = `${directory}/${text.path()}`
  const kind = from.below(10)
  if (kind < 3) return tool("read", { filePath }, text.code(size(from, 8_600)))
  if (kind < 5) {
    const input = { filePath, oldString: text.code(150), newString: text.code(150 + from.below(500)) }
    return tool("edit", input, "Edit applied successfully.")
  }
  if (kind === 5)
    return tool("write", { filePath, content: text.code(size(from, 5_600)) }, "Wrote file successfully.")
  if (kind === 6)
    return tool("grep", { pattern: text.title(), path: directory }, text.listing(size(from, 5_600)))
  if (kind === 7) return tool("bash", { command: `npm run ${text.path()}` }, text.log(size(from, 11_000)))
  return tool(
    "bash",
    { command: `cat ${filePath}` },
    from.once(2) ? text.code(size(from, 7_000)) : text.listing(size(from, 4_200)),
  )
}

/** Mostly short outputs, few long ones. */
function size(from: Random, most: number): number {
  return 80 + Math.floor(from.share() ** 2 * most)
}

/** Puts what is planted here behind the text of a message in the middle; never at a place a scan reaches first. */
function plant(messages: Message[], index: number, sessions: number, directory: string): void {
  PLANTS.forEach(({ text, sessions: count }, at) => {
    if (isPlanted(index, sessions, count, at + 1)) add(messages, at, textPart(`Note: ${text} was seen.`))
  })
  if (isPlanted(index, sessions, PLANTED_SECRET_SESSIONS, 1)) {
    add(messages, 3, textPart(`The token is ${PLANTED_SECRET} here.`))
  }
  if (isPlanted(index, sessions, PLANTED_PATH_SESSIONS, 2)) {
    const input = { filePath: `${directory}/${PLANTED_PATH}`, oldString: "old", newString: "new" }
    add(messages, 5, tool("edit", input, "Edit applied successfully."))
  }
}

function add(messages: Message[], shift: number, part: Part): void {
  const at = (Math.floor(messages.length * 0.6) + shift) % messages.length
  const message = messages[at]
  if (message) messages[at] = { ...message, parts: [...message.parts, part] }
}

function textPart(text: string): Part {
  return { type: "text", text, synthetic: false, ignored: false, metadata: {} }
}

function tool(name: string, input: Readonly<Record<string, unknown>>, output: string): Part {
  return {
    type: "tool",
    tool: name,
    callID: "call",
    status: "completed",
    input,
    title: "",
    output,
    error: "",
    metadata: {},
  }
}
