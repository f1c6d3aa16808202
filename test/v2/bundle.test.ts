import { after, before, describe, test } from "node:test"
import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { build } from "esbuild"

// The bundles on a V2 host: in a folder from which no package resolves, on both runtimes.

const root = fileURLToPath(new URL("../../", import.meta.url))
let folder = ""

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "baton-bundle-"))
  await build({
    absWorkingDir: root,
    entryPoints: {
      plugin: "src/plugin.ts",
      terminal: "src/terminal.ts",
      "history-worker": "src/history/worker.ts",
    },
    outdir: join(folder, "dist"),
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external: ["bun:*"],
    logLevel: "warning",
  })
  writeFileSync(join(folder, "package.json"), '{"type":"module"}')
  writeFileSync(join(folder, "run.mjs"), script)
})
after(() => rmSync(folder, { recursive: true, force: true }))

const script = `
import plugin from "./dist/plugin.js"
import terminal from "./dist/terminal.js"
const tools = [], commands = [], hooks = []
const registration = () => Promise.resolve({ dispose: async () => {} })
const context = {
  app: { version: "2.0.16" }, options: {}, location: { directory: process.cwd(), project: { id: "p" } },
  tool: { transform: (change) => (change({ add: (tool) => tools.push(tool) }), registration()) },
  command: { transform: (change) => (change({ add: (command) => commands.push(command.name) }), registration()) },
  session: { hook: (name) => (hooks.push(name), registration()), get: async ({ sessionID }) => ({ id: sessionID, projectID: "p" }) },
}
const server = plugin.server
plugin.server = () => { throw new Error("V2 never calls server") }
const cleanup = await plugin.setup(context)
const signal = new AbortController().signal
const search = tools.find((tool) => tool.name === "history-search-messages")
// As a host, which lives on: what waits for a moment keeps no process alive.
const host = setInterval(() => undefined, 1_000)
const { content } = await search.execute({ query: "anything" }, { sessionID: "ses_1", messageID: "msg_1", agent: "build", id: "c", signal })
await cleanup()
clearInterval(host)
console.log(JSON.stringify({ tools: tools.length, commands, hooks, content, terminal: (await terminal.setup({})) ?? null }))
`

for (const runtime of ["bun", "node"])
  test(`they load under ${runtime}, register, search and end`, { timeout: 120_000 }, async () => {
    const binary = join(root, "node_modules", ".bin", runtime)
    const env = {
      ...process.env,
      XDG_DATA_HOME: join(folder, runtime),
      XDG_STATE_HOME: join(folder, runtime),
    }
    const { stdout } = await promisify(execFile)(binary, ["run.mjs"], { cwd: folder, env, timeout: 110_000 })
    const answer: unknown = JSON.parse(stdout.trim().split("\n").at(-1) ?? "")
    assert.partialDeepStrictEqual(answer, {
      tools: 8,
      commands: ["handoff"],
      hooks: ["prompt"],
      terminal: null,
    })
    assert.match(stdout, /anything/)
    assert.doesNotMatch(stdout, /cannot answer/)
  })

describe("they import nothing but the runtime's own modules", () => {
  test("every file", () => {
    const files = readdirSync(join(folder, "dist"), { recursive: true })
      .map(String)
      .filter((name) => name.endsWith(".js"))
    assert.ok(files.length >= 3)
    for (const file of files) {
      const code = readFileSync(join(folder, "dist", file), "utf8")
      const named = [
        ...code.matchAll(/(?:^|[;\s])(?:import|export)[^"'();]*?from\s*"([^"]+)"|import\("([^"]+)"\)/g),
      ]
      const outside = named
        .map((found) => found[1] ?? found[2] ?? "")
        .filter((name) => !/^(?:\.|node:|bun:)/.test(name))
      assert.deepEqual(outside, [], file)
    }
  })
})
