import type { History } from "../src/history/contract.ts"
import { openHistory } from "../src/history/index.ts"
import type { Message, Part, Session } from "../src/session/model.ts"
import { type CorpusSession, corpusOf } from "./corpus/corpus.ts"
import { random } from "./corpus/random.ts"
import { poolOf, writer } from "./corpus/writer.ts"
import type { AppendFigures } from "./figures.ts"
import { watchLoop } from "./loop.ts"
import { got, storeSession } from "./subjects/engine.ts"
import { trigram } from "./subjects/trigram.ts"

// One more message in a session that goes on, as a sync stores it: what a user pays while the agent works.

/** Lengths of the sessions that get one; the longest has short messages, or its making would be the benchmark. */
const LENGTHS = [10, 2_000]
const LONGEST = 100_000
const LONGEST_UNITS = 100

const ROUNDS = 30
/** The baseline replaces the whole session each time. */
const BASELINE_ROUNDS = 4

/** Into the index that lies in `folder`. */
export async function measureAppends(folder: string, seed: number): Promise<AppendFigures> {
  const sessions = [...corpusOf(LENGTHS, seed + 1).sessions(), longest(seed)]
  const history = openHistory({ dataDir: folder, maskSecrets: true, keepAlive: true })
  for (const session of sessions) await storeSession(history, session)
  const samples = sessions.map((): number[] => [])
  const loop = await watchLoop()
  for (let round = 0; round < ROUNDS; round++) {
    for (const [at, { session, messages }] of sessions.entries()) {
      const work = () => append(history, session, nextMessage(session, messages.length + round, seed))
      samples[at]?.push(await loop.during(work))
    }
  }
  loop.stop()
  await history.close()
  return {
    lengths: sessions.map((one) => one.messages.length),
    samples,
    longestBlockMs: loop.longestMs(),
  }
}

/** The same into the usual design, which replaces the session. */
export async function measureBaselineAppends(folder: string, seed: number): Promise<AppendFigures> {
  const sessions = [...corpusOf(LENGTHS, seed + 1).sessions()]
  const subject = await trigram.open(folder)
  for (const session of sessions) await subject.prepare(session)()
  const samples = sessions.map((): number[] => [])
  const loop = await watchLoop()
  for (let round = 0; round < BASELINE_ROUNDS; round++) {
    for (const [at, { session, messages }] of sessions.entries()) {
      const longer = [...messages, nextMessage(session, messages.length + round, seed)]
      const work = subject.prepare({ session, messages: longer })
      const started = performance.now()
      await loop.during(work)
      samples[at]?.push(performance.now() - started)
    }
  }
  loop.stop()
  await subject.close()
  return { lengths: LENGTHS, samples, longestBlockMs: loop.longestMs() }
}

async function append(history: History, session: Session, message: Message): Promise<number> {
  const updated = message.created + 1_000
  const change = { session: { ...session, updated }, messages: [message], marker: message.id }
  const started = performance.now()
  got(await history.applyChanges({ fetchedAt: updated, sessions: [change] }))
  return performance.now() - started
}

/** About as much text as a message of the corpus has. */
function nextMessage(session: Session, n: number, seed: number): Message {
  const text = writer(random(seed + n), pool(seed))
  return aMessage(session, n, [textPart(text.prose(700)), textPart(text.code(2_100))])
}

function longest(seed: number): CorpusSession {
  const text = writer(random(seed), pool(seed))
  const created = Date.UTC(2026, 9, 1)
  const session = {
    id: "ses_longest",
    title: text.title(),
    projectID: "prj_0",
    directory: "/home/dev/project-0",
    created,
    updated: created + LONGEST * 10_000,
    metadata: {},
  }
  const messages = Array.from({ length: LONGEST }, (_, n) =>
    aMessage(session, n, [textPart(text.prose(LONGEST_UNITS))]),
  )
  return { session, messages }
}

const pools = new Map<number, readonly string[]>()

function pool(seed: number): readonly string[] {
  const known = pools.get(seed) ?? poolOf(seed)
  pools.set(seed, known)
  return known
}

function aMessage(session: Session, n: number, parts: readonly Part[]): Message {
  const id = `msg_${session.id.slice(4)}${String(n).padStart(7, "0")}`
  const role = n % 6 === 0 ? "user" : "assistant"
  return {
    id,
    sessionID: session.id,
    role,
    created: session.created + n * 30_000,
    summary: false,
    parts,
    malformed: 0,
  }
}

function textPart(text: string): Part {
  return { type: "text", text, synthetic: false, ignored: false, metadata: {} }
}
