import { after, describe, test } from "node:test"
import assert from "node:assert/strict"
import * as fc from "fast-check"
import * as z from "zod"
import { DEFAULT_OPTIONS } from "../../src/config/options.ts"
import { search, type SearchOptions } from "../../src/cli/commands/search.ts"
import type { Context } from "../../src/cli/context.ts"
import { makePaint } from "../../src/cli/paint.ts"
import type { History } from "../../src/history/contract.ts"
import { historySearchEdits } from "../../src/tools/history-search-edits.ts"
import { historySearchMessages } from "../../src/tools/history-search-messages.ts"
import { historySearchSessions } from "../../src/tools/history-search-sessions.ts"
import type { HistoryServices } from "../../src/tools/search/services.ts"
import { callerFor, servicesFor } from "../../src/cli/asking.ts"
import { aMessage, anIndex, aSession, aText, aTool, removeFolders, store } from "../history/make.ts"

// `baton search --json` and the agent's tools answer alike: the same sessions in the same order, with the same
// messages for the same words, over generated histories and questions.

after(removeFolders)

const words = ["alpha", "beta", "gamma", "delta", "東京", "ts"] as const
const word = fc.constantFrom(...words)
const phrase = fc.array(word, { minLength: 1, maxLength: 5 }).map((list) => list.join(" "))
const message = fc.record({
  role: fc.constantFrom("user" as const, "assistant" as const),
  text: phrase,
  file: fc.option(fc.constantFrom("src/a.ts", "src/b.ts"), { nil: undefined }),
})
const session = fc.record({
  title: phrase,
  project: fc.constantFrom("p1", "p1", "p2"),
  kind: fc.constantFrom("plain", "plain", "plain", "subagent", "archived", "reverted"),
  day: fc.integer({ min: 1, max: 28 }),
  messages: fc.array(message, { minLength: 1, maxLength: 4 }),
})
const question = fc.record({
  query: fc
    .array(
      fc.oneof(
        word,
        word.map((one) => `-${one}`),
        fc.constantFrom("path:src/a.ts", "project:all", '"alpha beta"'),
      ),
      {
        maxLength: 3,
      },
    )
    .map((list) => [...new Set(list)].join(" ")),
  view: fc.constantFrom("messages", "sessions", "projects", "edits"),
  role: fc.option(fc.constantFrom("user", "assistant"), { nil: undefined }),
  date: fc.option(fc.constantFrom("2026-03", "since 2026-03-10", "before 2026-03-20"), { nil: undefined }),
  sort: fc.option(fc.constantFrom("newest", "relevance"), { nil: undefined }),
  include: fc.option(fc.subarray(["subagents", "archived", "reverted"], { minLength: 1 }), {
    nil: undefined,
  }),
  limit: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
})

async function historyOf(
  sessions: readonly (typeof session extends fc.Arbitrary<infer One> ? One : never)[],
): Promise<History> {
  const history = anIndex()
  await store(
    history,
    sessions.map((one, at) => {
      const created = Date.UTC(2026, 2, one.day, 12) + at * 60_000
      const id = `ses_${at}`
      const messages = one.messages.map((said, n) =>
        aMessage(
          `msg_${at}_${n}`,
          [
            aText(said.text),
            ...(said.file === undefined || said.role === "user"
              ? []
              : [aTool("edit", { filePath: said.file, oldString: "a", newString: "b" }, { output: "ok" })]),
          ],
          { role: said.role, created: created + n * 1_000 },
        ),
      )
      return [
        aSession(id, {
          title: one.title,
          projectID: one.project,
          directory: `/work/${one.project}`,
          created,
          updated: created + 60_000,
          ...(one.kind === "subagent" ? { parentID: "ses_parent" } : {}),
          ...(one.kind === "archived" ? { archived: created } : {}),
          ...(one.kind === "reverted" ? { revertedFrom: `msg_${at}_1` } : {}),
        }),
        messages,
      ] as const
    }),
  )
  return history
}

function contextOver(history: History): { readonly context: Context; readonly printed: () => string } {
  let text = ""
  const context: Context = {
    problems: [],
    env: { HOME: "/home/me" },
    directory: "/work/p1",
    output: {
      write: async (piece) => void (text += piece),
      lines: async (lines) => void (text += `${lines.join("\n")}\n`),
      complain: () => undefined,
      paint: makePaint(false, false),
      isTerminal: false,
      columns: 100,
      textColumns: 100,
    },
    signal: new AbortController().signal,
    now: () => Date.UTC(2026, 2, 28),
    options: DEFAULT_OPTIONS,
    dataDir: "/nowhere",
    history: () => history,
    close: () => Promise.resolve(),
  }
  return { context, printed: () => text }
}

