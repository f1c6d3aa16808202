import { after, describe, test } from "node:test"
import assert from "node:assert/strict"
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as fc from "fast-check"
import * as z from "zod"
import { entryFor, withoutPlugin, withPlugin } from "../../src/cli/config/change.ts"
import { isOurs, parseConfig, type PluginKey } from "../../src/cli/config/entries.ts"
import { planInstall, planUninstall } from "../../src/cli/config/plan.ts"
import { replaceFile } from "../../src/cli/config/write.ts"

const folders: string[] = []
const aFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), "baton-config-"))
  folders.push(folder)
  return folder
}
after(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })))

type Case = {
  readonly name: string
  readonly before: string
  readonly after: string
  readonly key?: PluginKey
  /** What an uninstall leaves; `before` unless given. */
  readonly left?: string
}

const ONE = '"plugin": ["opencode-baton"]'

const CASES: readonly Case[] = [
  { name: "empty", before: "", after: `{\n  ${ONE}\n}\n`, left: "{\n}\n" },
  { name: "an empty object", before: "{}", after: `{\n  ${ONE}\n}`, left: "{\n}" },
  {
    name: "only a comment",
    before: "// mine\n",
    after: `// mine\n{\n  ${ONE}\n}\n`,
    left: "// mine\n{\n}\n",
  },
  {
    name: "comments stay where they were",
    before: '{\n  // my model\n  "model": "a/b" // the good one\n  /* end */\n}\n',
    after: `{\n  // my model\n  "model": "a/b", // the good one\n  ${ONE}\n  /* end */\n}\n`,
    left: '{\n  // my model\n  "model": "a/b" // the good one\n  /* end */\n}\n',
  },
  {
    name: "trailing commas",
    before: '{\n  "plugin": [\n    "other", // why\n  ],\n}\n',
    after: '{\n  "plugin": [\n    "other", // why\n    "opencode-baton",\n  ],\n}\n',
  },
  {
    name: "a key that is written twice: the last one counts",
    before: '{ "plugin": ["a"], "plugin": ["b"] }\n',
    after: '{ "plugin": ["a"], "plugin": ["b", "opencode-baton"] }\n',
  },
  {
    name: "tabs",
    before: '{\n\t"model": "a/b"\n}\n',
    after: `{\n\t"model": "a/b",\n\t${ONE}\n}\n`,
  },
  {
    name: "CRLF",
    before: '{\r\n  "plugin": [\r\n    "other"\r\n  ]\r\n}\r\n',
    after: '{\r\n  "plugin": [\r\n    "other",\r\n    "opencode-baton"\r\n  ]\r\n}\r\n',
  },
  {
    name: "a list on one line, a pair with options in it",
    before: '{ "plugin": [["other", { "a": [1, 2] }]], "x": 1 }\n',
    after: '{ "plugin": [["other", { "a": [1, 2] }], "opencode-baton"], "x": 1 }\n',
  },
  {
    name: "an empty list",
    before: '{ "plugin": [], "x": 1 }',
    after: '{ "plugin": ["opencode-baton"], "x": 1 }',
    left: '{ "x": 1 }',
  },
  {
    name: "an entry with options is there: nothing changes",
    before: '{ "plugin": [["opencode-baton@0.1.0", { "maskSecrets": false }]] }\n',
    after: '{ "plugin": [["opencode-baton@0.1.0", { "maskSecrets": false }]] }\n',
    left: "{ }\n",
  },
  {
    name: "V2's object form",
    key: "plugins",
    before: '{\n  "plugins": [\n    { "package": "other", "options": {} }\n  ]\n}\n',
    after:
      '{\n  "plugins": [\n    { "package": "other", "options": {} },\n    { "package": "opencode-baton" }\n  ]\n}\n',
  },
  {
    name: "V2's key is added beside V1's",
    key: "plugins",
    before: '{\n  "plugin": ["opencode-baton"]\n}\n',
    after: '{\n  "plugin": ["opencode-baton"],\n  "plugins": [{ "package": "opencode-baton" }]\n}\n',
  },
  {
    name: "a byte order mark",
    before: '\uFEFF{\n  "plugin": ["a"]\n}\n',
    after: '\uFEFF{\n  "plugin": ["a", "opencode-baton"]\n}\n',
  },
]

