import { after, before, describe, test } from "node:test"
import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { BUILT_PLUGIN } from "../hosts/host-config.ts"
import { readRecord } from "../../src/handoff/record.ts"
import { lastUserTexts } from "../hosts/request.ts"
import { serve, type Serve } from "../hosts/serve.ts"
import { waitUntil } from "../hosts/wait.ts"
import { inWorld, makeWorld, type World } from "../hosts/world.ts"
import { draftText, requestFor } from "./scripts.ts"

// A sent draft on the real host: its files are in the first request, as the host itself would put them there.

const source = "ses_0000000000000000000000source"
const headerStart = "Called the Read tool with the following input: "

let world: World
let host: Serve

before(async () => {
  world = await makeWorld()
  host = await serve(world)
})
after(() => world.stop())

/** Sends a draft in a fresh session; what the model got after the user's text. */
async function injected(draft: string, extra: Record<string, unknown> = {}): Promise<readonly string[]> {
  const session = await host.createSession()
  await host.prompt(session.id, draft, extra)
  const [first, ...rest] = lastUserTexts(world.model.lastRequest())
  assert.equal(first, draft, "the user's text comes first, as it is")
  return rest
}

/** What the host makes of the same file when a client attaches it. */
async function attached(path: string, query = ""): Promise<readonly string[]> {
  const session = await host.createSession()
  const url = `file://${encodeURI(path)}${query}`
  await host.prompt(session.id, [
    { type: "text", text: "look" },
    { type: "file", mime: "text/plain", filename: path, url },
  ])
  return lastUserTexts(world.model.lastRequest()).slice(1)
}

function lines(count: number, line = (number: number) => `line ${number}`): string {
  return Array.from({ length: count }, (_, index) => line(index + 1)).join("\n") + "\n"
}

const cap = 64 * 1024 * 1024
const sameAsHost: [name: string, path: string, content: string | Uint8Array][] = [
  ["empty", "empty.ts", ""],
  ["one line without newline", "one.ts", "const a = 1"],
  ["CRLF", "crlf.ts", "a\r\nb\r\n\r\nc\r\n"],
  ["lone CR", "cr.ts", "a\rb\rc"],
  ["BOM", "bom.ts", "\ufeffa\nb\n"],
  ["3,000 lines", "long.ts", lines(3000)],
  ["exactly 2,000 lines", "limit.ts", lines(2000)],
  ["over 50 KB", "wide.ts", lines(900, (number) => `${number} `.padEnd(120, "x"))],
  ["10 MB in one line", "huge.txt", "y".repeat(10 * 1024 * 1024)],
  ["CJK and emoji", "東京/説明🚀.md", "日本語のテキスト\n👩‍💻 und ß\n"],
  ["an emoji at the cut of a long line", "cut.txt", `${"z".repeat(1999)}🚀 rest\n`],
  ["a space in its name", "src/a b.ts", "export {}\n"],
  ["brackets in its name", "app/(group)/[id]/page.tsx", "export default 1\n"],
  ["a dot folder", ".github/workflows/ci.yml", "on: push\n"],
  [".env.example", ".env.example", "KEY=\n"],
  ["invalid UTF-8", "latin1.txt", Buffer.from([0x63, 0x61, 0x66, 0xe9, 0x0a])],
  ["tabs and trailing spaces", "tabs.txt", "\ta\t \n  b  \n"],
]

describe("a file is injected byte for byte as the host's own attachment", () => {
  for (const [name, path, content] of sameAsHost)
    test(name, async () => {
      const absolute = world.project.write(path, content)
      assert.deepEqual(await injected(draftText(source, `@"${path}"`)), await attached(absolute))
    })

  test("with a line range", async () => {
    const absolute = world.project.write("range.ts", lines(50))
    assert.deepEqual(
      await injected(draftText(source, "@range.ts#10-20")),
      await attached(absolute, "?start=10&end=20"),
    )
  })

  test("three files in the order of the draft", async () => {
    const paths = ["c.ts", "a.ts", "b.ts"].map((name) => world.project.write(name, `// ${name}\n`))
    const expected: string[] = []
    for (const path of paths) expected.push(...(await attached(path)))
    assert.deepEqual(await injected(draftText(source, "@c.ts @a.ts @b.ts")), expected)
  })

  test("and stored with the chip a host attachment has", async () => {
    world.project.write("chip.ts", "1\n")
    const session = await host.createSession()
    await host.prompt(session.id, draftText(source, "@chip.ts"))
    const parts = (await host.messages(session.id))[0]?.parts ?? []
    assert.deepEqual(
      parts.map((part) => [part.type, part.synthetic ?? false]),
      [
        ["text", false],
        ["text", true],
        ["text", true],
        ["file", false],
      ],
    )
    assert.equal(parts[3]?.mime, "text/plain")
    assert.equal(parts[3]?.filename, "chip.ts")
    assert.equal(parts[3]?.url, `file://${join(world.project.directory, "chip.ts")}`)
  })
})

