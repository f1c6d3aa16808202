import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Message, Part } from "../../src/session/model.ts"
import { aMessage, aSession, aText, aTool } from "../../test/history/make.ts"
import type { CorpusSession } from "../corpus/corpus.ts"
import { type Random, random } from "../corpus/random.ts"

// Conversations in natural prose: the paragraphs of the READMEs and changelogs of the packages that the lockfile
// installs, each said once, a package's in one session; between them tools print code. Nothing of it is kept here.

/** Shorter paragraphs say too little to be looked for. */
const LEAST_UNITS = 80
const LEAST_WORDS = 10

/** Messages of one session. */
const MOST_MESSAGES = 60

/** Sessions, newest first, the same for a seed and a lockfile. */
export function proseSessions(modules: string, seed: number): readonly CorpusSession[] {
  const from = random(seed)
  const { prose, code } = filesBelow(modules)
  const seen = new Set<string>()
  const sources = code.map((path) => readFileSync(path, "utf8"))
  return prose
    .map((path) => paragraphsOf(path, seen))
    .flatMap((paragraphs) => chunks(paragraphs, MOST_MESSAGES))
    .filter((paragraphs) => paragraphs.length >= 4)
    .map((paragraphs, at) => sessionOf(paragraphs, at, from, sources))
}

function sessionOf(
  paragraphs: readonly string[],
  at: number,
  from: Random,
  sources: readonly string[],
): CorpusSession {
  const created = Date.UTC(2026, 0, 1) + at * 3_600_000
  const id = `ses_${String(at).padStart(5, "0")}`
  const messages = paragraphs.map((paragraph, n): Message => {
    const role = n === 0 || from.once(5) ? "user" : "assistant"
    const parts: Part[] = [aText(paragraph)]
    for (let calls = role === "user" ? 0 : from.below(3); calls > 0; calls--) parts.push(call(from, sources))
    const message = aMessage(`msg_${String(at).padStart(5, "0")}${String(n).padStart(3, "0")}`, parts, {
      role,
      created: created + n * 60_000,
    })
    return { ...message, sessionID: id }
  })
  const title = (paragraphs[0] ?? "").split(" ").slice(0, 6).join(" ")
  const updated = created + paragraphs.length * 60_000
  return {
    session: aSession(id, { title, projectID: "prose", directory: "/prose", created, updated }),
    messages,
  }
}

function call(from: Random, sources: readonly string[]): Part {
  const source = from.pick(sources)
  const units = 200 + from.below(8_000)
  const start = from.below(Math.max(1, source.length - units))
  return aTool("bash", { command: "cat src/file.ts" }, { output: source.slice(start, start + units) })
}

/** Paragraphs that no file before held, without code, links and marks. */
function paragraphsOf(path: string, seen: Set<string>): readonly string[] {
  const text = readFileSync(path, "utf8").replaceAll(/```[^`]*```/g, "")
  return text
    .split(/\n[ \t]*\n/)
    .map((paragraph) =>
      paragraph
        .replaceAll(/https?:\S+/g, "")
        .replaceAll(/[#*`>[\]()|]/g, " ")
        .replaceAll(/\s+/g, " ")
        .trim(),
    )
    .filter((paragraph) => {
      const isProse = paragraph.length >= LEAST_UNITS && paragraph.split(" ").length >= LEAST_WORDS
      if (!isProse || seen.has(paragraph)) return false
      seen.add(paragraph)
      return true
    })
}

/** Files in the order of their names, so that a run is the same everywhere. */
function filesBelow(folder: string): { readonly prose: readonly string[]; readonly code: readonly string[] } {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted()
  return {
    prose: files
      .filter((file) => /(?:^|[/\\])(?:readme|changelog)\.md$/i.test(file))
      .map((file) => join(folder, file)),
    code: files
      .filter((file) => file.endsWith(".d.ts"))
      .slice(0, MOST_SOURCES)
      .map((file) => join(folder, file)),
  }
}

/** Enough for no two outputs to be alike. */
const MOST_SOURCES = 400

function chunks<Item>(items: readonly Item[], size: number): readonly (readonly Item[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  )
}
