import { spawn } from "node:child_process"
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import type { CommandFigures } from "./figures.ts"

// What a person at a terminal waits for: from the start of the process to the first byte it prints into a pipe. Each
// command in turn, so that what else the machine does meets all alike; processes of a runtime that do nothing are the
// floor.

const ROUNDS = 15

/** Asked of the command and of ripgrep. */
const WORDS = { "rare word": "zqxoriel", "common word": "function", "no hit": "zzyqxwvk" } as const

export const COMMAND_SEARCHES: readonly string[] = Object.keys(WORDS)

export type CommandSetup = {
  /** The built command. */
  readonly command: string
  /** Runtimes by name. */
  readonly runtimes: Readonly<Record<string, string>>
  /** The data folder of the index. */
  readonly dataDir: string
  readonly work: string
  /** The export that `rg` searches; left out without one. */
  readonly exported?: string
}

export async function measureCommand(setup: CommandSetup): Promise<CommandFigures> {
  const home = join(setup.work, "command-home")
  mkdirSync(home, { recursive: true })
  const place = {
    cwd: home,
    env: { PATH: process.env["PATH"], HOME: home, BATON_DATA_DIR: setup.dataDir, LANG: "C.UTF-8" },
  }
  const rows = rowsOf(setup)
  const samples = rows.map((): number[] => [])
  // The first round fills caches: the compiler's, and the pages of the index.
  for (let round = -1; round < ROUNDS; round++)
    for (const [at, row] of rows.entries()) {
      const ms = await firstByteMs(row.line, place)
      if (round >= 0) samples[at]?.push(ms)
    }
  return rows.map(({ by, what }, at) => ({ by, what, samples: samples[at] ?? [] }))
}

type Row = { readonly by: string; readonly what: string; readonly line: readonly string[] }

function rowsOf({ command, runtimes, exported }: CommandSetup): readonly Row[] {
  const words = Object.entries(WORDS)
  const ours = Object.entries(runtimes).flatMap(([by, runtime]): readonly Row[] => [
    { by, what: "an empty process", line: [runtime, "-e", "console.log(1)"] },
    { by, what: "baton --version", line: [runtime, command, "--version"] },
    ...words.map(([what, word]) => ({ by, what, line: [runtime, command, "search", word] })),
  ])
  if (exported === undefined) return ours
  return [
    ...ours,
    ...words.map(([what, word]) => ({ by: "ripgrep", what, line: ["rg", "-i", "-F", word, exported] })),
  ]
}

/** Until the first byte, or the end where nothing is printed. */
function firstByteMs(
  [program = "", ...args]: readonly string[],
  place: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<number> {
  return new Promise((resolve, reject) => {
    const started = performance.now()
    let ms: number | undefined
    const child = spawn(program, args, { ...place, stdio: ["ignore", "pipe", "inherit"] })
    child.stdout.on("data", () => {
      ms ??= performance.now() - started
      // ripgrep prints every line of a common word; nobody waits for them.
      if (program === "rg") child.kill()
    })
    child.once("error", reject)
    child.once("close", (code) => {
      ms ??= performance.now() - started
      if (code !== null && code > 1) reject(new Error(`${program} ${args.join(" ")} ended with ${code}`))
      else resolve(ms)
    })
  })
}