describe("what is not injected is named with its reason", () => {
  const reasons: [name: string, reference: string, reason: RegExp, prepare?: () => void][] = [
    ["missing", "@src/gone.ts", /src\/gone\.ts \(missing\)/],
    [
      "a directory",
      "@src/folder/",
      /src\/folder\/? \(directory\)/,
      () => world.project.write("src/folder/x.ts", "1"),
    ],
    [
      "binary by extension",
      "@logo.zip",
      /logo\.zip \(binary, 3 bytes\)/,
      () => world.project.write("logo.zip", "abc"),
    ],
    [
      "an image",
      "@logo.png",
      /logo\.png \(binary/,
      () => world.project.write("logo.png", Buffer.from("89504e470d0a1a0a00", "hex")),
    ],
    [
      "binary by bytes",
      "@blob.txt",
      /blob\.txt \(binary/,
      () => world.project.write("blob.txt", Buffer.from([1, 0, 2])),
    ],
    [
      "UTF-16",
      "@wide16.txt",
      /wide16\.txt \(binary/,
      () => world.project.write("wide16.txt", Buffer.from("\ufeffhello", "utf16le")),
    ],
    [
      "12 MB of binary",
      "@sheet.xlsx",
      /sheet\.xlsx \(binary, 12 MB\)/,
      () => world.project.write("sheet.xlsx", Buffer.alloc(12 * 1024 * 1024)),
    ],
    [
      "a FIFO",
      "@pipe",
      /pipe \(not a regular file\)/,
      () => execFileSync("mkfifo", [join(world.project.directory, "pipe")]),
    ],
    [
      "a link out of the project",
      "@link.txt",
      /link\.txt \(outside the project\)/,
      () => symlinkSync("/etc/hostname", join(world.project.directory, "link.txt")),
    ],
    ["dots out of the project", "@../../../../../../../../etc/hostname", /hostname \(outside the project\)/],
    ["an absolute path elsewhere", "@/etc/hostname", /\/etc\/hostname \(outside the project\)/],
    [
      ".env",
      "@.env",
      /\.env \(refused by the host's read rules\)/,
      () => world.project.write(".env", "KEY=secret"),
    ],
    [
      "a link to .env",
      "@config.txt",
      /config\.txt \(refused by the host's read rules\)/,
      () => {
        world.project.write(".env", "KEY=secret")
        symlinkSync(".env", join(world.project.directory, "config.txt"))
      },
    ],
  ]
  for (const [name, reference, reason, prepare] of reasons)
    test(name, async () => {
      prepare?.()
      world.project.write("good.ts", "good\n")
      const texts = await injected(draftText(source, `@good.ts ${reference}`))
      assert.equal(texts.length, 3, "the good file is in, and one note")
      assert.match(texts[2] ?? "", /^Not included: [^\n]+$/)
      assert.match(texts[2] ?? "", reason)
      assert.equal(texts.join("").includes("secret"), false)
    })
})

describe("what the session or the prompt may not read is named as refused", () => {
  const readRule = (pattern: string) => ({ permission: "read", pattern, action: "deny" })
  const cases: [
    name: string,
    session: Record<string, unknown>,
    prompt: Record<string, unknown>,
    allowed: number,
  ][] = [
    ["a session that denies reading", { permission: [readRule("*")] }, {}, 0],
    ["a session that denies one file", { permission: [readRule("*shut.ts")] }, {}, 1],
    ["a prompt with read switched off", {}, { tools: { read: false } }, 0],
  ]
  for (const [name, fields, extra, allowed] of cases)
    test(name, async () => {
      world.project.write("open.ts", "open content\n")
      world.project.write("shut.ts", "shut content\n")
      const session = await host.createSession(fields)
      await host.prompt(session.id, draftText(source, "@open.ts @shut.ts"), extra)
      const sent = lastUserTexts(world.model.lastRequest()).join("\n")
      assert.match(sent, /Not included: [^\n]*shut\.ts \(refused by the host's read rules\)/)
      assert.equal(sent.includes("shut content"), false)
      assert.equal(sent.includes("open content"), allowed === 1)
      assert.equal(/open\.ts \(refused/.test(sent), allowed === 0)
    })
})

test("e-mail addresses, decorators, packages and code are no references, and make no note", async () => {
  world.project.write("src/a.ts", "a\n")
  const prompt = [
    "Mail me@example.com or ops+x@mail.example.org about @decorator and @here?",
    "Use @scope/package and `@src/a.ts` in code.",
    '```ts\nimport x from "@src/a.ts"\n```',
    "(see @src/a.ts), **@src/a.ts**! 请看@src/a.ts。",
  ].join("\n")
  const texts = await injected(draftText(source, "", prompt))
  assert.deepEqual(texts.length, 2, texts.join("\n---\n"))
  assert.equal(
    texts[0],
    headerStart + JSON.stringify({ filePath: join(world.project.directory, "src/a.ts") }),
  )
})

describe("once", () => {
  const headers = (texts: readonly string[]) => texts.filter((text) => text.startsWith(headerStart)).length
  const inRequest = () =>
    world.model.lastRequest().body.messages.reduce((count, message) => {
      const content = Array.isArray(message.content) ? message.content : []
      return (
        count + content.filter((part) => "text" in part && String(part.text).startsWith(headerStart)).length
      )
    }, 0)

  test("a later message with the marker is only text", async () => {
    world.project.write("once.ts", "1\n")
    const session = await host.createSession()
    await host.prompt(session.id, draftText(source, "@once.ts"))
    await host.prompt(session.id, draftText(source, "@once.ts"))
    assert.equal(headers(lastUserTexts(world.model.lastRequest())), 0)
    assert.equal(inRequest(), 1)
  })

  test("after a restart of the host", async () => {
    const session = await host.createSession()
    await host.prompt(session.id, draftText(source, "@once.ts"))
    await host.restart()
    await host.prompt(session.id, draftText(source, "@once.ts"))
    assert.equal(inRequest(), 1)
  })

  test("the same message sent again by a client that retries", async () => {
    const session = await host.createSession()
    const messageID = "msg_0000000000010000000000retry"
    await host.prompt(session.id, draftText(source, "@once.ts"), { messageID })
    await host.prompt(session.id, draftText(source, "@once.ts"), { messageID })
    assert.equal(inRequest(), 1)
  })

  test("an edited resend after a revert: the files once, the edit respected", async () => {
    world.project.write("second.ts", "2\n")
    const session = await host.createSession()
    await host.prompt(session.id, draftText(source, "@once.ts"))
    const sent = (await host.messages(session.id))[0]
    await host.post(`/session/${session.id}/revert`, { body: { messageID: sent?.info.id } })
    await host.prompt(session.id, draftText(source, "@once.ts @second.ts"))
    assert.equal(headers(lastUserTexts(world.model.lastRequest())), 2)
    assert.equal(inRequest(), 2)
  })

  test("an edited resend with the chips that a client gives back: the host reads those, we the rest", async () => {
    const session = await host.createSession()
    const chip = {
      type: "file",
      mime: "text/plain",
      filename: "once.ts",
      url: `file://${join(world.project.directory, "once.ts")}`,
    }
    const lines = { ...chip, filename: "once.ts#1-1", url: `${chip.url}?start=1&end=1` }
    await host.prompt(session.id, [{ type: "text", text: draftText(source, "@once.ts @second.ts") }, chip])
    assert.equal(inRequest(), 2)
    const other = await host.createSession()
    await host.prompt(other.id, [{ type: "text", text: draftText(source, "@once.ts#1-1 @second.ts") }, lines])
    assert.equal(inRequest(), 2)
  })

  test("with the plugin loaded twice", () =>
    inWorld({ plugins: [BUILT_PLUGIN, ["./copy/index.js", {}]] }, async (double) => {
      execFileSync("cp", [
        "-r",
        join(BUILT_PLUGIN, "..", "dist"),
        BUILT_PLUGIN,
        double.write("config/opencode/copy/package.json", "{}").replace("/package.json", ""),
      ])
      double.project.write("twice.ts", "2\n")
      const server = await serve(double)
      const session = await server.createSession()
      await server.prompt(session.id, draftText(source, "@twice.ts"))
      assert.equal(headers(lastUserTexts(double.model.lastRequest())), 1)
    }))
})

test("model, agent and variant of the message are the user's", async () => {
  const session = await host.createSession()
  const choice = { agent: "plan", model: { providerID: "fake", modelID: "scripted" }, variant: "high" }
  world.project.write("m.ts", "1\n")
  await host.prompt(session.id, draftText(source, "@m.ts"), choice)
  await host.prompt(session.id, "without the files", choice)
  const [withFiles, without] = (await host.messages(session.id)).filter(
    (message) => message.info.role === "user",
  )
  const chosen = (info: Record<string, unknown> | undefined) => [
    info?.["agent"],
    info?.["model"],
    info?.["variant"],
  ]
  assert.deepEqual(chosen(withFiles?.info), chosen(without?.info))
  assert.equal(withFiles?.info.agent, "plan")
})

test("the new session records where it came from; the log has counts and no contents", async () => {
  world.project.write("logged.ts", "very private line\n")
  const session = await host.createSession({ metadata: { other: 1 } })
  await host.prompt(session.id, draftText(source, "@logged.ts @gone.ts"))
  const metadata = (await host.session(session.id)).metadata
  assert.equal(readRecord(metadata)?.source, source)
  assert.equal(metadata?.["other"], 1)
  const line = await waitUntil(
    () =>
      world
        .log()
        .split("\n")
        .find((line) => line.includes("handoff files injected") && line.includes(session.id)),
    () => `no line of ${session.id} in the log:\n${world.log().slice(-2000)}`,
  )
  assert.match(line, /files=1/)
  assert.match(line, /skipped=1/)
  assert.equal(world.log().includes("very private line"), false)
})

test("`numbered` is the classic form", () =>
  inWorld({ plugins: [[BUILT_PLUGIN, { readFormat: "numbered" }]] }, async (classic) => {
    classic.project.write("n.ts", 'import { foo } from "./bar"\n')
    const server = await serve(classic)
    const session = await server.createSession()
    await server.prompt(session.id, draftText(source, "@n.ts"))
    const body = lastUserTexts(requestFor(classic.model, "Continuing work"))[2]
    assert.equal(
      body,
      '<file>\n00001| import { foo } from "./bar"\n00002| \n\n(End of file - total 2 lines)\n</file>',
    )
  }))

test("20 files of 2 MB: the budget holds, in under a second of ours, in bounded memory", async () => {
  const names = Array.from({ length: 20 }, (_, index) => `big/${index}.txt`)
  for (const name of names)
    world.project.write(
      name,
      lines(40_000, (number) => `${number} `.padEnd(52, "b")),
    )
  // The host's own first turn takes memory that is not ours.
  await injected(draftText(source, "@README.md"))
  const before = residentBytes(host.pid)
  const texts = await injected(draftText(source, names.map((name) => `@${name}`).join(" ")))
  const grown = residentBytes(host.pid) - before
  const bytes = texts
    .filter((text) => !text.startsWith(headerStart))
    .reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  assert.ok(bytes <= 512 * 1024 + 2000, `${bytes} bytes`)
  assert.match(texts.at(-1) ?? "", /Not included: .*over the budget/)
  const draft = draftText(source, names.map((name) => `@${name}`).join(" "))
  await injected(draft)
  await injected(draft)
  const tookMs = await waitUntil(
    () => {
      const found = [...world.log().matchAll(/handoff files injected.* ms=(\d+)/g)].slice(-3)
      return found.length === 3 ? found.map((match) => Number(match[1])) : undefined
    },
    () => "three injections are not in the log",
  )
  // The best of three: what else the machine does is not ours.
  assert.ok(Math.min(...tookMs) < 1000, `took ${tookMs.join(", ")} ms`)
  assert.ok(grown < cap, `the host grew by ${grown} bytes`)
})

function residentBytes(pid: number): number {
  return Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })) * 1024
}
