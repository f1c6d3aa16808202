import { constants } from "node:os"

// How the process ends when something from outside ends it. What was taken of the terminal is given back first, and
// the exit code is the one a shell reports for the signal.

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** How long a command may take to end by itself after SIGTERM or SIGHUP: nobody is there to press a key again. */
export const END_MS = 5_000

const restorers = new Set<() => void>()

/** Runs `restore` when the process ends, however that comes; the function that is returned takes it back. */
export function atEnd(restore: () => void): () => void {
  restorers.add(restore)
  return () => void restorers.delete(restore)
}

/** Gives the terminal back, says the line, and ends. */
export function endNow(code: number, line?: string): never {
  restoreAll()
  if (line !== undefined) process.stderr.write(`${line}\n`)
  process.exit(code)
}

function restoreAll(): void {
  for (const restore of restorers) {
    restorers.delete(restore)
    try {
      restore()
    } catch {
      // A terminal that is gone cannot be given back.
    }
  }
}

export type Ending = {
  /** Aborted by the first signal: the command ends cleanly. A second signal ends the process. */
  readonly signal: AbortSignal
  /** The exit code of the signal that came; undefined without one. */
  code(): number | undefined
  /** Ends the command as a signal would, for a reason of our own. */
  stop(): void
  /** Signals do again what they do without us. */
  release(): void
}

/** Listens for what ends the process, and for errors nobody caught: `unexpected` says them. */
export function listenForEnd(unexpected: (error: unknown) => string): Ending {
  const stop = new AbortController()
  let code: number | undefined
  const onSignal = (signal: NodeJS.Signals) => {
    if (code !== undefined) endNow(code)
    const own = SIGNAL_CODE + constants.signals[signal]
    code = own
    stop.abort()
    if (signal !== "SIGINT") setTimeout(() => endNow(own), END_MS).unref()
  }
  const onError = (error: unknown) => endNow(TROUBLE_CODE, unexpected(error))
  for (const signal of SIGNALS) process.on(signal, onSignal)
  process.on("uncaughtException", onError)
  process.on("exit", restoreAll)
  return {
    signal: stop.signal,
    code: () => code,
    stop: () => stop.abort(),
    release() {
      for (const signal of SIGNALS) process.off(signal, onSignal)
    },
  }
}

/** A shell reports a process that a signal ended as this and the signal's number. */
const SIGNAL_CODE = 128
const TROUBLE_CODE = 2
