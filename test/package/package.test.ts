import { after, before, describe, test } from "node:test"
import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import * as z from "zod"
import { BUILT_PLUGIN } from "../hosts/host-config.ts"
import { call, text } from "../hosts/reply.ts"
import { lastUserTexts, toolNames } from "../hosts/request.ts"
import { serve } from "../hosts/serve.ts"
import { terminal } from "../hosts/terminal.ts"
import { inWorld, type World } from "../hosts/world.ts"

// The packed archive, as users get it: what is in it, and that it loads on both runtimes and in the real host.

const repository = dirname(BUILT_PLUGIN)
let folder = ""
let archive = ""
let installed = ""

before(() => {
  folder = mkdtempSync(join(tmpdir(), "baton-package-"))
  const listing = execFileSync("npm", ["pack", "--json", "--pack-destination", folder], {
    cwd: repository,
    encoding: "utf8",
  })
  archive = join(
    folder,
    z.array(z.object({ filename: z.string() })).parse(JSON.parse(listing))[0]?.filename ?? "",
  )
  installed = join(folder, "app", "node_modules", "opencode-baton")
  mkdirSync(installed, { recursive: true })
  execFileSync("tar", ["-xzf", archive, "-C", installed, "--strip-components=1"])
})
after(() => rmSync(folder, { recursive: true, force: true }))

test("it holds what is on the whitelist and nothing else", () => {
  assert.deepEqual(readdirSync(installed).sort(), [
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "dist",
    "index.js",
    "package.json",
    "tui.js",
  ])
})

test("it has no dependency, no install script and no native module", () => {
  const manifest = z.looseObject({ dependencies: z.unknown(), scripts: z.record(z.string(), z.string()) })
  const { dependencies, scripts } = manifest.parse(
    JSON.parse(readFileSync(join(installed, "package.json"), "utf8")),
  )
  assert.equal(dependencies, undefined)
  assert.deepEqual(
    Object.keys(scripts).filter((name) => /install|prepare/.test(name)),
    [],
  )
  const files = readdirSync(installed, { recursive: true }).map(String)
  assert.deepEqual(
    files.filter((file) => file.endsWith(".node")),
    [],
  )
})

test("its bundles import nothing but the runtime's own modules", () => {
  for (const file of readdirSync(join(installed, "dist"), { recursive: true })
    .map(String)
    .filter((name) => name.endsWith(".js"))) {
    const code = readFileSync(join(installed, "dist", file), "utf8")
    const outside = [
      ...code.matchAll(/(?:^|[;\s])(?:import|export)[^"'();]*?from\s*"([^"]+)"|import\("([^"]+)"\)/g),
    ]
      .map((match) => match[1] ?? match[2] ?? "")
      .filter((specifier) => !/^(?:\.|node:|bun:)/.test(specifier))
    assert.deepEqual(outside, [], file)
  }
})

const loading = `
for (const [name, key] of [["opencode-baton", "server"], ["opencode-baton/server", "server"], ["opencode-baton/tui", "tui"]]) {
  const { default: plugin } = await import(name)
  if (plugin.id !== "opencode-baton" || typeof plugin[key] !== "function" || typeof plugin.setup !== "function")
    throw new Error(name + " exports " + Object.keys(plugin))
}
const { default: plugin } = await import("opencode-baton")
const client = new Proxy(() => Promise.resolve({}), { get: (target, key) => (key === "then" ? undefined : client) })
const hooks = await plugin.server({ client, project: { id: "p" }, directory: "/", worktree: "/" }, {})
console.log(Object.keys(hooks.tool).sort().join())
console.log(await hooks.tool.read_session.execute({ sessionId: "none" }, { sessionID: "ses_1" }))
await plugin.setup({})
`

for (const runtime of ["bun", "node"])
  test(`it loads under ${runtime} where no other package resolves`, () => {
    const script = join(folder, "app", "load.mjs")
    writeFileSync(script, loading)
    const binary = join(repository, "node_modules", ".bin", runtime)
    const output = execFileSync(binary, [script], { cwd: join(folder, "app"), encoding: "utf8" })
    assert.match(output, /^handoff_session,(.*,)?read_session\b/)
    assert.match(output, /no session id in/)
  })

/** A world in which the host's own command installed the archive. */
async function installedWorld(use: (world: World) => Promise<void>): Promise<void> {
  await inWorld({ plugins: [] }, async (world) => {
    world.project.write(".opencode/.keep", "")
    const install = await world.start(["plugin", `file:${archive}`], { cwd: world.project.directory })
    await install.exited
    assert.match(install.stdout() + install.stderr(), /server \+ tui/)
    assert.match(world.project.read(".opencode/opencode.json"), /opencode-baton/)
    assert.match(world.project.read(".opencode/tui.json"), /opencode-baton/)
    await use(world)
  })
}

// A world each: a host that ends while it installs leaves its lock, and the next one waits a minute for it.
describe("the real host installs both parts from the archive with one command", () => {
  test("the server part works", () =>
    installedWorld(async (world) => {
      const host = await serve(world)
      const session = await host.createSession()
      await host.command(session.id, "handoff", "go on")
      assert.match(lastUserTexts(world.model.lastRequest())[0] ?? "", /^Write a handoff/)
      assert.ok(toolNames(world.model.lastRequest()).includes("handoff_session"))
    }))

  test("the terminal part works", () =>
    installedWorld(async (world) => {
      world.model.script((request) =>
        lastUserTexts(request).join("").includes("hand over") && request.body.messages.at(-1)?.role === "user"
          ? call("handoff_session", { prompt: "The LAST word." })
          : text("done"),
      )
      const ui = await terminal(world)
      await ui.type("hand over")
      await ui.keys("Enter")
      await ui.waitForScreen((screen) => screen.includes("The LAST word.") && !screen.includes("hand over"))
    }))
})
