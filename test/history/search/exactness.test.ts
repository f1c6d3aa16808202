import assert from "node:assert/strict"
import { after, describe, test } from "node:test"
import * as fc from "fast-check"
import type { History, SearchRequest, SessionMatch } from "../../../src/history/contract.ts"
import { MESSAGES_SHOWN } from "../../../src/history/search/best-messages.ts"
import type { Message, Session } from "../../../src/session/model.ts"
import { plantedHistory } from "../corpus.ts"
import { ALL, aMessage, anIndex, aSession, got, removeFolders, store } from "../make.ts"
import { type NaiveHistory, type NaiveMatch, naiveSearch } from "../naive.ts"

// Every query answers exactly what a scan of everything answers: the same sessions in the same order, messages that
// hold what they are shown for, the same counts of hidden ones.

after(removeFolders)

async function compare(index: History, history: NaiveHistory, request: SearchRequest): Promise<void> {
  const answer = got(await index.search(request))
  const expected = naiveSearch(history, request)
  const shown = expected.sessions.slice(0, request.limit)
  const label = JSON.stringify(request)
  assert.deepEqual(
    answer.sessions.map((match) => match.session.id),
    shown.map((match) => match.id),
    label,
  )
  for (const [at, match] of answer.sessions.entries()) compareHits(match, shown[at], request, label)
  assert.equal(answer.more, expected.sessions.length > request.limit, label)
  if (answer.hidden.atLeast) return
  const { subagents, archived } = answer.hidden
  assert.deepEqual(
    { subagents, archived },
    { subagents: expected.subagents, archived: expected.archived },
    label,
  )
}

/** Hits say the words that they hold, no more and no fewer, and together hold all that three messages can. */
function compareHits(
  { hits }: SessionMatch,
  expected: NaiveMatch | undefined,
  request: SearchRequest,
  label: string,
): void {
  const holding = new Map(request.words.map((word, at) => [word, expected?.words[at]?.holding ?? []]))
  const messages = hits.flatMap((hit) => (hit.messageID === undefined ? [] : [{ ...hit, id: hit.messageID }]))
  assert.ok(
    messages.length <= MESSAGES_SHOWN && new Set(messages.map(({ id }) => id)).size === messages.length,
    label,
  )
  for (const { id, words } of messages)
    assert.deepEqual(
      words,
      request.words.filter((word) => holding.get(word)?.includes(id)),
      label,
    )
  const said = request.words.filter((word) => (holding.get(word) ?? []).length > 0)
  const covered = new Set(messages.flatMap(({ words }) => words))
  if (said.length <= MESSAGES_SHOWN)
    assert.ok(
      said.every((word) => covered.has(word)),
      label,
    )
  const whole = (expected?.words[0]?.holding ?? []).some((id) =>
    [...holding.values()].every((ids) => ids.includes(id)),
  )
  if (whole) assert.equal(messages[0]?.words.length, request.words.length, label)
  if (request.words.length === 1 && said.length === 1)
    assert.ok(
      messages.some(({ id }) => id === expected?.words[0]?.first),
      label,
    )
  const titled = hits.filter((hit) => hit.where === "title").flatMap(({ words }) => words)
  assert.deepEqual(
    titled,
    request.words.filter((word) => !said.includes(word)),
    label,
  )
}

/** Everything waits in the tail, or is in runs that are merged again and again. */
const FORMS = [
  { name: "in the tail", sealUnits: 2 ** 40 },
  { name: "in runs", sealUnits: 60 },
] as const

describe("a planted history of a few thousand messages", () => {
  for (const sealUnits of [2 ** 40, 200_000, 10_000])
    test(
      `every query, with role, dates, scope and exclusions; sealed at ${sealUnits}`,
      {
        timeout: 60_000,
      },
      () => everyQuery(sealUnits),
    )

  async function everyQuery(sealUnits: number): Promise<void> {
    const index = anIndex(undefined, { sealUnits })
    const planted = plantedHistory(7, 150, 30)
    await store(
      index,
      planted.sessions.map(({ session, messages }) => [session, messages] as const),
    )
    const history: NaiveHistory = new Map(planted.sessions.map((one) => [one.session.id, one]))
    const { words } = planted
    const queries: Partial<SearchRequest>[] = words.flatMap((word, at) => [
      { words: [word] },
      { words: [word, words[(at * 7 + 3) % words.length] ?? ""], include: ["subagents", "archived"] },
      { words: [word], excluded: [words[(at * 5 + 1) % words.length] ?? ""] },
      { words: [word, "zq3needle"], role: "user" },
      { words: [word], from: 1_030_000, to: 1_060_000, scope: { kind: "some", projects: ["p1"] } },
      { words: [word, "const", "the"], limit: 5 },
    ])
    for (const query of queries) await compare(index, history, { ...ALL, ...query, words: query.words ?? [] })
    await index.close()
  }
})

/** Characters that are written in several ways, and the parts of them. */
const PARTS = ["e", "\u0301", "\u0316", "\u1112\u1161", "\u11AB", "한", "하", "\u212B", "å"]

