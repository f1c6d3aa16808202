import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { after, describe, test } from "node:test"
import { planInstall } from "../../src/cli/config/plan.ts"
import { settingsFor } from "../../src/cli/settings.ts"

const root = mkdtempSync(join(tmpdir(), "baton-settings-"))
after(() => rmSync(root, { recursive: true, force: true }))

let count = 0
function world(files: Readonly<Record<string, string | Uint8Array>>, more: Record<string, string> = {}) {
  const home = join(root, String(count++))
  const directory = join(home, "work/deep")
  mkdirSync(directory, { recursive: true })
  mkdirSync(join(home, "work/.git"))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    writeFileSync(join(home, name), text)
  }
  const env = { HOME: home, OPENCODE_TEST_MANAGED_CONFIG_DIR: join(home, "managed"), ...more }
  return { home, directory, env, settings: () => settingsFor(env, directory) }
}

const plugin = (dataDir: string) => `{ "plugin": [["opencode-baton", { "dataDir": "${dataDir}" }]] }`
const USER = ".config/opencode/"

describe("the data folder that counts", () => {
  test("{env:} and {file:} are written out", () => {
    const { home, settings } = world({
      [`${USER}opencode.json`]: plugin("{env:HOME}/{file:./name}"),
      [`${USER}name`]: "idx\n",
    })
    assert.equal(settings().options.dataDir, `${home}/idx`)
  })
  const order = [
    `${USER}config.json`,
    `${USER}opencode.json`,
    `${USER}opencode.jsonc`,
    "work/opencode.json",
    "work/opencode.jsonc",
    "work/deep/opencode.json",
    "work/deep/.opencode/opencode.json",
    "work/.opencode/opencode.json",
    ".opencode/opencode.jsonc",
    "managed/opencode.json",
  ]
  for (const [at, last] of order.entries())
    test(`${last} counts over those before it`, () => {
      const { settings } = world(
        Object.fromEntries(order.slice(0, at + 1).map((name) => [name, plugin(`/${name}`)])),
      )
      assert.equal(settings().options.dataDir, `/${last}`)
    })
  test("OPENCODE_CONFIG_CONTENT counts over files, an administrator's file over it", () => {
    const more = { OPENCODE_CONFIG_CONTENT: plugin("/content") }
    assert.equal(
      world({ "work/opencode.json": plugin("/file") }, more).settings().options.dataDir,
      "/content",
    )
    assert.equal(world({ "managed/opencode.json": plugin("/m") }, more).settings().options.dataDir, "/m")
  })
})

describe("it is not known what is excluded", () => {
  test("with an exclude that is not understood", () => {
    const text = '{ "plugin": [["opencode-baton", { "exclude": "private/**" }]] }'
    assert.match(world({ "work/opencode.json": text }).settings().excludeUnknown ?? "", /private/)
  })
  test(
    "with a pipe in a config's place, which is not waited for",
    { skip: process.platform === "win32" },
    () => {
      const { directory, settings } = world({})
      execFileSync("mkfifo", [join(directory, "opencode.json")])
      assert.match(settings().excludeUnknown ?? "", /no regular file/)
    },
  )
})

describe("install", () => {
  test("writes into the list that counts", () => {
    const { directory, env } = world({
      [`${USER}opencode.json`]: "{}",
      [`${USER}opencode.jsonc`]: '{"plugin":["alpha"]}',
    })
    const plan = planInstall(env, directory, { host: "v1", project: false })
    assert.ok(plan.ok)
    assert.match(plan.targets[0]?.path ?? "", /opencode\.jsonc$/)
    assert.match(plan.targets[0]?.after ?? "", /"alpha", "opencode-baton"/)
  })
  test("refuses a byte that is not UTF-8", () => {
    const bytes = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xe9]), Buffer.from('"}')])
    const { directory, env } = world({ [`${USER}opencode.json`]: bytes })
    const plan = planInstall(env, directory, { host: "v1", project: false })
    assert.match(plan.ok ? "" : plan.error, /not UTF-8/)
  })
})
