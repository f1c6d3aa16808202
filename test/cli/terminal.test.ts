import { after, before, describe, test } from "node:test"
import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { widthOf } from "../../src/cli/layout.ts"
import { signalPid } from "../hosts/program.ts"
import { onSuddenEnd } from "../hosts/sudden-end.ts"
import { LOOK_EVERY_MS, openTmux, type Tmux } from "../hosts/tmux.ts"
import { WAIT_MS, waitUntil } from "../hosts/wait.ts"
import { aStockedPlace, type Place } from "./run.ts"

// The command in a real terminal (tmux), mostly 60 columns wide: what stands on the screen, and what is left there.

let place: Place
before(async () => {
  place = await aStockedPlace()
})
after(() => place.remove())

const timeout = { timeout: 90_000 }
const hasTmux = (() => {
  try {
    execFileSync("tmux", ["-V"])
    return true
  } catch {
    // Without tmux there is no terminal to test in; CI has it.
    return false
  }
})()

type Pane = Tmux & {
  keys(...names: readonly string[]): Promise<void>
  type(text: string): Promise<void>
  /** The first screen that shows it. */
  see(sight: RegExp): Promise<string>
  screen(): Promise<string>
}

/** Runs it behind a line that must still be there afterwards. */
async function open(args: readonly string[], size = { columns: 60, rows: 24 }, env = {}): Promise<Pane> {
  const line = place
    .command(args)
    .map((word) => `'${word}'`)
    .join(" ")
  const pane = await openTmux({
    command: ["bash", "-c", `echo before; ${line}; echo "after $?"; exec sleep 600`],
    cwd: place.here,
    env: { ...place.env, ...env, TMUX_TMPDIR: place.root, COLORTERM: "truecolor" },
    ...size,
  })
  const forget = onSuddenEnd(() => {
    for (const pgid of [pane.pid, pane.serverPid]) signalPid(-pgid, "SIGKILL")
  })
  const screen = () => pane.tmux(["capture-pane", "-p"])
  return {
    ...pane,
    async stop() {
      await pane.stop()
      forget()
    },
    keys: async (...names) => void (await pane.tmux(["send-keys", ...names])),
    type: async (text) => void (await pane.tmux(["send-keys", "-l", "--", text])),
    screen,
    async see(sight) {
      let last = ""
      return waitUntil(
        async () => {
          last = await screen()
          return sight.test(last) ? last : undefined
        },
        () => `the screen does not show ${sight}:\n${last}`,
        WAIT_MS,
        LOOK_EVERY_MS,
      )
    },
  }
}

async function inPane(
  args: readonly string[],
  use: (pane: Pane) => Promise<void>,
  size?: { columns: number; rows: number },
  env?: object,
): Promise<void> {
  const pane = await open(args, size, env)
  try {
    await use(pane)
  } finally {
    await pane.stop()
  }
}

