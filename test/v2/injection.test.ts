import { describe, test } from "node:test"
import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { markerSentence } from "../../src/handoff/draft.ts"
import { LOG_FILE } from "../../src/hosts/v2/log.ts"
import { inHost, RELEASES, SLOW, until } from "../hosts/v2/asking.ts"
import type { ContractHost } from "../hosts/v2/host.ts"

// The files of a sent draft in the first request: as V2's own attachments would be there, and what is not, named.

const draft = (references: string, rest = "go on") =>
  `${markerSentence("ses_source")}\n\n${references}\n\n${rest}\n`

function write(host: ContractHost, name: string, content: string | Uint8Array): string {
  const path = join(host.directory, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
  return path
}

const lines = (count: number, line = (at: number) => `line ${at}`) =>
  `${Array.from({ length: count }, (_, at) => line(at + 1)).join("\n")}\n`

/** What V2 attaches, it attaches whole and unchanged; these lie within the budget of one file. */
const sameAsHost: readonly (readonly [name: string, path: string, content: string | Uint8Array])[] = [
  ["empty", "empty.ts", ""],
  ["one line without newline", "one.ts", "const a = 1"],
  ["CRLF", "crlf.ts", "a\r\nb\r\n\r\nc\r\n"],
  ["lone CR", "cr.ts", "a\rb\rc"],
  ["BOM", "bom.ts", "\ufeffa\nb\n"],
  ["3,000 lines", "long.ts", lines(3000)],
  ["over 50 KB", "wide.ts", lines(900, (at) => `${at} `.padEnd(120, "x"))],
  ["100 KB in one line", "huge.txt", "y".repeat(100 * 1024)],
  ["CJK and emoji", "東京/説明🚀.md", "日本語のテキスト\n👩‍💻 und ß\n"],
  ["an emoji behind 1,999 characters", "cut.txt", `${"z".repeat(1999)}🚀 rest\n`],
  ["a space in its name", "src/a b.ts", "export {}\n"],
  ["brackets in its name", "app/(group)/[id]/page.tsx", "export default 1\n"],
  ["signs of a URL in its name", "odd/100%#1?.ts", "odd\n"],
  ["a dot folder", ".github/workflows/ci.yml", "on: push\n"],
  [".env.example", ".env.example", "KEY=\n"],
  ["tabs and trailing spaces", "tabs.txt", "\ta\t \n  b  \n"],
]

for (const release of RELEASES)
  describe(`the first request on ${release}`, () => {
    test("has each file as the host's own attachment, stored alike", SLOW, () =>
      inHost({ release }, async (host) => {
        await host.load()
        for (const [name, path, content] of sameAsHost) {
          const absolute = write(host, path, content)
          const text = draft(`@"${path}"`)
          const own = {
            uri: new URL(`file://${encodeURI(absolute).replaceAll(/[#?]/g, encodeURIComponent)}`).href,
          }
          const attached = await host.prompt(host.store.put({}).id, {
            text: "look",
            files: [{ ...own, name: path }],
          })
          const injected = await host.prompt(host.store.put({}).id, { text })
          assert.deepEqual(injected["files"], attached["files"], name)
          const [asAttached, asInjected] = host.requests.slice(-2)
          assert.equal(asInjected, `${text}${asAttached?.slice("look".length)}`, name)
        }
      }),
    )

    test("has lines of a file, and three files in the order of the draft", SLOW, () =>
      inHost({ release }, async (host) => {
        for (const name of ["a.ts", "b.ts", "c.ts"])
          write(
            host,
            name,
            lines(50, (at) => `${name} ${at}`),
          )
        await host.load()
        await host.prompt(host.store.put({}).id, { text: draft("@c.ts#10-12 @a.ts#1-1 @b.ts#49-50") })
        assert.match(
          host.requests[0] ?? "",
          /\nAttached file: c\.ts#10-12\n\nc\.ts 10\nc\.ts 11\nc\.ts 12\n\nAttached file: a\.ts#1-1\n\na\.ts 1\n\nAttached file: b\.ts#49-50\n\nb\.ts 49\nb\.ts 50$/,
        )
      }),
    )

    test("says of every other one why it is not there", SLOW, () =>
      inHost({ release }, async (host) => {
        write(host, "src/folder/x.ts", "1")
        write(host, "logo.zip", "abc")
        write(host, "logo.png", Buffer.from("89504e470d0a1a0a00", "hex"))
        write(host, "blob.txt", Buffer.from([1, 0, 2]))
        write(host, "wide16.txt", Buffer.from("\ufeffhello", "utf16le"))
        write(host, "sheet.xlsx", Buffer.alloc(12 * 1024 * 1024))
        write(host, ".env", "KEY=secret")
        write(host, "good.ts", "good\n")
        execFileSync("mkfifo", [join(host.directory, "pipe")])
        symlinkSync("/etc/hostname", join(host.directory, "link.txt"))
        symlinkSync(".env", join(host.directory, "config.txt"))
        await host.load()
        const reasons: readonly (readonly [string, RegExp])[] = [
          ["@src/gone.ts", /^src\/gone\.ts \(missing\)$/],
          ["@src/folder/", /^src\/folder\/? \(directory\)$/],
          ["@logo.zip", /^logo\.zip \(binary, 3 bytes\)$/],
          ["@logo.png", /^logo\.png \(binary/],
          ["@blob.txt", /^blob\.txt \(binary/],
          ["@wide16.txt", /^wide16\.txt \(binary/],
          ["@sheet.xlsx", /^sheet\.xlsx \(binary, 12 MB\)$/],
          ["@pipe", /^pipe \(not a regular file\)$/],
          ["@link.txt", /^link\.txt \(outside the project\)$/],
          [`@${relative(host.directory, "/etc/hostname")}`, /hostname \(outside the project\)$/],
          ["@/etc/hostname", /^\/etc\/hostname \(outside the project\)$/],
          ["@.env", /^\.env \(refused by the host's read rules\)$/],
          ["@config.txt", /^config\.txt \(refused by the host's read rules\)$/],
        ]
        for (const [reference, reason] of reasons) {
          const message = await host.prompt(host.store.put({}).id, { text: draft(`@good.ts ${reference}`) })
          const files = message["files"]
          assert.ok(Array.isArray(files) && files.length === 2, reference)
          const request = host.requests.at(-1) ?? ""
          const [, note = ""] = /Not included: ([^\n]*)$/.exec(request) ?? []
          assert.match(note, reason, request)
          assert.match(request, /Attached file: good\.ts\n\ngood\n/)
          assert.equal(request.includes("secret"), false)
        }
      }),
    )

    test("takes e-mail addresses, decorators, packages and code for text", SLOW, () =>
      inHost({ release }, async (host) => {
        write(host, "src/a.ts", "a\n")
        await host.load()
        const rest = [
          "Mail me@example.com or ops+x@mail.example.org about @decorator and @here?",
          "Use @scope/package and `@src/a.ts` in code.",
          '```ts\nimport x from "@src/a.ts"\n```',
          "(see @src/a.ts), **@src/a.ts**! 请看@src/a.ts。",
        ].join("\n")
        await host.prompt(host.store.put({}).id, { text: draft("", rest) })
        assert.deepEqual(host.requests[0]?.match(/Attached file: .*|Not included.*/g), [
          "Attached file: src/a.ts",
        ])
      }),
    )

    test("leaves all that the user chose as it was", SLOW, () =>
      inHost({ release }, async (host) => {
        write(host, "a.ts", "1\n")
        const instance = await host.load()
        const { id } = host.store.put({})
        const chosen = { agents: [{ name: "plan" }], skills: ["x"], later: { kept: true } }
        const event = {
          sessionID: id,
          messageID: "msg_x",
          prompt: { text: draft("@a.ts"), ...chosen },
          delivery: "queue",
          metadata: { own: 1 },
        }
        await instance.registry.hooks[0]?.(event)
        const { files: _, ...rest } = Object.fromEntries(Object.entries(event.prompt))
        assert.deepEqual(rest, { text: draft("@a.ts"), ...chosen })
        assert.equal(event.delivery, "queue")
        assert.equal(event.metadata.own, 1)
      }),
    )

    test("comes once: not after a start anew, nor with the same message sent again", SLOW, () =>
      inHost({ release }, async (host) => {
        write(host, "once.ts", "1\n")
        const first = await host.load()
        const { id } = host.store.put({})
        const body = { text: draft("@once.ts"), id: "msg_retried" }
        await host.prompt(id, body)
        await host.prompt(id, body)
        await first.cleanup()
        await host.load()
        await host.prompt(id, { text: draft("@once.ts") })
        const stored = host.store.messages.get(id) ?? []
        assert.equal(JSON.stringify(stored).match(/"name":"once\.ts"/g)?.length, 1)
      }),
    )

    test("an edited prompt after a revert has the files of the edited one, once", SLOW, () =>
      inHost({ release }, async (host) => {
        for (const name of ["once.ts", "second.ts"]) write(host, name, `${name}\n`)
        await host.load()
        const { id } = host.store.put({})
        const sent = await host.prompt(id, { text: draft("@once.ts") })
        host.store.put({ ...host.store.session(id), revert: { messageID: sent.id } })
        await host.prompt(id, { text: draft("@once.ts @second.ts") })
        assert.equal(host.store.messages.get(id)?.length, 1)
        assert.deepEqual(host.requests.at(-1)?.match(/Attached file: .*/g), [
          "Attached file: once.ts",
          "Attached file: second.ts",
        ])
      }),
    )

    test("is told in the log by counts, without contents", SLOW, () =>
      inHost({ release }, async (host) => {
        write(host, "logged.ts", "very private line\n")
        await host.load()
        const { id } = host.store.put({})
        await host.prompt(id, { text: draft("@logged.ts @gone.ts") })
        const file = join(host.dataDir, "log", LOG_FILE)
        const log = () => (existsSync(file) ? readFileSync(file, "utf8") : "")
        await until("it is in the log", () => log().includes("handoff files injected"))
        const line = log()
          .split("\n")
          .find((one) => one.includes("handoff files injected"))
        assert.partialDeepStrictEqual(JSON.parse(line ?? "null"), {
          service: "baton",
          sessionID: id,
          sourceSessionID: "ses_source",
          files: 1,
          bytes: 18,
          skipped: 1,
        })
        assert.equal(log().includes("very private line"), false)
      }),
    )

    test("of 20 files of 2 MB it has the budget, in bounded memory and time", SLOW, () =>
      inHost({ release }, async (host) => {
        const names = Array.from({ length: 20 }, (_, at) => `big/${at}.txt`)
        for (const name of names)
          write(
            host,
            name,
            lines(40_000, (at) => `${at} `.padEnd(52, "b")),
          )
        await host.load()
        const text = draft(names.map((name) => `@${name}`).join(" "))
        await host.prompt(host.store.put({}).id, { text: draft("@big/0.txt") })
        const before = process.memoryUsage().rss
        const cpu = process.cpuUsage()
        await host.prompt(host.store.put({}).id, { text })
        const { user, system } = process.cpuUsage(cpu)
        const request = host.requests.at(-1) ?? ""
        assert.ok(Buffer.byteLength(request) - Buffer.byteLength(text) <= 512 * 1024 + 4_000)
        assert.match(request, /Not included: .*over the budget/)
        assert.ok(user + system < 2_000_000, `${(user + system) / 1000} ms`)
        assert.ok(process.memoryUsage().rss - before < 64 * 1024 * 1024)
      }),
    )
  })
