// OpenCode V2 has no plugin logging call, so the one line goes to standard error, where the host's log
// collects it. A V1 host calls setup() too, with a context that has no `tool`: it gets no line, because
// its server part is at work already.

export const unsupportedLine =
  "opencode-baton: OpenCode V2 is not supported by this version; handoff and read_session are off. Use OpenCode 1.18, or a newer opencode-baton."

/** Says once that this version does nothing on V2. Never throws. */
export function setup(context: unknown, write: (line: string) => void = writeError): void {
  if (typeof context !== "object" || context === null || !("tool" in context)) return
  write(unsupportedLine)
}

function writeError(line: string): void {
  process.stderr.write(`${line}\n`)
}
