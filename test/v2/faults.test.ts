import { describe, test } from "node:test"
import assert from "node:assert/strict"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as z from "zod"
import { markerSentence } from "../../src/handoff/draft.ts"
import { inHost, RELEASES, SLOW } from "../hosts/v2/asking.ts"
import type { ContractHost } from "../hosts/v2/host.ts"

// A host whose calls throw, reject or never answer: the user's prompt goes through, a tool answers, the host lives on.

const CALLS = [
  "session.get",
  "session.create",
  "session.prompt",
  "session.context",
  "session.update",
  "session.list",
  "message.list",
  "message.get",
  "event.subscribe",
  "every call",
]

const draft = `${markerSentence("ses_source")}\n\n@a.ts\n\ngo on\n`

const answerSchema = z.looseObject({ ok: z.boolean(), draft: z.string(), error: z.string().optional() })

type Broken = { name: string; how: "throws" | "rejects" | "hangs" }

/** The context with one call broken while it is named. Registrations stay whole: they are tested apart. */
function breaking(broken: Broken, context: object): object {
  const wrap = (value: object, path: string): object =>
    new Proxy(value, {
      get(target, key) {
        const member: unknown = Reflect.get(target, key)
        const name = path === "" ? String(key) : `${path}.${String(key)}`
        if (typeof member === "function")
          return (...args: unknown[]): unknown => {
            const isBroken = broken.name === name || (broken.name === "every call" && CALLS.includes(name))
            if (!isBroken) return Reflect.apply(member, target, args)
            if (broken.how === "hangs") return new Promise(() => undefined)
            const error = new Error(`broken: ${name}`)
            if (broken.how === "rejects") return Promise.reject(error)
            throw error
          }
        return typeof member === "object" && member !== null && !Object.isFrozen(member)
          ? wrap(member, name)
          : member
      },
    })
  return wrap(context, "")
}

async function inBroken(
  release: (typeof RELEASES)[number],
  run: (host: ContractHost, caller: string, broken: Broken) => Promise<void>,
): Promise<void> {
  await inHost({ release }, async (host, caller) => {
    writeFileSync(join(host.directory, "a.ts"), "1\n")
    const broken: Broken = { name: "", how: "throws" }
    await host.load(host.directory, (context) => breaking(broken, context))
    await run(host, caller, broken)
    broken.name = ""
  })
}

for (const release of RELEASES)
  describe(`broken calls on ${release}`, () => {
    for (const how of ["throws", "rejects"] as const)
      test(`whatever ${how}, a sent draft goes through with its file and handoff_session answers`, SLOW, () =>
        inBroken(release, async (host, caller, broken) => {
          broken.how = how
          for (const name of CALLS) {
            broken.name = name
            await host.prompt(host.store.put({}).id, { text: draft })
            assert.match(host.requests.at(-1) ?? "", /Attached file: a\.ts\n\n1\n$/, name)
            // A session of its own: an identical call within a minute makes no second draft.
            const source = host.store.put({}).id
            const { content } = await host.tool(source, "handoff_session", { prompt: "go on" })
            const answer = answerSchema.parse(JSON.parse(content))
            assert.equal(answer.draft, `${markerSentence(source)}\n\ngo on\n`, name)
            assert.equal(answer.ok, name !== "session.create" && name !== "every call", `${name}: ${content}`)
            if (!answer.ok) assert.match(answer.error ?? "", /could not be made: new session: broken/)
            const read = await host.tool(caller, "read_session", { sessionId: source })
            assert.match(
              read.content,
              /"ok":true|no messages yet|nothing to show/,
              `${name}: ${read.content}`,
            )
          }
        }),
      )

    for (const name of ["session.get", "session.context"])
      test(`a ${name} that never answers holds a prompt for seconds, not for ever`, SLOW, () =>
        inBroken(release, async (host, _, broken) => {
          Object.assign(broken, { name, how: "hangs" })
          const started = performance.now()
          await host.prompt(host.store.put({}).id, { text: draft })
          assert.ok(performance.now() - started < 10_000)
          assert.match(host.requests.at(-1) ?? "", /Attached file: a\.ts/)
        }),
      )
  })
