import type { Log } from "../host.ts"
import type { V1Client } from "./client.ts"

/** A log that writes through the host (`<data>/log/opencode.log`). A line that cannot be written is dropped. */
export function hostLog(client: V1Client): Log {
  return (level, message, extra) => {
    const body = { service: "baton", level, message, extra: { ...extra, plugin: "opencode-baton" } }
    try {
      client.app.log({ body }).then(ignore, ignore)
    } catch (error) {
      ignore(error)
    }
  }
}

// A log line is the last resort already: there is no better place to report that it failed.
function ignore(_outcome: unknown): void {}
