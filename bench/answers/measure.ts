import type { History, SearchAnswer } from "../../src/history/contract.ts"
import { openHistory } from "../../src/history/index.ts"
import { fold } from "../../src/text/fold.ts"
import { FULL_SESSIONS } from "../../src/tools/search/limits.ts"
import type { CorpusSession } from "../corpus/corpus.ts"
import { type Random, random } from "../corpus/random.ts"
import type { AnswerFigures } from "../figures.ts"
import { storeSession } from "../subjects/engine.ts"

// How good answers are: whether what was asked for stands first and among what is shown. Rates over drawn queries.

/** Queries of each kind. */
const DRAWN = 200

/** Sessions of an answer, as the tool asks. */
const LIMIT = 50

export async function measureAnswers(
  folder: string,
  sessions: readonly CorpusSession[],
  seed: number,
): Promise<AnswerFigures> {
  const history = openHistory({ dataDir: folder, maskSecrets: true, keepAlive: true })
  for (const session of sessions) await storeSession(history, session)
  await history.close()
  const index = openHistory({ dataDir: folder, maskSecrets: true, keepAlive: true })
  const from = random(seed)
  const said = sessions.flatMap(({ session, messages }) =>
    messages.map((message, at) => ({
      session: session.id,
      id: message.id,
      text: saidIn(message),
      next: messages[at + 1],
    })),
  )
  const known = { drawn: 0, first: 0, shown: 0 }
  const spread = { drawn: 0, first: 0 }
  while (known.drawn < DRAWN) {
    const item = from.pick(said)
    const words = drawn(wordsOf(item.text), 3, from)
    if (words.length < 3) continue
    known.drawn++
    const ranked = await ask(index, words, "relevance")
    if (ranked.sessions[0]?.hits[0]?.messageID === item.id) known.first++
    const listed = await ask(index, words, "newest")
    if (listed.sessions.some(({ hits }) => hits.some((hit) => hit.messageID === item.id))) known.shown++
  }
  while (spread.drawn < DRAWN) {
    const item = from.pick(said)
    if (item.next === undefined) continue
    const [own, other] = [fold(item.text), fold(saidIn(item.next))]
    const words = [
      ...drawn(
        wordsOf(item.text).filter((word) => !other.includes(word)),
        2,
        from,
      ),
      ...drawn(
        wordsOf(saidIn(item.next)).filter((word) => !own.includes(word)),
        1,
        from,
      ),
    ]
    if (words.length < 3) continue
    spread.drawn++
    const ranked = await ask(index, words, "relevance")
    if (ranked.sessions[0]?.session.id === item.session) spread.first++
  }
  await index.close()
  return {
    messages: said.length,
    knownFirst: known.first / known.drawn,
    knownShown: known.shown / known.drawn,
    spreadFirst: spread.first / spread.drawn,
  }
}

async function ask(
  history: History,
  words: readonly string[],
  sort: "newest" | "relevance",
): Promise<SearchAnswer> {
  const found = await history.search({
    words,
    excluded: [],
    scope: { kind: "all" },
    include: [],
    limit: LIMIT,
    sort,
    hits: true,
    thorough: FULL_SESSIONS,
  })
  if (!found.ok) throw new Error(found.fault.message)
  return found.value
}

function saidIn(message: CorpusSession["messages"][number]): string {
  return message.parts.map((part) => (part.type === "text" ? part.text : "")).join("\n")
}

/** Words that a person would look for: not the commonest ones. */
function wordsOf(text: string): readonly string[] {
  const words = fold(text).match(/[\p{L}\p{N}][\p{L}\p{N}_.-]+[\p{L}\p{N}]/gu) ?? []
  return [...new Set(words)].filter((word) => !COMMON.has(word))
}

const COMMON = new Set(
  (
    "the and that this with from you your for are can not will has have was were when which what then than they them there " +
    "its into also but all any use used using one two more other only should would could may must out our about some such"
  ).split(" "),
)

function drawn(words: readonly string[], count: number, from: Random): readonly string[] {
  const left = [...words]
  const out: string[] = []
  while (out.length < count && left.length > 0) out.push(...left.splice(from.below(left.length), 1))
  return out
}
