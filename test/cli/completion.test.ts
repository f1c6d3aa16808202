import { after, before, describe, test } from "node:test"
import assert from "node:assert/strict"
import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { LOOK_EVERY_MS, openTmux } from "../hosts/tmux.ts"
import { WAIT_MS, waitUntil } from "../hosts/wait.ts"
import { aPlace, type Place } from "./run.ts"

// The completion scripts in the shells themselves. A shell that is not installed is a skipped test with its name.

let place: Place
before(() => {
  place = aPlace()
})
after(() => place.remove())

const timeout = { timeout: 60_000 }

/** Whether a program is there; a reason to skip, in words, when it is not. */
function needs(...programs: readonly string[]): { readonly skip: string | false } {
  const missing = programs.filter(
    (program) => spawnSync(program, [VERSION_FLAGS[program] ?? "--version"]).error,
  )
  return { skip: missing.length === 0 ? false : `${missing.join(" and ")} not installed` }
}

const VERSION_FLAGS: Readonly<Record<string, string>> = { tmux: "-V" }

/** What is typed before a tab, and what it becomes or is offered. */
const ROWS: readonly (readonly [string, readonly string[]])[] = [
  ["baton se", ["search"]],
  ["baton search --ro", ["--role"]],
  ["baton search --role u", ["user"]],
  ["baton search foo --js", ["--json"]],
  ["baton --data-dir x read --from ", ["start", "end"]],
  ["baton --vers", ["--version"]],
  ["baton completion f", ["fish"]],
  ["baton edits sr", ["src"]],
  ["baton export x --format h", ["html"]],
]

function outputOf(shell: string, args: readonly string[]): string {
  return execFileSync(shell, args, { cwd: place.here, env: place.env, encoding: "utf8" })
}

async function scriptOf(shell: string): Promise<string> {
  const { code, stdout, stderr } = await place.run(["completion", shell])
  assert.equal(code, 0, stderr)
  return stdout
}

describe("completion", () => {
  test("bash", { ...timeout, ...needs("bash") }, async () => {
    const script = await scriptOf("bash")
    for (const [line, wanted] of ROWS) {
      const words = line.split(" ")
      const list = words.map((word) => `'${word}'`).join(" ")
      const code = `${script}\nCOMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _baton; echo "\${COMPREPLY[*]}"`
      const offered = outputOf("bash", ["-c", code])
      assert.deepEqual(offered.trim().split(" ").toSorted(), wanted.toSorted(), line)
    }
  })

  test("fish", { ...timeout, ...needs("fish") }, async () => {
    const file = join(place.root, "baton.fish")
    writeFileSync(file, await scriptOf("fish"))
    for (const [line, wanted] of ROWS) {
      const code = `source '${file}'; complete -C '${line}'`
      const rows = outputOf("fish", ["--no-config", "-c", code]).trim().split("\n")
      const names = rows.map((row) => (row.split("\t")[0] ?? "").replace(/\/$/, ""))
      assert.deepEqual(names.toSorted(), wanted.toSorted(), line)
    }
  })

  test("zsh", { ...timeout, ...needs("zsh", "tmux") }, async () => {
    const folder = join(place.root, "zsh")
    mkdirSync(folder)
    writeFileSync(join(folder, "_baton"), await scriptOf("zsh"))
    writeFileSync(
      join(folder, ".zshrc"),
      `fpath=('${folder}' $fpath); autoload -Uz compinit; compinit -u -d '${folder}/dump'\nPS1='ready> '\n`,
    )
    const pane = await openTmux({
      command: ["zsh", "-i"],
      cwd: place.here,
      env: { ...place.env, ZDOTDIR: folder, TMUX_TMPDIR: place.root },
      columns: 100,
      rows: 30,
    })
    const see = (sight: RegExp) => {
      let screen = ""
      return waitUntil(
        async () => {
          screen = await pane.tmux(["capture-pane", "-p"])
          return sight.test(screen) ? screen : undefined
        },
        () => `the screen does not show ${sight}:\n${screen}`,
        WAIT_MS,
        LOOK_EVERY_MS,
      )
    }
    try {
      for (const [line, wanted] of ROWS) {
        await pane.tmux(["send-keys", "C-u", "C-l"])
        await see(/^ready>\s*$/)
        await pane.tmux(["send-keys", "-l", line])
        await pane.tmux(["send-keys", "Tab"])
        const [only, ...more] = wanted
        const completed = line.slice(0, line.lastIndexOf(" ") + 1) + only
        if (more.length === 0) await see(new RegExp(`^ready> ${completed}[ /]?\\s*$`))
        else for (const one of wanted) await see(new RegExp(`^ready> [^\\n]*\\n[^]*\\b${one}\\b`))
      }
    } finally {
      await pane.stop()
    }
  })
})