describe("a config's text", () => {
  for (const { name, before, after, key = "plugin", left } of CASES) {
    const wanted = { path: "/c/opencode.json", key, entry: entryFor(key === "plugin" ? "v1" : "v2") }
    test(`install: ${name}`, () => {
      const done = withPlugin(before, wanted)
      assert.ok(done.ok)
      assert.equal(done.text, after)
      assert.equal(done.changed, before !== after)
      assert.deepEqual(withPlugin(done.text, wanted), { ok: true, text: after, changed: false })
    })
    test(`uninstall: ${name}`, () => {
      const done = withoutPlugin(after, wanted)
      assert.ok(done.ok)
      assert.equal(done.text, left ?? before)
      assert.deepEqual(withoutPlugin(done.text, wanted), { ok: true, text: done.text, changed: false })
    })
  }

  const REFUSED: readonly (readonly [string, string, RegExp])[] = [
    ["invalid JSON", '{ "plugin": [ }', /opencode\.json:1: not valid JSON/],
    ["a list instead of an object", "[]", /holds a list instead of an object/],
    ["a list that is none", '{ "plugin": "opencode-baton-like" }', /"plugin" is no list; make it one/],
    ["a merge conflict", '{\n<<<<<<< HEAD\n "a": 1\n}', /opencode\.json:2: not valid JSON/],
  ]
  for (const [name, text, error] of REFUSED)
    test(`refused with the place: ${name}`, () => {
      const done = withPlugin(text, { path: "/c/opencode.json", key: "plugin", entry: "opencode-baton" })
      assert.ok(!done.ok)
      assert.match(done.error, error)
      assert.doesNotMatch(done.error, /\n/)
    })

  test("every entry of the package goes, wherever it stands", () => {
    const wanted = { path: "/c/x.json", key: "plugin" } as const
    const rows: readonly (readonly [string, string])[] = [
      ['{"plugin": ["opencode-baton", "a", ["opencode-baton@1", {}]]}', '{"plugin": ["a"]}'],
      ['{"plugin": ["a", "opencode-baton", "b"]}', '{"plugin": ["a", "b"]}'],
      ['{"plugin": [\n  "opencode-baton", // ours\n  "b"\n]}', '{"plugin": [\n  // ours\n  "b"\n]}'],
      ['{"plugin": [\n  "a", // theirs\n  "opencode-baton"\n]}', '{"plugin": [\n  "a" // theirs\n]}'],
      ['{"plugin": ["opencode-baton"], "x": 1}', '{"x": 1}'],
      ['{"x": 1, "plugin": ["opencode-baton",],}', '{"x": 1, }'],
    ]
    for (const [before, after] of rows)
      assert.deepEqual(withoutPlugin(before, wanted), { ok: true, text: after, changed: true })
  })

  test("whatever the config, nothing but the entry changes, and taking it out gives the old value", () => {
    const json = fc.dictionary(fc.string({ maxLength: 6 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 })
    const list = fc.option(
      fc.array(fc.constantFrom("a", "./b", ["c", { d: 1 }]), { maxLength: 3, minLength: 1 }),
      { nil: undefined },
    )
    const indent = fc.constantFrom(0, 2, 4, "\t")
    fc.assert(
      fc.property(json, list, indent, (rest, plugin, space) => {
        const value = { ...rest, ...(plugin === undefined ? {} : { plugin }) }
        if (plugin === undefined) delete value["plugin"]
        const text = JSON.stringify(value, undefined, space)
        const before = z.record(z.string(), z.unknown()).parse(JSON.parse(text))
        const wanted = { path: "/c/x.json", key: "plugin", entry: "opencode-baton" } as const
        const done = withPlugin(text, wanted)
        assert.ok(done.ok)
        assert.deepEqual(JSON.parse(done.text), {
          ...before,
          plugin: [...(plugin ?? []), "opencode-baton"],
        })
        const undone = withoutPlugin(done.text, wanted)
        assert.ok(undone.ok)
        assert.deepEqual(JSON.parse(undone.text), before)
      }),
      { numRuns: 200 },
    )
  })
})

describe("which entry is this package", () => {
  const folder = aFolder()
  mkdirSync(join(folder, "own", "dist"), { recursive: true })
  writeFileSync(join(folder, "own", "package.json"), '{"name":"opencode-baton"}')
  writeFileSync(join(folder, "own", "dist", "plugin.js"), "")
  mkdirSync(join(folder, "strange"))
  writeFileSync(join(folder, "strange", "package.json"), '{"name":"strange"')
  const rows: readonly (readonly [string, boolean])[] = [
    ["opencode-baton", true],
    ["opencode-baton@1.2.3", true],
    ["opencode-baton-fork", false],
    ["@me/opencode-baton", false],
    ["./own", true],
    ["./own/dist/plugin.js", true],
    [`file://${join(folder, "own")}`, true],
    ["file:./opencode-baton-0.1.0.tgz", true],
    ["./strange", false],
    ["./missing", false],
    ["file://%", false],
    ["", false],
  ]
  for (const [spec, ours] of rows)
    test(`${spec || '""'} is ${ours ? "" : "not "}`, () => assert.equal(isOurs(spec, folder), ours))
  test("no form of an entry makes it throw", () => {
    const text = '{"plugin": [1, null, [], [["x"]], {}, {"package": 5}, ["opencode-baton", 3]]}'
    const config = parseConfig("/c/opencode.json", text)
    assert.ok(config.ok)
    assert.deepEqual(config.entries, [{ key: "plugin", index: 6, spec: "opencode-baton" }])
  })
})

describe("the files", () => {
  const v1 = { host: "v1", project: false } as const
  const setUp = (files: Readonly<Record<string, string>>) => {
    const env = { XDG_CONFIG_HOME: aFolder() }
    const folder = join(env.XDG_CONFIG_HOME, "opencode")
    mkdirSync(folder)
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    return { env, folder }
  }
  const names = (plan: ReturnType<typeof planInstall>) =>
    plan.ok
      ? plan.targets.map((target) => [target.path.split("/").slice(-2).join("/"), target.changed])
      : plan.error

  test("V1 has two parts; a folder without config gets new files", () => {
    const { env, folder } = setUp({})
    assert.deepEqual(names(planInstall(env, folder, v1)), [
      ["opencode/opencode.json", true],
      ["opencode/tui.json", true],
    ])
    assert.deepEqual(names(planInstall(env, folder, { host: "v2", project: false })), [
      ["opencode/opencode.json", true],
    ])
  })
  test("of two main files the one that names the plugin counts, else the first", () => {
    const { env, folder } = setUp({
      "opencode.json": "{}",
      "opencode.jsonc": '{"plugin":["opencode-baton"]}',
    })
    assert.deepEqual(names(planInstall(env, folder, v1))[0], ["opencode/opencode.jsonc", false])
    const only = setUp({ "opencode.jsonc": "{}" })
    assert.deepEqual(names(planInstall(only.env, only.folder, v1))[0], ["opencode/opencode.jsonc", true])
  })
  test("one broken file stops the whole plan with its place", () => {
    const { env, folder } = setUp({ "opencode.json": "{}", "tui.json": "{" })
    assert.match(
      String(names(planInstall(env, folder, v1))),
      /tui\.json:1: not valid JSON .*put it right by hand/,
    )
  })
  test("uninstall finds every file, and none where there is none", () => {
    const ours = '{"plugin":["opencode-baton"]}'
    const { env, folder } = setUp({ "opencode.json": ours, "opencode.jsonc": ours, "tui.json": "{}" })
    assert.deepEqual(names(planUninstall(env, folder, v1)), [
      ["opencode/opencode.json", true],
      ["opencode/opencode.jsonc", true],
      ["opencode/tui.json", false],
    ])
    assert.deepEqual(names(planUninstall({ XDG_CONFIG_HOME: "/nowhere" }, folder, v1)), [])
  })
  test("--project writes below the repository's root", () => {
    const root = aFolder()
    mkdirSync(join(root, ".git"))
    mkdirSync(join(root, "a", "b"), { recursive: true })
    const plan = planInstall({ XDG_CONFIG_HOME: aFolder() }, join(root, "a", "b"), {
      host: "v1",
      project: true,
    })
    assert.ok(plan.ok)
    assert.equal(plan.targets[0]?.path, join(root, ".opencode", "opencode.json"))
  })

  test("a symlink stays, its file is changed, the old text is beside it, the mode is kept", () => {
    const folder = aFolder()
    writeFileSync(join(folder, "real.json"), "old", { mode: 0o640 })
    symlinkSync("real.json", join(folder, "opencode.json"))
    const done = replaceFile(join(folder, "opencode.json"), "new", "old")
    assert.ok(done.ok)
    assert.ok(lstatSync(join(folder, "opencode.json")).isSymbolicLink())
    assert.equal(readFileSync(join(folder, "real.json"), "utf8"), "new")
    assert.equal(lstatSync(join(folder, "real.json")).mode & 0o777, 0o640)
    assert.equal(readFileSync(join(folder, "real.json.bak"), "utf8"), "old")
    assert.ok(replaceFile(join(folder, "opencode.json"), "newer", "new").ok)
    assert.deepEqual(readdirSync(folder).sort(), [
      "opencode.json",
      "real.json",
      "real.json.bak",
      "real.json.bak2",
    ])
  })
  const NOT_CHANGED: readonly (readonly [string, (path: string) => void, RegExp])[] = [
    ["UTF-16", (path) => writeFileSync(path, "\uFEFF{}", "utf16le"), /not UTF-8; save it as UTF-8/],
    [
      "Latin-1",
      (path) => writeFileSync(path, '{ "a": "caf\u00e9" }', "latin1"),
      /not UTF-8; save it as UTF-8/,
    ],
    ["a directory", (path) => mkdirSync(path), /no regular file; put a file there/],
    ["a device", (path) => symlinkSync("/dev/null", path), /no regular file; put a file there/],
  ]
  for (const [name, make, why] of NOT_CHANGED)
    test(`${name} as a config is refused by install and uninstall`, () => {
      const root = aFolder()
      mkdirSync(join(root, "opencode"))
      make(join(root, "opencode", "opencode.json"))
      for (const plan of [planInstall, planUninstall]) {
        const planned = plan({ XDG_CONFIG_HOME: root }, root, { host: "v1", project: false })
        assert.match(String(Object.values(planned)), why)
        assert.equal(planned.ok, false)
      }
    })
  test("a read-only file is left alone, with a remedy", () => {
    const folder = aFolder()
    const path = join(folder, "opencode.json")
    writeFileSync(path, "old", { mode: 0o444 })
    chmodSync(folder, 0o555)
    const done = replaceFile(path, "new", "old")
    chmodSync(folder, 0o755)
    // For root nothing is read-only.
    if (process.getuid?.() === 0) return assert.ok(done.ok)
    assert.ok(!done.ok)
    assert.match(done.error, /cannot be written: .*make the file and its folder writable/)
    assert.equal(readFileSync(path, "utf8"), "old")
  })
  test("a file that changed since it was read is not overwritten; a new one never replaces", () => {
    const path = join(aFolder(), "opencode.json")
    writeFileSync(path, "theirs")
    assert.match(String(Object.values(replaceFile(path, "new", "old"))), /changed by somebody else/)
    assert.ok(!replaceFile(path, "new", undefined).ok)
    assert.equal(readFileSync(path, "utf8"), "theirs")
    assert.ok(!existsSync(`${path}.bak`))
  })
})