describe("in a terminal of 60 columns", { skip: !hasTmux }, () => {
  test("search: hits marked, wide characters aligned, nothing wider than the screen", timeout, () =>
    inPane(
      ["search", "token"],
      async (pane) => {
        const screen = await pane.see(/after 0/)
        const lines = screen.split("\n")
        assert.ok(
          lines.every((line) => widthOf(line) <= 60),
          screen,
        )
        const titles = lines.filter((line) => / 2026-03-01 \d\d:\d\d$/.test(line))
        assert.equal(titles.length, 3)
        for (const line of titles) assert.equal(widthOf(line), 60, line)
        assert.match(screen, /日本語のタイトル 🚀.*… {2}2026/)
        const coloured = await pane.tmux(["capture-pane", "-p", "-e"])
        // oxlint-disable-next-line no-control-regex -- colours are what is looked for
        assert.match(coloured, /\u001B\[[0-9;]*33mtoken\u001B/)
      },
      { columns: 60, rows: 40 },
    ),
  )

  for (const args of [
    ["search", "--edits", "path:src/"],
    ["edits", "src/auth.ts", "--diff"],
    ["lineage", "ses_fork"],
    ["status"],
    ["search", "--projects", "--project", "all"],
    ["doctor", "--opencode", "/nowhere/opencode"],
    ["install", "--dry-run"],
    ["--help"],
    ["search", "--help"],
    ["index", "--help"],
    ["forget", "--help"],
    ["read", "--help"],
  ])
    test(`${args.join(" ")}: fits`, timeout, () =>
      inPane(
        args,
        async (pane) => {
          const screen = await pane.see(/after \d/)
          assert.match(screen, /^before$/m)
          // -J joins what the terminal had to break: such a line was too long.
          const written = await pane.tmux(["capture-pane", "-p", "-J"])
          // A path to copy stays whole.
          const long = written
            .split("\n")
            .filter((line) => widthOf(line.trimEnd()) > 60 && !line.startsWith("/"))
          assert.deepEqual(long, [])
        },
        { columns: 60, rows: 60 },
      ),
    )

  test("NO_COLOR: not one colour", timeout, () =>
    inPane(
      ["search", "token"],
      async (pane) => {
        await pane.see(/after 0/)
        // oxlint-disable-next-line no-control-regex -- colours are what is looked for
        assert.doesNotMatch(await pane.tmux(["capture-pane", "-p", "-e"]), /\u001B\[[0-9;]*(?:1|2|33)m/)
      },
      { columns: 60, rows: 40 },
      { NO_COLOR: "1" },
    ),
  )

  test("read pages what is longer than the screen; q gives the shell back", timeout, () =>
    inPane(
      ["read", "ses_login"],
      async (pane) => {
        await pane.see(/# Fix the login[^]*:\s*$/)
        await pane.keys("q")
        await pane.see(/after 0/)
      },
      { columns: 60, rows: 12 },
      { PAGER: "less", LESS: "R" },
    ),
  )

  test("in the pager Ctrl-C is the pager's own", timeout, () =>
    inPane(
      ["read", "ses_login"],
      async (pane) => {
        await pane.see(/# Fix the login[^]*:\s*$/)
        // Two at once may arrive as one.
        for (let presses = 0; presses < 3; presses++) {
          await pane.keys("C-c")
          await pane.keys("j")
        }
        await pane.keys("G")
        await pane.see(/END/)
        assert.doesNotMatch(await pane.screen(), /after/)
        await pane.keys("q")
        await pane.see(/after 0/)
      },
      { columns: 60, rows: 12 },
      { PAGER: "less", LESS: "R" },
    ),
  )

  test("forget asks, No changes nothing, Ctrl-C neither, Yes forgets", timeout, async () => {
    const asks = async (keys: readonly string[], code: number) =>
      inPane(["forget", "ses_sub"], async (pane) => {
        await pane.see(/Forget session ses_sub "Look around[^]*Yes/)
        for (const key of keys) await pane.keys(key)
        await pane.see(new RegExp(`after ${code}`))
      })
    await asks(["Enter"], 1)
    await asks(["C-c"], 130)
    assert.equal((await place.run(["read", "ses_sub"])).code, 0)
    await asks(["Left", "Enter"], 0)
    assert.equal((await place.run(["read", "ses_sub"])).code, 1)
  })

  test(
    "install shows the change, writes it, and is content the second time; uninstall takes it back",
    timeout,
    async () => {
      mkdirSync(place.config, { recursive: true })
      const file = join(place.config, "opencode.json")
      writeFileSync(file, '{\n\t// mine\n\t"model": "a/b"\n}\n')
      await inPane(["install"], async (pane) => {
        await pane.see(/\+\s+"plugin": \["opencode-baton"\][^]*Write this\?/)
        await pane.keys("Left", "Enter")
        await pane.see(/Restart OpenCode[^]*after 0/)
      })
      assert.equal(
        readFileSync(file, "utf8"),
        '{\n\t// mine\n\t"model": "a/b",\n\t"plugin": ["opencode-baton"]\n}\n',
      )
      assert.ok(existsSync(`${file}.bak`))
      const again = await place.run(["install"])
      assert.deepEqual([again.code, again.stdout.match(/has the plugin already/g)?.length], [0, 2])
      assert.match(
        (await place.run(["doctor", "--opencode", "/nowhere/opencode"])).stdout,
        /the plugin is loaded once/,
      )
      assert.equal((await place.run(["uninstall", "--yes"])).code, 0)
      assert.equal(readFileSync(file, "utf8"), '{\n\t// mine\n\t"model": "a/b"\n}\n')
    },
  )
})

describe("the search screen", { skip: !hasTmux }, () => {
  test("type, arrows, preview, copies, and the screen as it was", timeout, () =>
    inPane([], async (pane) => {
      await pane.see(/> *\n4 sessions · this project · \+1 match in \w+ sessions/)
      await pane.type("token")
      await pane.see(/> token *\n3 sessions · token · this project[^]*▸Go on with the login/)
      await pane.keys("Down", "Down")
      const chosen = await pane.see(
        /▸Fix the login[^]*─{60}[^]*user · 2026-03-01 12:00\n {2}Please fix the login/,
      )
      assert.ok(
        chosen.split("\n").every((line) => widthOf(line) <= 60),
        chosen,
      )
      await pane.keys("y")
      await pane.see(/Copied the passage: msg_l1/)
      assert.equal(await pane.tmux(["show-buffer"]), "Please fix the login, the token expires too early")
      await pane.keys("Enter")
      await pane.see(/Copied: opencode -s ses_login/)
      assert.equal(await pane.tmux(["show-buffer"]), "opencode -s ses_login")
      await pane.keys("C-u")
      await pane.type("repo")
      await pane.see(/0 sessions · repo · this project · 1 match in other proj/)
      await pane.keys("C-u")
      await pane.type("token")
      await pane.keys("Tab")
      await pane.see(/4 sessions · token · all projects[^]*Other repo/)
      await pane.type(" 東京")
      await pane.see(/> token 東京 *\n1 session · token, 東京/)
      await pane.keys("C-u")
      await pane.type("終わり")
      await pane.see(/> 終わり *\n1 session/)
      await pane.keys("C-y")
      await pane.see(/Copied the passage: msg_w2/)
      assert.equal(await pane.tmux(["show-buffer"]), "はい red  終わり")
      await pane.keys("C-u")
      await pane.type('"half')
      await pane.see(/quote .* is not closed/)
      await pane.keys("C-u")
      await pane.type("toknen")
      await pane.see(/0 sessions · toknen · all projects · did you mean token\?/)
      await pane.keys("C-u")
      await pane.type("yesno")
      await pane.see(/> yesno *\n0 sessions/)
      await pane.keys("Escape")
      const left = await pane.see(/after 0/)
      assert.equal(left.trim(), "before\nafter 0")
    }),
  )

  test("wide: the preview stands beside the list; a narrower screen is drawn anew", timeout, () =>
    inPane(
      ["--data-dir", place.data],
      async (pane) => {
        await pane.see(/▸Fix the login \(fork #1\).* │ /)
        await pane.tmux(["resize-window", "-x", "60", "-y", "20"])
        await pane.see(/─{60}/)
        await pane.keys("C-c")
        assert.equal((await pane.see(/after 0/)).trim(), "before\nafter 0")
      },
      { columns: 120, rows: 24 },
    ),
  )

  test("a paste is text, line breaks too; a killed process leaves the terminal usable", timeout, () =>
    inPane([], async (pane) => {
      await pane.see(/4 sessions/)
      await pane.tmux(["load-buffer", "-b", "paste", "-"], "token\nrefresh")
      await pane.tmux(["paste-buffer", "-p", "-r", "-d", "-b", "paste"])
      await pane.see(/> token refresh *\n1 session/)
      process.kill(commandIn(pane), "SIGTERM")
      const left = await pane.see(/after \d+/)
      assert.match(left.trim(), /^before\nafter 143$/)
    }),
  )

  for (const [signal, code] of [
    ["SIGHUP", 129],
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)
    test(`${signal}: the terminal as it was, and exit code ${code}`, timeout, () =>
      inPane([], async (pane) => {
        await pane.see(/4 sessions/)
        process.kill(commandIn(pane), signal)
        await pane.see(new RegExp(`^before\\nafter ${code}$`, "m"))
        // A terminal that is still raw shows nothing of what is typed.
        await pane.type("echoed")
        assert.equal((await pane.see(/echoed/)).trim(), `before\nafter ${code}\nechoed`)
      }),
    )

  test("without opencode ^O says so on the screen, which goes on", timeout, () =>
    inPane(
      [],
      async (pane) => {
        await pane.see(/4 sessions/)
        await pane.type("token")
        await pane.see(/3 sessions · token/)
        await pane.keys("C-o")
        await pane.see(/> token *\nnot opened: there is no opencode in PATH[^]*▸Go on with the login/)
        await pane.keys("Down")
        await pane.see(/> token *\n3 sessions · token/)
        await pane.keys("Escape")
        assert.equal((await pane.see(/after 0/)).trim(), "before\nafter 0")
      },
      { columns: 80, rows: 24 },
      { PATH: "/usr/bin:/bin" },
    ),
  )

  /** The process of the command behind the shell's line. */
  function commandIn(pane: Pane): number {
    const pid = execFileSync("pgrep", ["-P", String(pane.pid)], { encoding: "utf8" }).trim()
    return Number(pid.split("\n")[0])
  }
})
