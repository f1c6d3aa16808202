import { appendFile, mkdir, rename, stat } from "node:fs/promises"
import { join } from "node:path"
import type { Log } from "../host.ts"

// V2 has no log for plugins, and what is written to a stream may land on a terminal's screen. So the plugin has
// a file of its own beside the host's.

/** A log this long is moved aside once, so that the two stay below 2 MiB. */
export const LOG_MAX_BYTES = 1024 * 1024

export const LOG_FILE = "opencode-baton.log"

/** A log in `<dataDir>/log`. Lines are written in order; one that cannot be written is dropped. */
export function fileLog(dataDir: string, now: () => number = Date.now): Log & { written(): Promise<void> } {
  const folder = join(dataDir, "log")
  const file = join(folder, LOG_FILE)
  let last: Promise<void> = Promise.resolve()

  async function write(line: string): Promise<void> {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const size = await stat(file).then(
      (info) => info.size,
      () => 0,
    )
    if (size > LOG_MAX_BYTES) await rename(file, `${file}.1`)
    await appendFile(file, line, { mode: 0o600 })
  }

  const log: Log = (level, message, extra) => {
    const entry = { time: new Date(now()).toISOString(), level, service: "baton", message, ...extra }
    last = last.then(() => write(`${JSON.stringify(entry)}\n`)).catch(dropped)
  }
  return Object.assign(log, { written: () => last })
}

// A log line is the last resort already: there is no better place to report that it failed.
function dropped(_error: unknown): void {}
