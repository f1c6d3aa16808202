import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { symlinkSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { afterEach, describe, test } from "node:test"
import { buildDraft } from "../../src/handoff/draft.ts"
import {
  MAX_NAME_UNITS,
  planInjection,
  type Injection,
  type InjectionRequest,
} from "../../src/handoff/injection.ts"
import { formatFor } from "../../src/handoff/read-format.ts"
import type { ReadVerdict } from "../../src/handoff/read-rules.ts"
import { MAX_REFERENCES } from "../../src/handoff/references.ts"
import { attachedKey } from "../../src/handoff/attached.ts"
import { defaultRules } from "./default-rules.ts"
import { makeFolder, removeFolders, type Folder } from "./folder.ts"

afterEach(removeFolders)

const limits = { maxFiles: 20, maxBytes: 512 * 1024, maxFileBytes: 128 * 1024 }

function plan(folder: Folder, text: string, request: Partial<InjectionRequest> = {}): Promise<Injection> {
  return planInjection({
    text,
    directory: folder.path,
    worktree: folder.path,
    limits,
    format: formatFor(undefined, "auto"),
    rules: defaultRules(),
    alreadyAttached: new Set(),
    ...request,
  })
}

const names = (injection: Injection): string[] => injection.files.map((file) => file.name)

test("a sent draft brings its files in order, each with header, body and name", async () => {
  const folder = makeFolder({ "src/a b.ts": "alpha\n", "b.ts": "" })
  const text = buildDraft({ sourceSessionID: "ses_1", files: ["src/a b.ts", "b.ts#1-3"], prompt: "Go on." })
  const [a, b] = [join(folder.path, "src/a b.ts"), join(folder.path, "b.ts")]
  const body = (path: string, lines: string, total: number): string =>
    `<path>${path}</path>\n<type>file</type>\n<content>\n${lines}\n\n(End of file - total ${total} lines)\n</content>`
  const called = "Called the Read tool with the following input: "
  assert.deepEqual(await plan(folder, text), {
    files: [
      { path: a, name: "src/a b.ts", header: `${called}{"filePath":"${a}"}`, body: body(a, "1: alpha", 1) },
      {
        path: b,
        name: "b.ts#1-3",
        header: `${called}{"filePath":"${b}","offset":1,"limit":3}`,
        body: body(b, "", 0),
        range: { start: 1, end: 3 },
      },
    ],
    note: undefined,
    bytes: Buffer.byteLength(body(a, "1: alpha", 1) + body(b, "", 0)),
    skipped: [],
  })
})

describe("which files a prompt brings", () => {
  const files = {
    "src/a.ts": "a",
    "b.ts": "b",
    "app/(group)/[id]/page.tsx": "p",
    ".github/workflows/ci.yml": "c",
    "a+b.ts": "+",
    "中文/文件.md": "m",
    "😀.md": "e",
    decorator: "d",
    "scope/package": "s",
    "here?": "h",
    "a.ts,@b.ts": "whole",
    ".env.example": "x",
  }
  const cases: [text: string, names: readonly string[]][] = [
    ["(see @src/a.ts)", ["src/a.ts"]],
    ["请看@src/a.ts。", ["src/a.ts"]],
    ["@.github/workflows/ci.yml", [".github/workflows/ci.yml"]],
    [
      "@app/(group)/[id]/page.tsx, @a+b.ts; @中文/文件.md！@😀.md",
      ["app/(group)/[id]/page.tsx", "a+b.ts", "中文/文件.md", "😀.md"],
    ],
    ["@decorator @scope/package @here?", ["decorator", "scope/package", "here?"]],
    ["@src/a.ts,@b.ts", ["src/a.ts", "b.ts"]],
    ["@a.ts,@b.ts", ["a.ts,@b.ts"]],
    ["@src/a.ts#1-2 @src/a.ts#1-2 @src/a.ts @./src/a.ts", ["src/a.ts#1-2", "src/a.ts"]],
    ["@.env.example", [".env.example"]],
    ["`@src/a.ts`\n```\n@b.ts\n```", []],
    ["plain text, a@b.com, @nobody", []],
  ]
  for (const [text, expected] of cases)
    test(JSON.stringify(text), async () => {
      const injection = await plan(makeFolder(files), text)
      assert.deepEqual(names(injection), expected)
      assert.equal(injection.note, undefined)
    })

  test("backslashes are slashes on Windows", async () => {
    const folder = makeFolder(files)
    // The paths of this machine are no Windows paths: what counts here is that nothing is thrown.
    const injection = await plan(folder, "@src\\a.ts", { platform: "win32" })
    assert.deepEqual(injection.skipped, [{ reference: "src\\a.ts", reason: "missing" }])
  })
  test("a link and its target are one file", async () => {
    const folder = makeFolder(files)
    symlinkSync("b.ts", join(folder.path, "link.ts"))
    assert.deepEqual(names(await plan(folder, "@link.ts @b.ts")), ["link.ts"])
  })
  test("what the host attached already comes once", async () => {
    const folder = makeFolder(files)
    const alreadyAttached = new Set([join(folder.path, "b.ts")])
    const injection = await plan(folder, "@src/a.ts @b.ts", { alreadyAttached })
    assert.deepEqual(names(injection), ["src/a.ts"])
    assert.equal(injection.note, undefined)
  })
  test("a range the host attached comes once, other ranges of the file still come", async () => {
    const folder = makeFolder(files)
    const alreadyAttached = new Set([attachedKey(join(folder.path, "b.ts"), { start: 1, end: 1 })])
    const injection = await plan(folder, "@b.ts#1-1 @b.ts#1 @b.ts", { alreadyAttached })
    assert.deepEqual(names(injection), ["b.ts#1", "b.ts"])
  })
  test("the session's folder comes first, then the worktree", async () => {
    const folder = makeFolder({ "sub/a.ts": "sub", "a.ts": "root", "b.ts": "b" })
    const injection = await plan(folder, "@a.ts @b.ts", { directory: join(folder.path, "sub") })
    assert.deepEqual(
      injection.files.map((file) => file.path),
      [join(folder.path, "sub/a.ts"), join(folder.path, "b.ts")],
    )
    assert.deepEqual(names(injection), ["a.ts", join(folder.path, "b.ts")])
  })
})

describe("what is left out is named with its reason", () => {
  const folder = () => {
    const made = makeFolder({
      "good.ts": "good\n",
      ".env": "SECRET=1",
      "dir/x": "",
      "utf16.txt": Buffer.from("\ufeffhi", "utf16le"),
      "logo.png": "",
      "short.ts": "one\n",
    })
    truncateSync(join(made.path, "logo.png"), 12 * 1024 * 1024)
    execFileSync("mkfifo", [join(made.path, "pipe.ts")])
    symlinkSync(".env", join(made.path, "config.txt"))
    symlinkSync("loop.ts", join(made.path, "loop.ts"))
    return made
  }
  const cases: [text: string, note: string | undefined][] = [
    ["@src/x.ts", "src/x.ts (missing)"],
    ["@src/x.ts. And @src/x.ts again", "src/x.ts (missing)"],
    ["@dir", "dir (directory)"],
    ["@logo.png", "logo.png (binary, 12 MB)"],
    ["@utf16.txt", "utf16.txt (binary, 6 bytes)"],
    ["@.env", ".env (refused by the host's read rules)"],
    ["@config.txt", "config.txt (refused by the host's read rules)"],
    ["@../../../../../../../../etc/passwd", "../../../../../../../../etc/passwd (outside the project)"],
    ["@/etc/passwd", "/etc/passwd (outside the project)"],
    ["@pipe.ts", "pipe.ts (not a regular file)"],
    ["@loop.ts", "loop.ts (unreadable)"],
    ["@short.ts#9-12", "short.ts#9-12 (line 9 is past the end, 1 line)"],
    ['@"no such file"', "no such file (missing)"],
    ["@src/x.ts @logo.png @dir", "src/x.ts (missing), logo.png (binary, 12 MB), dir (directory)"],
    ["@decorator @scope/package @here? a@b.com", undefined],
    ["请看@src/x.ts。", "src/x.ts (missing)"],
    [`@${"x".repeat(300)}.ts`, `${"x".repeat(MAX_NAME_UNITS)} (missing)`],
    ['@"a\u202eb.ts"', "a\\u202eb.ts (missing)"],
  ]
  for (const [text, note] of cases)
    test(JSON.stringify(text.slice(0, 60)), async () => {
      const injection = await plan(folder(), `@good.ts ${text}`)
      assert.deepEqual(names(injection), ["good.ts"])
      assert.equal(injection.note, note === undefined ? undefined : `Not included: ${note}`)
      assert.equal(injection.skipped.length, note === undefined ? 0 : note.split("), ").length)
    })

  test("a name on the draft's line of files is always named", async () => {
    const text = buildDraft({
      sourceSessionID: "ses_1",
      files: ["scope/pkg", "Thing", "good.ts"],
      prompt: "@other",
    })
    assert.equal((await plan(folder(), text)).note, "Not included: scope/pkg (missing), Thing (missing)")
  })
  const away: readonly string[] = [
    "~/../../x",
    "~/../../../x",
    "~/../../../../../../../x",
    "~/../../.x",
    "~/x",
    "~user/x",
    "/etc/passwd",
    "../x",
    "../../../../../../../../x",
    "$HOME/x",
    "${HOME}/x",
    "%USERPROFILE%\\x",
    "file:///etc/passwd",
  ]
  for (const written of away)
    test(`@${written} is named with its reason`, async () => {
      const { files, skipped } = await plan(folder(), `look at @${written} please`)
      assert.deepEqual(files, [])
      assert.deepEqual(
        skipped.map(({ reference }) => reference),
        [written],
      )
      assert.match(skipped[0]?.reason ?? "", /^(?:outside the project|missing|unreadable)$/)
    })
  test("references behind the last one looked at are counted out", async () => {
    const injection = await plan(folder(), "@nobody ".repeat(MAX_REFERENCES + 1))
    assert.equal(injection.note, `Not included: names after the first ${MAX_REFERENCES} (not looked at)`)
  })
  test("a rule that throws costs one file", async () => {
    const rules = (path: string): ReadVerdict => {
      if (path === "short.ts") throw new Error("no rules")
      return "allowed"
    }
    const injection = await plan(folder(), "@short.ts @good.ts", { rules })
    assert.deepEqual(names(injection), ["good.ts"])
    assert.equal(injection.note, "Not included: short.ts (failed: no rules)")
  })
})

describe("budget", () => {
  const line = `${"x".repeat(99)}\n`
  const five = { "1.ts": line.repeat(20), "2.ts": line.repeat(20), "3.ts": line.repeat(20), "4.ts": "s" }
  const text = "@1.ts @2.ts @3.ts @4.ts"

  test("files after maxFiles are named", async () => {
    const injection = await plan(makeFolder(five), text, { limits: { ...limits, maxFiles: 2 } })
    assert.deepEqual(names(injection), ["1.ts", "2.ts"])
    assert.equal(injection.note, "Not included: 3.ts (over the budget), 4.ts (over the budget)")
  })
  test("a file over maxFileBytes is cut at a line and says so", async () => {
    const injection = await plan(makeFolder(five), text, { limits: { ...limits, maxFileBytes: 1000 } })
    assert.deepEqual(names(injection), ["1.ts", "2.ts", "3.ts", "4.ts"])
    assert.match(
      injection.files[0]?.body ?? "",
      /x\n\n\(Showing lines 1-\d of 20\. Use offset=\d to continue\.\)\n/,
    )
    for (const file of injection.files) assert.ok(Buffer.byteLength(file.body) <= 1000)
  })
  test("the file that fills maxBytes is cut, those after it are named", async () => {
    const injection = await plan(makeFolder(five), text, { limits: { ...limits, maxBytes: 4000 } })
    assert.deepEqual(names(injection), ["1.ts", "2.ts"])
    assert.equal(injection.note, "Not included: 3.ts (over the budget), 4.ts (over the budget)")
    assert.ok(injection.bytes <= 4000, `${injection.bytes} bytes`)
    assert.equal(
      injection.bytes,
      injection.files.reduce((sum, file) => sum + Buffer.byteLength(file.body), 0),
    )
  })
  test("a budget of nothing names every file", async () => {
    for (const none of [{ maxFiles: 0 }, { maxBytes: 0 }, { maxFileBytes: 0 }]) {
      const injection = await plan(makeFolder(five), "@1.ts", { limits: { ...limits, ...none } })
      assert.equal(injection.note, "Not included: 1.ts (over the budget)")
    }
  })
  test("counting the lines of large files leaves enough to read those after them", async () => {
    const folder = makeFolder({ "big.log": "", "after.ts": "after\n" })
    truncateSync(join(folder.path, "big.log"), 0)
    folder.write({ "big.log": Buffer.alloc(70 * 1024 * 1024, "y\n") })
    const injection = await plan(folder, "@big.log @after.ts")
    assert.ok(
      injection.files[0]?.body.endsWith("\n(Showing lines 1-2000. Use offset=2001 to continue.)\n</content>"),
    )
    assert.deepEqual(names(injection), ["big.log", "after.ts"])
  })
})

test("20 files of 2 MB: memory stays small and the host's event loop runs on", async () => {
  const content = Buffer.alloc(2 * 1024 * 1024, `${"m".repeat(79)}\n`)
  const files = Array.from({ length: 20 }, (_, index) => [`f${index}.ts`, content] as const)
  const folder = makeFolder(Object.fromEntries(files))
  const text = files.map(([name]) => `@${name}`).join(" ")
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  const before = process.cpuUsage()
  const injection = await plan(folder, text)
  const { user, system } = process.cpuUsage(before)
  clearInterval(timer)
  assert.ok(injection.bytes <= limits.maxBytes)
  assert.equal(injection.files.length + injection.skipped.length, 20)
  assert.ok(turns > 5, `${turns} turns of the event loop`)
  assert.ok(user + system < 2_000_000, `${(user + system) / 1000} ms of CPU time`)
})
