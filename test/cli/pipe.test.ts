import { after, before, describe, test } from "node:test"
import assert from "node:assert/strict"
import { execFileSync, spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import * as z from "zod"
import { createLayout, LAYOUT_VERSION } from "../../src/history/file/schema.ts"
import { openDatabase, sqliteDriver } from "../../src/storage/sqlite.ts"
import { aMessage, aSession, store } from "../history/make.ts"
import { aPlace, aStockedPlace, ENTRY, indexAt, type Place } from "./run.ts"

// Every command in a pipe: what it prints, where, and how it ends.

let place: Place
before(async () => {
  place = await aStockedPlace()
})
after(() => place.remove())

const timeout = { timeout: 60_000 }

type Row = {
  readonly args: string
  readonly code: number
  readonly stdout?: RegExp
  readonly stderr?: RegExp
}

const ROWS: readonly Row[] = [
  {
    args: "search token",
    code: 0,
    stdout: /^3 sessions hold token · this project · newest first · best match: /,
  },
  { args: "search token -refresh", code: 0, stdout: /^2 sessions hold token · without refresh/ },
  { args: "search token --project all", code: 0, stdout: /ses_other/ },
  {
    args: "search nothinglikeit",
    code: 1,
    stdout: /^No session holds nothinglikeit.*\n {2}nothinglikeit: in no session\n/,
  },
  { args: "search toknen", code: 1, stdout: /did you mean token\?/ },
  { args: "search --sessions", code: 0, stdout: /\+1 match in subagent sessions: --include subagents/ },
  {
    args: "search --projects --project all",
    code: 0,
    stdout: /^2 projects · all projects · most sessions first/,
  },
  {
    args: "search --projects toknen",
    code: 1,
    stdout: /^No project · toknen · this project\n {2}toknen: in no session; did you mean token\?/,
  },
  { args: "search --edits path:src/", code: 0, stdout: /^3 edits/ },
  { args: "search login --date 2026-02", code: 1 },
  { args: "search", code: 2, stderr: /no word to find; write one, or use --sessions/ },
  { args: 'search "open', code: 2, stderr: /quote .* is not closed/ },
  { args: "search x --date 2026-02-30", code: 2, stderr: /no such day/ },
  { args: "search x --limit -5 -y", code: 2, stderr: /--limit is "-5"; write a whole number from 1 on/ },
  { args: "search x --limit 0", code: 2, stderr: /--limit is "?0"?; write a whole number from 1 on/ },
  { args: "search x --include all", code: 2, stderr: /--include.*"all"/ },
  {
    args: "search x --limt 3",
    code: 2,
    stderr: /unknown option '--limt' \(Did you mean --limit\?\); see baton search --help/,
  },
  {
    args: "search x --project nowhere",
    code: 2,
    stderr: /project:"nowhere" is in no indexed session; `baton search --projects/,
  },
  {
    args: "search x --project C:\\work\\",
    code: 2,
    stderr: /project:"C:.work.": no indexed session in C:.work or below/,
  },
  {
    args: "serch x",
    code: 2,
    stderr: /there is no command "serch", did you mean search\?; see baton --help/,
  },
  {
    args: "read ses_login",
    code: 0,
    stdout: /^# Fix the login\n[^]*## User · 2026-03-01 12:00 · msg_l1\n[^]*6 of 6 messages\n$/,
  },
  {
    args: "read ses_login msg_l4 --before 1 --after 0 --tools",
    code: 0,
    stdout: /msg_l3[^]*msg_l4[^]*oldString: const token = 1[^]*2 of 6/,
  },
  {
    args: "read ses_login --from end --limit 1",
    code: 0,
    stdout: /msg_l6[^]*Before this: baton read ses_login --from end --cursor msg_l6\n/,
  },
  { args: "read ses_login --cursor msg_l5", code: 0, stdout: /msg_l6[^]*1 of 6/ },
  { args: "read ses_login --all --role user", code: 0, stdout: /msg_l1[^]*msg_l3/ },
  { args: "--project all search x", code: 2, stderr: /unknown option '--project'; see baton --help/ },
  {
    args: "forgt search",
    code: 2,
    stderr: /there is no command "forgt", did you mean forget\?; see baton --help/,
  },
  { args: "read ses_nope", code: 1, stderr: /the index has no session "ses_nope"; find ids/ },
  { args: "read ses_login msg_nope", code: 1, stderr: /has no message "msg_nope"/ },
  { args: "read ses_login msg_l1 --limit 3", code: 2, stderr: /use --before and --after/ },
  {
    args: "edits src/auth.ts --diff",
    code: 0,
    stdout: /^3 edits[^]*-const token = 3600\n {4}\+const token = 7200/,
  },
  { args: "edits src/login/auth.ts", code: 0, stdout: /^3 edits/ },
  { args: "edits src\\", code: 0, stdout: /^3 edits · path src\/ / },
  { args: "edits src/none.ts", code: 1, stdout: /^No edit/ },
  {
    args: "lineage ses_sub",
    code: 0,
    stdout:
      /^Fix the login.*\nses_login\n├─ handoff: Go on.*\n│ {2}ses_next\n│ {2}└─ subagent: .*\n│ {5}ses_sub {2}<- this one\n└─ fork: /,
  },
  { args: "lineage", code: 0, stdout: /^1 chain · this project/ },
  { args: "lineage ses_nope", code: 1, stderr: /no session "ses_nope"/ },
  { args: "export ses_wide", code: 0, stdout: /^# 日本語のタイトル/ },
  {
    args: "export ses_login --format html --tools",
    code: 0,
    stdout: /^<!doctype html>[^]*<pre class="tool">edit\n[^]*<\/html>\n$/,
  },
  {
    args: "export ses_login",
    code: 0,
    stdout: /\n_\(2 tool texts left out: --tools; 1 reasoning text left out: --reasoning\)_\n/,
  },
  {
    args: "export ses_login --format html",
    code: 0,
    stdout: /<p class="note">2 tool texts left out; 1 reasoning text left out<\/p>/,
  },
  {
    args: "export ses_login --reasoning",
    code: 0,
    stdout: /\n> the file has to move\n\n_\(2 tool texts left out: --tools\)_\n/,
  },
  { args: "export ses_nope", code: 1, stderr: /no session/ },
  {
    args: "status",
    code: 0,
    stdout: /sessions {4}7\n {2}indexed {3}7\n {2}pending {3}0\n {2}failed {4}0\n {2}excluded {2}0\n/,
  },
  {
    args: "doctor --opencode /nowhere/opencode",
    code: 1,
    stdout: /does not run[^]*run `baton install`[^]*ok {7}index: a test query/,
  },
  { args: "forget ses_login", code: 2, stderr: /there is no terminal to answer in; add --yes/ },
  { args: "forget", code: 2, stderr: /write one of/ },
  { args: "forget --before yesterday", code: 2, stderr: /this asks first/ },
  { args: "forget --before someday", code: 2, stderr: /is no day/ },
  {
    args: "install --dry-run",
    code: 0,
    stdout: /opencode\.json \(new file\)\n[^]*tui\.json \(new file\)[^]*Nothing was written/,
  },
  { args: "install", code: 2, stderr: /add --yes/ },
  { args: "install --v1 --v2", code: 2, stderr: /exclude each other/ },
  { args: "uninstall", code: 0, stdout: /no config file names the plugin/ },
  { args: "completion bash", code: 0, stdout: /complete -F _baton baton/ },
  {
    args: "completion csh",
    code: 2,
    stderr: /Allowed choices are bash, zsh, fish; see baton completion --help/,
  },
  { args: "--version", code: 0, stdout: /^\d+\.\d+\.\d+\n$/ },
  { args: "--help", code: 0, stdout: /Commands:\n {2}search/ },
  { args: "search --help", code: 0, stdout: /Examples:\n {2}baton search token refresh/ },
  { args: "", code: 2, stderr: /needs a terminal|without a terminal/ },
]

describe("in a pipe", () => {
  for (const { args, code, stdout, stderr } of ROWS)
    test(`baton ${args}`, timeout, async () => {
      const ran = await place.run(args.split(" ").filter((arg) => arg !== ""))
      assert.equal(ran.code, code, ran.stdout + ran.stderr)
      if (stdout !== undefined) assert.match(ran.stdout, stdout)
      if (stderr !== undefined) assert.match(ran.stderr, stderr)
      else assert.equal(ran.stderr, "")
      // No colour, no cursor, no escape sequence of an old message.
      // oxlint-disable-next-line no-control-regex -- they are what is looked for
      assert.doesNotMatch(ran.stdout, /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/)
      if (args !== "" && code !== 0) assert.doesNotMatch(ran.stderr, /\n./)
    })

  test("a session is forgotten with its subagents' sessions", timeout, async () => {
    const full = await aStockedPlace()
    try {
      const ran = await full.run(["forget", "ses_next", "--yes"])
      assert.match(ran.stdout, /^Forgotten: 2 sessions, /)
      const left = await full.run(["search", "--sessions", "--include", "subagents"])
      assert.doesNotMatch(left.stdout, /ses_next|ses_sub/)
      assert.match(left.stdout, /ses_login/)
    } finally {
      full.remove()
    }
  })

  test("where a fork came from and what OpenCode could not deliver is told", timeout, async () => {
    const some = aPlace()
    try {
      const history = indexAt(some)
      const forked = { directory: some.here, forkedFrom: "ses_origin" }
      await store(history, [
        [aSession("ses_x", forked), [aMessage("m1", "a heron"), aMessage("m1~unreadable", "")]],
      ])
      await history.close()
      assert.match((await some.run(["search", "heron"])).stdout, /forked from ses_origin/)
      for (const args of [
        ["read", "ses_x"],
        ["export", "ses_x", "--format", "html"],
      ]) {
        const { stdout } = await some.run(args)
        assert.match(stdout, /Forked from ses_origin/)
        assert.match(stdout, /m1~unreadable[^]*OpenCode could not deliver what stands here/)
      }
    } finally {
      some.remove()
    }
  })

  test("a folder that holds projects and is none itself searches all of them", timeout, async () => {
    const { stdout } = await place.run(["search", "token"], { cwd: place.root })
    assert.match(stdout, /^4 sessions hold token · all projects/)
  })

  test("what a script leaves empty is no folder and no program", timeout, async () => {
    const forgotten = await place.run(["forget", "", "--yes"])
    assert.match(forgotten.stderr, /^baton: what to forget is empty; write a session id/)
    assert.equal(forgotten.code, 2)
    const share = { BATON_DATA_DIR: "", XDG_DATA_HOME: join(place.root, "share") }
    const status = await place.run(["status"], { env: share })
    assert.match(status.stderr, new RegExp(`there is no index at ${place.root}/share/opencode/`))
    const doctor = await place.run(["doctor"], { env: { BATON_OPENCODE: "", PATH: "" } })
    assert.match(doctor.stdout, /opencode does not run/)
  })

  test("JSON answers are one line, one document, of the documented kinds", timeout, async () => {
    const kinds: Readonly<Record<string, string>> = {
      "search token": "messages",
      "search --sessions": "sessions",
      "search --projects": "projects",
      "search --edits": "edits",
      "read ses_login": "conversation",
      "read ses_login --all": "conversation",
      "edits src/auth.ts --diff": "edits",
      "lineage ses_login": "lineage",
      status: "status",
      "doctor --opencode /nowhere/opencode": "doctor",
    }
    for (const [args, kind] of Object.entries(kinds)) {
      const ran = await place.run([...args.split(" "), "--json"])
      assert.match(ran.stdout, new RegExp(`^\\{"version":1,"kind":"${kind}",.*\\}\\n$`), args)
      JSON.parse(ran.stdout)
      if (kind === "doctor")
        assert.match(ran.stdout, /"level":"ok","about":"SQLite","text":"[^"]+","remedy":null/)
    }
  })

  test("a folder needs no slash to be one", timeout, async () => {
    for (const [project, cwd] of [
      ["other", place.root],
      [".", place.other],
      ["../other/", place.here],
    ] as const) {
      const ran = await place.run(["search", "login", "--project", project], { cwd })
      assert.match(ran.stdout, /^1 session holds login · [^]*ses_other/, project)
    }
    assert.match((await place.run(["search", "login", "--project", ""])).stderr, /project: has no value/)
  })

  test("wrong options are told once, and only where a command goes by them", timeout, async () => {
    const odd = await aStockedPlace()
    mkdirSync(odd.config, { recursive: true })
    writeFileSync(join(odd.config, "opencode.json"), '{ "plugin": [["opencode-baton", { "tols": 1 }]] }')
    const told = /unknown option "tols"/
    assert.match((await odd.run(["search", "token"])).stderr, told)
    assert.equal((await odd.run(["completion", "bash"])).stderr, "")
    const doctor = await odd.run(["doctor"])
    assert.equal(doctor.stderr, "")
    assert.match(doctor.stdout.replaceAll(/\s+/g, " "), told)
    odd.remove()
  })

  test("the doctor names a file in the place of a folder", timeout, async () => {
    const odd = aPlace()
    mkdirSync(odd.config, { recursive: true })
    writeFileSync(join(odd.config, "plugin"), "")
    mkdirSync(odd.data)
    writeFileSync(join(odd.data, "history-search"), "")
    const ran = await odd.run(["doctor"])
    assert.equal(ran.code, 1)
    assert.match(ran.stdout, /error {4}files: .*history-search is no folder/)
    odd.remove()
  })

  test("colours only where they are wanted", timeout, async () => {
    const sgr = (text: string) => text.includes("\u001B[")
    assert.ok(sgr((await place.run(["search", "token", "--color"])).stdout))
    assert.ok(sgr((await place.run(["search", "token"], { env: { FORCE_COLOR: "1" } })).stdout))
    assert.ok(
      !sgr((await place.run(["search", "token", "--color=never"], { env: { FORCE_COLOR: "1" } })).stdout),
    )
    assert.ok(
      !sgr((await place.run(["search", "token"], { env: { FORCE_COLOR: "1", NO_COLOR: "1" } })).stdout),
    )
  })

  test("a reader that goes away ends it quietly", timeout, () => {
    const line = `"${process.execPath}" "${ENTRY}" read ses_wide --all --tools | head -1; echo "\${PIPESTATUS[0]}"`
    const out = execFileSync("bash", ["-c", line], { cwd: place.here, env: place.env, encoding: "utf8" })
    assert.match(out, /^# 日本語.*\n0\n$/)
  })

  for (const args of ["search token", "search token --json", "read ses_login --all", "status", "--help"])
    test(
      `${args}: a full disk is one line and exit code 2`,
      { ...timeout, skip: !existsSync("/dev/full") },
      () => {
        const line = `"${process.execPath}" "${ENTRY}" ${args} > /dev/full`
        const ran = spawnSync("bash", ["-c", line], { cwd: place.here, env: place.env, encoding: "utf8" })
        assert.equal(ran.status, 2)
        assert.match(ran.stderr, /^baton: standard output cannot be written: ENOSPC.*\n$/)
      },
    )

  test("an output that takes only a part is no success", timeout, () => {
    const line = `trap '' XFSZ; ulimit -f 1; "${process.execPath}" "${ENTRY}" completion bash > "${place.root}/part"`
    const ran = spawnSync("bash", ["-c", line], { cwd: place.here, env: place.env, encoding: "utf8" })
    assert.equal(ran.status, 2)
    assert.match(ran.stderr, /^baton: standard output cannot be written: EFBIG.*\n$/)
  })

  test("an exported file is whole, private, and never overwrites", timeout, async () => {
    const file = join(place.root, "session.json")
    const first = await place.run(["export", "ses_login", "--output", file])
    assert.equal(first.code, 0, first.stderr)
    const exported = z.looseObject({ messages: z.array(z.unknown()) })
    assert.equal(exported.parse(JSON.parse(readFileSync(file, "utf8"))).messages.length, 6)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    const again = await place.run(["export", "ses_login", "--output", file])
    assert.equal(again.code, 2)
    assert.match(again.stderr, /exists; choose another file, or add --force/)
    assert.equal((await place.run(["export", "ses_login", "--output", file, "--force"])).code, 0)
    const nowhere = await place.run([
      "export",
      "ses_login",
      "--output",
      join(place.root, "no", "such", "x.md"),
    ])
    assert.match(nowhere.stderr, /cannot be written/)
  })

  test("a file that does not fit is told in one line, and nothing of it stays", timeout, async () => {
    const full = aPlace()
    const history = indexAt(full)
    await store(history, [[aSession("ses_big"), [aMessage("msg_b1", "word ".repeat(40_000))]]])
    await history.close()
    // No file of this process may grow beyond 100 KiB.
    const limited = ["-c", 'ulimit -f 200; exec "$@"', "sh"]
    const ran = spawnSync("sh", [...limited, ...full.command(["export", "ses_big", "--output", "big.md"])], {
      cwd: full.other,
      env: full.env,
      encoding: "utf8",
    })
    assert.match(ran.stderr, /^baton: .*big\.md cannot be written: .*; choose another folder\n$/)
    assert.equal(ran.status, 2)
    assert.deepEqual(readdirSync(full.other), [])
    full.remove()
  })

  test("in a folder that is gone it says so and ends with 2, for 1 means nothing found", timeout, () => {
    const gone = join(place.root, "gone")
    mkdirSync(gone)
    const line = ["-c", 'rmdir "$PWD"; exec "$@"', "sh", ...place.command(["status"])]
    const ran = spawnSync("sh", line, { cwd: gone, env: place.env, encoding: "utf8" })
    assert.match(ran.stderr, /^baton: ENOENT.*\n$/)
    assert.equal(ran.status, 2)
  })

  test("a message cannot break out of a page", timeout, async () => {
    const history = indexAt(place)
    const evil = `</p><script>alert(1)</script> <img src=x onerror="alert(1)">\n## User · 2026\n\`\`\`\n</code></pre><b>`
    await history.applyChanges({
      fetchedAt: Date.now(),
      sessions: [
        {
          session: {
            id: "ses_evil",
            title: "<title>\u001B[2J",
            projectID: "prj_here",
            directory: `${place.here}/a\n## User · \u001B[2J`,
            created: 1,
            updated: 2,
            metadata: { "opencode-baton": { source: "ses_x\n## User", at: 1 } },
          },
          messages: [
            {
              id: "msg_evil",
              sessionID: "ses_evil",
              role: "user",
              created: 1,
              summary: false,
              malformed: 0,
              parts: [{ type: "text", text: evil, synthetic: false, ignored: false, metadata: {} }],
            },
          ],
        },
      ],
    })
    await history.close()
    const page = (await place.run(["export", "ses_evil", "--format", "html"])).stdout
    assert.doesNotMatch(page, /<script|<img|<b>|<title><title/)
    const text = (await place.run(["read", "ses_evil"])).stdout
    assert.equal(text.match(/^## User/gm)?.length, 1)
    // oxlint-disable-next-line no-control-regex -- it is what is looked for
    assert.doesNotMatch(text + page, /\u001B/)
    assert.equal((await place.run(["forget", "ses_evil", "--yes"])).code, 0)
  })
})

describe("an index that is not as it should be", () => {
  const setUp = () => {
    const bad = aPlace()
    const file = join(bad.data, "history-search", "index-v1.sqlite")
    mkdirSync(dirname(file), { recursive: true })
    return { bad, file }
  }

  const READING = [
    "search x",
    "read ses_x",
    "edits a.ts",
    "lineage",
    "export ses_x",
    "status",
    "forget ses_x --yes",
  ]

  test("missing: whoever reads says so and what to do, and makes none", { timeout: 120_000 }, async () => {
    const bad = aPlace()
    for (const args of READING) {
      const ran = await bad.run(args.split(" "))
      assert.equal(ran.code, 2, args)
      assert.equal(ran.stdout, "")
      assert.match(
        ran.stderr,
        /^baton: there is no index at .*; start OpenCode with the plugin, or run `baton index`\n$/,
      )
    }
    assert.ok(!existsSync(bad.data))
    bad.remove()
  })
  test("older: one line, not thrown away by reading", timeout, async () => {
    const old = await aStockedPlace()
    const file = join(old.data, "history-search", "index-v1.sqlite")
    const header = readFileSync(file)
    header.writeUInt32BE(1, 60)
    writeFileSync(file, header)
    for (const args of [["search", "token"], ["status"]]) {
      const ran = await old.run(args)
      assert.equal(ran.code, 2)
      assert.match(ran.stderr, /^baton: .* older layout \(1, .*; run `baton index`, which builds it anew\n$/)
    }
    assert.deepEqual(readFileSync(file), header)
    old.remove()
  })
  test("newer: one line, untouched", timeout, async () => {
    const { bad, file } = setUp()
    const driver = await sqliteDriver()
    assert.ok(driver)
    const database = openDatabase(driver, file, { busyTimeoutMs: 100 })
    createLayout(database)
    database.exec(`PRAGMA user_version = ${LAYOUT_VERSION + 1}; PRAGMA wal_checkpoint(TRUNCATE)`)
    database.close()
    const before = readFileSync(file)
    const ran = await bad.run(["search", "x"])
    assert.equal(ran.code, 2)
    assert.match(ran.stderr, /^baton: .* newer opencode-baton .*; update opencode-baton\n$/)
    assert.deepEqual(readFileSync(file), before)
    bad.remove()
  })
  test("damaged: reading and the doctor say so and leave it", timeout, async () => {
    const { bad, file } = setUp()
    const noise = "noise ".repeat(5_000)
    writeFileSync(file, noise)
    for (const args of [["search", "x"], ["status"]]) {
      const ran = await bad.run(args)
      assert.equal(ran.code, 2)
      assert.match(ran.stderr, /^baton: .* is damaged; run `baton index`, which sets it aside/)
    }
    const found = await bad.run(["doctor", "--opencode", "/nowhere/opencode"])
    assert.equal(found.code, 1)
    assert.match(found.stdout.replaceAll(/\s+/g, " "), /error index: .* is damaged -> run `baton index`/)
    assert.equal(readFileSync(file, "utf8"), noise)
    bad.remove()
  })
  test("damaged deep inside: an empty answer is no answer", timeout, async () => {
    const bad = await aStockedPlace()
    const file = join(bad.data, "history-search", "index-v1.sqlite")
    const bytes = readFileSync(file)
    bytes.fill(0x78, 16_384)
    writeFileSync(file, bytes)
    const ran = await bad.run(["search", "token"])
    assert.equal(ran.code, 2)
    assert.match(ran.stderr, /^baton: the index was damaged and is now .*\.damaged; run `baton index`/)
    bad.remove()
  })
  // The doctor waits as long for a lock as a write does: 20 s.
  test("locked by a writer: searches go on, doctor names the lock", { timeout: 180_000 }, async () => {
    const locked = await aStockedPlace()
    const driver = await sqliteDriver()
    assert.ok(driver)
    const file = join(locked.data, "history-search", "index-v1.sqlite")
    const database = openDatabase(driver, file, { busyTimeoutMs: 100 })
    database.exec("BEGIN IMMEDIATE")
    assert.equal((await locked.run(["search", "token"])).code, 0)
    assert.match((await locked.run(["doctor", "--opencode", "/nowhere/opencode"])).stdout, /lock: /)
    database.exec("ROLLBACK")
    database.close()
    locked.remove()
  })
  test("read-only: searches go on, status says so", timeout, async () => {
    if (process.getuid?.() === 0) return
    const sealed = await aStockedPlace()
    const folder = join(sealed.data, "history-search")
    chmodSync(join(folder, "index-v1.sqlite"), 0o400)
    chmodSync(folder, 0o500)
    assert.equal((await sealed.run(["search", "token"])).code, 0)
    chmodSync(folder, 0o700)
    sealed.remove()
  })
  test("another program's file in its place: left alone", timeout, async () => {
    const { bad, file } = setUp()
    const driver = await sqliteDriver()
    assert.ok(driver)
    const database = openDatabase(driver, file, { busyTimeoutMs: 100 })
    database.exec("CREATE TABLE theirs(a); PRAGMA application_id = 7")
    database.close()
    const before = readFileSync(file)
    const ran = await bad.run(["search", "x"])
    assert.equal(ran.code, 2)
    assert.match(ran.stderr, /belongs to another program, and there is no index beside it yet/)
    assert.deepEqual(readFileSync(file), before)
    bad.remove()
  })
})
