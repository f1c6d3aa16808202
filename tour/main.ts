import { textOf } from "../test/hosts/client.ts"
import { lastUserTexts, toolNames, toolResults, type ToolResult } from "../test/hosts/request.ts"
import { serve } from "../test/hosts/serve.ts"
import { inWorld, type World } from "../test/hosts/world.ts"
import { heading, said } from "./print.ts"
import { answer, files, question } from "./script.ts"
import * as z from "zod"

// The tour: a real OpenCode, private folders, a scripted model, the built plugin. It prints each step with
// what the model got, and leaves nothing behind.

const goal = `make the "retry" stop hammering the server ($HOME and \`backticks\` stay as they are)`

async function tour(world: World): Promise<void> {
  writeProject(world)
  const host = await serve(world)

  heading("A session is worked in")
  const old = await host.createSession({ title: "Retry storm" })
  said("You:", "Our retry logic hammers the server when it is down. What is wrong?")
  const first = await host.prompt(
    old.id,
    "Our retry logic hammers the server when it is down. What is wrong?",
  )
  said("Model:", textOf(first))
  said("Tools the plugin gives the model:", toolNames(world.model.lastRequest()).filter(isOurs).join(", "))

  heading(`The session is long, so: /handoff ${goal}`)
  await host.command(old.id, "handoff", goal)
  const handoff = world.model
    .requests()
    .findLast((request) => lastUserTexts(request).join("").startsWith("Write a handoff"))
  said(
    "What the model was asked (its last lines):",
    tail(handoff === undefined ? "" : lastUserTexts(handoff).join("\n"), 5),
  )
  const made = draftAnswer.parse(JSON.parse(toolResults(world.model.lastRequest()).at(-1)?.output ?? "{}"))
  said("handoff_session answers:", made.message)
  said("The draft (with a terminal open it would be in its prompt, unsent):", made.draft, 20)

  heading("You edit the draft and send it in the new session")
  const edited = made.draft.replace(" @docs/decisions.md", " @src/config.ts#1-2 @src/missing.ts")
  said("You took one file out, put a line range of another in, and mistyped a third:", fileLine(edited))
  await host.prompt(made.sessionId, edited)
  const received = world.model
    .requests()
    .find((request) => lastUserTexts(request).join("").startsWith("Continuing work"))
  const added = (received === undefined ? [] : lastUserTexts(received)).slice(1)
  said("In the same turn, after your text, the model also got:", added.join("\n"), 40)

  heading("The new session reads back in the old one")
  const transcript = readAnswer.parse(
    JSON.parse(resultOf(toolResults(world.model.lastRequest()), "read_session").output),
  )
  said(`read_session, ${transcript.count} messages:`, transcript.transcript, 16)

  heading("Where it came from is kept")
  said(`Metadata of ${made.sessionId}:`, JSON.stringify((await host.session(made.sessionId)).metadata))

  heading("Weeks later, in another session, the model looks it up")
  // The index follows the host's events by a second.
  await new Promise((resolve) => setTimeout(resolve, indexFollowsMs))
  const later = await host.createSession({ title: "Release notes" })
  said("You:", question)
  await host.prompt(later.id, question)
  for (const result of toolResults(world.model.lastRequest())) {
    said(`${result.tool} ${result.input}`, result.output, 14)
  }
}

const indexFollowsMs = 1500

function resultOf(results: readonly ToolResult[], tool: string): ToolResult {
  const found = results.findLast((result) => result.tool === tool)
  if (found === undefined) throw new Error(`the model did not call ${tool}`)
  return found
}

function writeProject(world: World): void {
  world.project.write("src/retry.ts", `export function delayFor(attempt: number) {\n  return 100\n}\n`)
  world.project.write("src/retry.test.ts", `import { delayFor } from "./retry"\n\ntest("grows", () => {})\n`)
  world.project.write(
    "src/config.ts",
    `export const maxDelayMs = 30_000\nexport const jitter = 0.2\nexport const url = ""\n`,
  )
  world.project.write("docs/decisions.md", "# Decisions\n\nNo new dependencies.\n")
}

const draftAnswer = z.object({
  ok: z.literal(true),
  sessionId: z.string(),
  message: z.string(),
  draft: z.string(),
})
const readAnswer = z.object({ ok: z.literal(true), count: z.number(), transcript: z.string() })

function isOurs(name: string): boolean {
  return /^(handoff_session|read_session|history-|session_)/.test(name)
}

function fileLine(draft: string): string {
  return draft.split("\n").find((line) => line.startsWith(`@${files[0]}`)) ?? ""
}

function tail(text: string, lines: number): string {
  return text.split("\n").slice(-lines).join("\n")
}

function seconds(since: number): string {
  return `${((Date.now() - since) / 1000).toFixed(1)} s.`
}

const started = Date.now()
let root = ""
await inWorld({ script: answer }, async (world) => {
  root = world.root
  await tour(world)
})
console.log(`\nEverything ran in ${root}, which is gone again. ${seconds(started)}\n`)
