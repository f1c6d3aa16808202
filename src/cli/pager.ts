import { spawn } from "node:child_process"
import { once } from "node:events"
import type { Output } from "./output.ts"

// Long answers in a terminal go through the user's pager, as git does it: BATON_PAGER, PAGER, else less.

type Environment = Readonly<Record<string, string | undefined>>

/** The pager's command line; undefined when the answer is to be printed as it is. */
export function pagerFor(output: Pick<Output, "isTerminal">, env: Environment): string | undefined {
  if (!output.isTerminal || env["TERM"] === "dumb") return undefined
  const chosen = env["BATON_PAGER"] ?? env["PAGER"] ?? "less"
  return chosen.trim() === "" || chosen.trim() === "cat" ? undefined : chosen
}

/** Writes the pieces through the pager; to the terminal when there is none. Resolves when it was left. */
export async function page(
  output: Output,
  env: Environment,
  pieces: AsyncIterable<string>,
  wanted = true,
): Promise<void> {
  const command = wanted ? pagerFor(output, env) : undefined
  if (command === undefined) {
    for await (const piece of pieces) await output.write(piece)
    return
  }
  // F: a short answer is only printed. R: colours. X: it stays on the screen.
  const child = spawn(command, {
    shell: true,
    stdio: ["pipe", "inherit", "inherit"],
    env: { LESS: "FRX", ...env },
  })
  const left = Promise.race([once(child, "close"), once(child, "error")])
  const giveBack = leaveInterrupts()
  let open = true
  const end = () => (open = false)
  // A pager may be left before it has read everything.
  child.stdin.on("error", end)
  child.on("close", end)
  try {
    for await (const piece of pieces) {
      if (!open) break
      if (!child.stdin.write(piece)) await Promise.race([once(child.stdin, "drain"), left])
    }
    child.stdin.end()
    await left
  } finally {
    giveBack()
  }
}

/** Ctrl-C in a pager is one of its keys: who ended here meanwhile would leave two at the terminal. */
function leaveInterrupts(): () => void {
  const others = process.listeners("SIGINT")
  process.removeAllListeners("SIGINT")
  process.on("SIGINT", nothing)
  return () => {
    process.off("SIGINT", nothing)
    for (const other of others) process.on("SIGINT", other)
  }
}

function nothing(): void {}
