// Cleaning up when the test process ends without its tests having done so: a failed assertion at top level, a
// time limit, Ctrl-C. Only SIGKILL escapes.

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const

const cleaners = new Set<() => void>()

/** Registers work that must be done without waiting; returns how to take it back. */
export function onSuddenEnd(clean: () => void): () => void {
  if (cleaners.size === 0) listen()
  cleaners.add(clean)
  return () => {
    cleaners.delete(clean)
    if (cleaners.size === 0) unlisten()
  }
}

function listen(): void {
  process.on("exit", cleanAll)
  for (const signal of SIGNALS) process.on(signal, cleanAndEnd)
}

function unlisten(): void {
  process.off("exit", cleanAll)
  for (const signal of SIGNALS) process.off(signal, cleanAndEnd)
}

function cleanAll(): void {
  for (const clean of cleaners) clean()
  cleaners.clear()
}

/** Ends as the signal would have: a listener had taken its default effect away. */
function cleanAndEnd(signal: NodeJS.Signals): void {
  cleanAll()
  unlisten()
  process.kill(process.pid, signal)
}
