import assert from "node:assert/strict"
import { spawn } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, test } from "node:test"
import { fileURLToPath } from "node:url"
import { OPENCODE_VERSION } from "../../scripts/opencode.mjs"

// Getting OpenCode, with a shell script in place of npm: what is taken for an install, and what is said when
// there is none.

const script = new URL("../../scripts/opencode.mjs", import.meta.url)

let root: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "baton-install-"))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

/** Where npm is told to install to; each call is noted in `calls`. */
const NPM_START = `#!/bin/sh
echo call >> "$ROOT/calls"
while [ "$1" != --prefix ]; do shift; done
to="$2/node_modules"
`

/** An npm that installs a binary which prints `version`, at `place`. */
function installing(version: string, place: string): string {
  return `${NPM_START}
mkdir -p "$to/$(dirname ${place})"
printf '#!/bin/sh\\necho ${version}\\n' > "$to/${place}"
chmod +x "$to/${place}"
`
}

type Outcome = { readonly code: number | null; readonly stdout: string; readonly stderr: string }

/** Asks for the binary in a process of its own, with this npm. */
function ask(npm: string): Promise<Outcome> {
  const bin = join(root, "bin")
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(bin, "npm"), npm)
  chmodSync(join(bin, "npm"), 0o755)
  const source = `
    const { installedOpencode } = await import(${JSON.stringify(script.href)})
    await installedOpencode(${JSON.stringify(join(root, "cache"))}).then(console.log, (error) => {
      console.error(error.message)
      process.exitCode = 1
    })
  `
  return collect(["--input-type=module", "-e", source], { PATH: `${bin}:${process.env.PATH}`, ROOT: root })
}

function collect(args: readonly string[], env: Readonly<Record<string, string>>): Promise<Outcome> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  })
  const output = { stdout: "", stderr: "" }
  child.stdout.on("data", (chunk) => (output.stdout += String(chunk)))
  child.stderr.on("data", (chunk) => (output.stderr += String(chunk)))
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, ...output })))
}

const npmCalls = () => readFileSync(join(root, "calls"), "utf8").split("\n").length - 1

describe("installing", () => {
  const home = `opencode-${OPENCODE_VERSION}`

  for (const place of ["opencode-ai/bin/opencode.exe", `opencode-${process.platform}-x64/bin/opencode`]) {
    test(`finds ${place}, once and for all`, async () => {
      const path = join(root, "cache", home, "node_modules", place)
      assert.deepEqual(await ask(installing(OPENCODE_VERSION, place)), {
        code: 0,
        stdout: `${path}\n`,
        stderr: "",
      })
      assert.deepEqual(await ask("#!/bin/sh\nexit 1\n"), { code: 0, stdout: `${path}\n`, stderr: "" })
      assert.equal(npmCalls(), 1)
      assert.deepEqual(readdirSync(join(root, "cache")), [home])
    })
  }

  test("callers at the same time get the same binary and leave nothing else", async () => {
    const npm = installing(OPENCODE_VERSION, "opencode-ai/bin/opencode.exe")
    const outcomes = await Promise.all([ask(npm), ask(npm), ask(npm)])
    assert.deepEqual([...new Set(outcomes.map((one) => `${one.code}${one.stderr}`))], ["0"])
    assert.equal(new Set(outcomes.map((one) => one.stdout)).size, 1)
    assert.deepEqual(readdirSync(join(root, "cache")), [home])
  })

  test("an interrupted install is not taken for a good one, and goes away", async () => {
    const killed = `${installing(OPENCODE_VERSION, "opencode-ai/bin/opencode.exe")}kill -9 $PPID\n`
    assert.notEqual((await ask(killed)).code, 0)
    assert.match(readdirSync(join(root, "cache")).join(), /^partial-/)
    assert.equal((await ask(installing(OPENCODE_VERSION, "opencode-ai/bin/opencode.exe"))).code, 0)
    assert.deepEqual(readdirSync(join(root, "cache")), [home])
  })

  for (const [what, npm, message] of [
    [
      "npm fails",
      `${NPM_START}\necho 'npm error code ENOTFOUND' >&2; exit 1\n`,
      /^npm could not install .*ENOTFOUND.*BATON_OPENCODE/,
    ],
    [
      "the binary is another version",
      installing("1.0.0", "opencode-ai/bin/opencode.exe"),
      /^opencode-ai@.* no binary.*1\.0\.0/,
    ],
    ["there is no binary", `${NPM_START}\nmkdir -p "$to"\n`, /^opencode-ai@.* holds no binary .*none found/],
  ] as const) {
    test(`says so in one line and leaves nothing when ${what}`, async () => {
      const outcome = await ask(npm)
      assert.equal(outcome.code, 1)
      assert.match(outcome.stderr, message)
      assert.equal(outcome.stderr.trimEnd().split("\n").length, 1)
      assert.deepEqual(readdirSync(join(root, "cache")), [])
    })
  }
})

describe("BATON_OPENCODE", () => {
  for (const [what, path, message] of [
    ["does not exist", "/does/not/exist", /^BATON_OPENCODE: no file at \/does\/not\/exist\n$/],
    ["is a folder", tmpdir(), /^BATON_OPENCODE: no file at .*\n$/],
    ["is not executable", fileURLToPath(import.meta.url), /^BATON_OPENCODE: .* is not executable\n$/],
  ] as const) {
    test(`says in one line that it ${what}`, async () => {
      const outcome = await collect([fileURLToPath(script)], { BATON_OPENCODE: path })
      assert.equal(outcome.code, 1)
      assert.match(outcome.stderr, message)
    })
  }

  test("is used as it is", async () => {
    const outcome = await collect([fileURLToPath(script)], { BATON_OPENCODE: process.execPath })
    assert.deepEqual(outcome, { code: 0, stdout: `${process.execPath}\n`, stderr: "" })
  })
})