// A tiny alphabet, so that words of every length meet texts that nearly hold them.
const text = fc.string({
  unit: fc.constantFrom("a", "b", "A", " ", "é", "É", "東", "🚀", "ß", "-", '"', "\n", ...PARTS),
  maxLength: 14,
})
const word = fc.string({
  unit: fc.constantFrom("a", "b", "A", " ", "é", "東", "🚀", "s", '"', ...PARTS),
  minLength: 1,
  maxLength: 5,
})
const sessionNumber = fc.integer({ min: 0, max: 3 })
const messageNumber = fc.integer({ min: 0, max: 4 })

type Change =
  | {
      readonly kind: "messages"
      readonly session: number
      readonly texts: readonly (readonly [number, string])[]
    }
  | {
      readonly kind: "complete"
      readonly session: number
      readonly texts: readonly (readonly [number, string])[]
    }
  | { readonly kind: "remove message"; readonly session: number; readonly message: number }
  | { readonly kind: "remove session"; readonly session: number }
  | { readonly kind: "session"; readonly session: number; readonly title: string; readonly flags: number }

const texts = fc.uniqueArray(fc.tuple(messageNumber, text), { selector: ([number]) => number, maxLength: 4 })
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant("messages" as const), session: sessionNumber, texts }),
  fc.record({ kind: fc.constant("complete" as const), session: sessionNumber, texts }),
  fc.record({ kind: fc.constant("remove message" as const), session: sessionNumber, message: messageNumber }),
  fc.record({ kind: fc.constant("remove session" as const), session: sessionNumber }),
  fc.record({ kind: fc.constant("session" as const), session: sessionNumber, title: text, flags: fc.nat(7) }),
)
const request = fc.record({
  words: fc.uniqueArray(word, { maxLength: 3, minLength: 1 }),
  excluded: fc.uniqueArray(word, { maxLength: 1 }),
  role: fc.constantFrom("user" as const, "assistant" as const, undefined),
  from: fc.constantFrom(undefined, 2, 3),
  limit: fc.integer({ min: 1, max: 4 }),
})

describe("any changes, then any queries", () => {
  for (const { name, sealUnits } of FORMS)
    test(`answer what a scan answers, ${name}`, { timeout: 60_000 }, () => anyChanges(sealUnits))

  async function anyChanges(sealUnits: number): Promise<void> {
    // One index for all runs, each a project of its own: creating files takes longer than everything else.
    const index = anIndex(undefined, { sealUnits })
    let run = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { maxLength: 12 }),
        fc.array(request, { minLength: 1, maxLength: 6 }),
        async (changes, requests) => {
          const project = `run${run++}`
          const history = new Map<string, { session: Session; messages: Message[] }>()
          let fetchedAt = 1_000
          for (const one of changes) await applyBoth(index, history, one, project, fetchedAt++)
          for (const { role, from, ...rest } of requests) {
            const scope = { kind: "some", projects: [project] } as const
            const given = {
              ...ALL,
              ...rest,
              scope,
              ...(role ? { role } : {}),
              ...(from === undefined ? {} : { from }),
            }
            await compare(index, history, given)
          }
        },
      ),
      { numRuns: 80 },
    )
    await index.close()
  }
})

async function applyBoth(
  index: History,
  history: Map<string, { session: Session; messages: Message[] }>,
  one: Change,
  project: string,
  fetchedAt: number,
): Promise<void> {
  const id = `${project}s${one.session}`
  if (one.kind === "remove session") {
    history.delete(id)
    got(await index.applyChanges({ fetchedAt, removedSessions: [id] }))
    return
  }
  const known = history.get(id) ?? { session: sessionOf(project, one.session, "", 0), messages: [] }
  history.set(id, known)
  if (one.kind === "session") known.session = sessionOf(project, one.session, one.title, one.flags)
  const { session } = known
  if (one.kind === "session") {
    got(await index.applyChanges({ fetchedAt, sessions: [{ session }] }))
    return
  }
  if (one.kind === "remove message") {
    const removed = `${id}m${one.message}`
    known.messages = known.messages.filter((message) => message.id !== removed)
    got(await index.applyChanges({ fetchedAt, sessions: [{ session, removedMessages: [removed] }] }))
    return
  }
  const messages = one.texts.map(([number, body]) => messageOf(id, number, body))
  const ids = new Set(messages.map((message) => message.id))
  const kept = one.kind === "complete" ? [] : known.messages.filter((message) => !ids.has(message.id))
  known.messages = [...kept, ...messages]
  const complete = one.kind === "complete"
  got(await index.applyChanges({ fetchedAt, sessions: [{ session, messages, complete }] }))
}

function sessionOf(project: string, number: number, title: string, flags: number): Session {
  return aSession(`${project}s${number}`, {
    projectID: project,
    title,
    created: 1,
    updated: 1 + (number % 3),
    ...(flags & 1 ? { parentID: "s9" } : {}),
    ...(flags & 2 ? { archived: 1 } : {}),
  })
}

function messageOf(session: string, number: number, body: string): Message {
  const role = number % 2 === 0 ? "user" : "assistant"
  return aMessage(`${session}m${number}`, body, { role, created: 1 + ((number * 3) % 4) })
}