const row = z.looseObject({
  sessionID: z.string().optional(),
  projectID: z.string().optional(),
  messageID: z.string().optional(),
})
const hit = z.looseObject({ words: z.array(z.string()), where: z.string(), messageID: z.string().nullable() })
const answer = z.looseObject({
  sessions: z.array(row.extend({ hits: z.array(hit).optional() })).optional(),
  projects: z.array(row.extend({ sessions: z.number() })).optional(),
  edits: z.array(row.extend({ messageID: z.string(), path: z.string(), status: z.string() })).optional(),
})

/** What the JSON says, as the lines of facts that the tool's text holds too. */
function factsOfJson(text: string): readonly string[] {
  const parsed = answer.parse(JSON.parse(text))
  return [
    ...(parsed.sessions ?? []).flatMap((one) => [
      String(one.sessionID),
      ...(one.hits ?? []).map((found) => `${found.words.join(", ")} ${found.messageID ?? "title"}`),
    ]),
    ...(parsed.projects ?? []).map((one) => `${one.projectID} ${one.sessions}`),
    ...(parsed.edits ?? []).map(
      (one) => `${one.messageID} ${one.status} ${one.path.split("/").slice(-2).join("/")}`,
    ),
  ]
}

function factsOfTool(view: string, text: string): readonly string[] {
  if (text.startsWith("No ")) return []
  return text.split("\n").flatMap((line): readonly string[] => {
    const edit = /^ {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}(msg_\w+) {2}(\w+) {2}\w+ {2}(\S+)/.exec(line)
    if (view === "edits") return edit === null ? [] : [`${edit[1]} ${edit[2]} ${edit[3]}`]
    const project = /^(\d+) sessions? {2}(p\d) {2}/.exec(line)
    if (view === "projects") return project === null ? [] : [`${project[2]} ${project[1]}`]
    const head = /^".*" {2}(ses_\d+) {2}/.exec(line)
    if (head !== null) return [String(head[1])]
    const found = /^ {2}(\S.*?) {2}(?:\w+(?: \([^)]*\))? (msg_\w+)|in the title)/.exec(line)
    return found === null ? [] : [`${found[1]?.replaceAll('"', "")} ${found[2] ?? "title"}`]
  })
}

const TOOLS = {
  messages: historySearchMessages,
  sessions: historySearchSessions,
  projects: historySearchSessions,
  edits: historySearchEdits,
} as const

describe("baton search --json", () => {
  test("equals the tools' results", { timeout: 60_000 }, async () => {
    let compared = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(session, { minLength: 3, maxLength: 8 }),
        fc.array(question, { minLength: 8, maxLength: 8 }),
        async (sessions, questions) => {
          const history = await historyOf(sessions)
          for (const { query, view, include, limit, ...rest } of questions) {
            const { context, printed } = contextOver(history)
            const options: SearchOptions = {
              ...rest,
              json: true,
              ...(view === "messages" ? {} : { [view]: true }),
              ...(include === undefined ? {} : { include: include.join(",") }),
              ...(limit === undefined ? {} : { limit }),
            }
            const outcome = await search(context, query, options)
            const own = { id: "p1", directory: "/work/p1", worktree: "/work/p1" }
            const known = sessions.some((one) => one.project === "p1")
            const services: HistoryServices = { ...servicesFor(context, own), maxAnswerBytes: 1_000_000 }
            const caller = { ...callerFor(context, own), sessionID: "ses_caller" }
            const given = known || query.includes("project:") ? query : `${query} project:all`
            const tool =
              TOOLS[view === "messages" || view === "sessions" || view === "projects" ? view : "edits"]
            const told = await tool(services).run(
              { query: given, include, limit, ...rest, ...(view === "projects" ? { show: "projects" } : {}) },
              caller,
            )
            if (outcome.code === 2) {
              assert.match(told, /no word to find/)
              continue
            }
            assert.deepEqual(factsOfJson(printed()), factsOfTool(view, told), `${view}: ${query}\n${told}`)
            assert.equal(outcome.code === 0, factsOfJson(printed()).length > 0)
            compared += factsOfJson(printed()).length
          }
          await history.close()
        },
      ),
      { numRuns: 40 },
    )
    assert.ok(compared > 60, `only ${compared} facts were compared`)
  })
})
