import { after, before, describe, test } from "node:test"
import assert from "node:assert/strict"
import { BUILT_PLUGIN } from "../hosts/host-config.ts"
import { lastUserTexts } from "../hosts/request.ts"
import { serve, type Serve } from "../hosts/serve.ts"
import { makeWorld, type World } from "../hosts/world.ts"
import { callsWhenAsked, draftText, lastToolAnswer } from "./scripts.ts"

// A host client that throws: the user's message still goes through, a tool answers, the host lives on.

/** The plugin with a client of which one call throws; which one stands in a file, so that one host does for all. */
const brokenPlugin = `
import { readFileSync } from "node:fs"
import baton from ${JSON.stringify(BUILT_PLUGIN)}

const broken = () => readFileSync(new URL("./broken.txt", import.meta.url), "utf8")
const wrap = (value, path) =>
  new Proxy(value, {
    get(target, key) {
      const member = Reflect.get(target, key)
      const name = path === "" ? String(key) : path + "." + String(key)
      if (typeof member === "function")
        return (...args) => {
          if (broken() === name || broken() === "every call") throw new Error("broken: " + name)
          if (broken() === "hangs: " + name) return new Promise(() => {})
          return Reflect.apply(member, target, args)
        }
      return typeof member === "object" && member !== null ? wrap(member, name) : member
    },
  })

export default {
  id: "broken",
  server: (input, options) => baton.server({ ...input, client: wrap(input.client, "") }, options),
}
`

const calls = [
  "app.log",
  "app.agents",
  "session.create",
  "tui.publish",
  "tui.appendPrompt",
  "tui.showToast",
  "_client.get",
  "_client.patch",
  "every call",
]

/** Without these the read rules are not known, and what is not known is not allowed. */
const tellsRules = ["app.agents", "_client.get", "every call"]

let world: World
let host: Serve

before(async () => {
  world = await makeWorld({
    plugins: ["./broken.js"],
    script: callsWhenAsked("hand over", "handoff_session", { prompt: "Go on." }),
  })
  world.write("config/opencode/broken.js", brokenPlugin)
  world.write("config/opencode/broken.txt", "")
  world.project.write("a.ts", "1\n")
  host = await serve(world)
})
after(() => world.stop())

function breakCall(name: string): void {
  world.write("config/opencode/broken.txt", name)
}

for (const name of calls)
  describe(`${name} throws`, () => {
    const isKnown = !tellsRules.includes(name)
    test(`a sent draft goes through, ${isKnown ? "with its file" : "its file named as left out"}`, async () => {
      const session = await host.createSession()
      breakCall(name)
      const answer = await host.prompt(session.id, draftText("ses_source", "@a.ts"))
      breakCall("")
      assert.equal(answer.parts.find((part) => part.type === "text")?.text, "done")
      const texts = lastUserTexts(world.model.lastRequest())
      assert.equal(texts[0], draftText("ses_source", "@a.ts"))
      if (isKnown) return assert.match(texts[2] ?? "", /1: 1/)
      assertLeftOut(texts)
    })

    test("handoff_session answers", async () => {
      const session = await host.createSession()
      breakCall(name)
      await host.prompt(session.id, "hand over")
      breakCall("")
      const answer = lastToolAnswer(world.model, "handoff_session")
      assert.equal(answer["draft"], draftText(session.id, ""))
      if (name !== "session.create" && name !== "every call") return assert.equal(answer["ok"], true)
      assert.equal(answer["ok"], false)
      assert.match(String(answer["error"]), /could not be made: new session: broken: session\.create/)
    })
  })

test("a client that never answers holds a message for seconds, not for ever", async () => {
  const promptMs = async () => {
    const session = await host.createSession()
    const started = performance.now()
    await host.prompt(session.id, draftText("ses_source", "@a.ts"))
    return performance.now() - started
  }
  const plainMs = await promptMs()
  breakCall("hangs: _client.get")
  const heldMs = await promptMs()
  breakCall("")
  assert.ok(heldMs < 10_000 + 2 * plainMs, `${heldMs} ms, without the fault ${plainMs} ms`)
  assertLeftOut(lastUserTexts(world.model.lastRequest()))
})

function assertLeftOut(texts: readonly string[]): void {
  assert.match(texts.join("\n"), /Not included[^]*a\.ts/)
  assert.doesNotMatch(texts.join("\n"), /1: 1/)
}
