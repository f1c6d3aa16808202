import { oneLine } from "../text/printable.ts"
import { clip } from "./layout.ts"

// A progress bar on standard error, only where that is a terminal.

/** Redrawn at most this often: faster is only flicker. */
export const DRAW_EVERY_MS = 100

export type Progress = {
  update(done: number, total: number, failed: number): void
  /** A line in place of the bar, while there is nothing to count. */
  say(text: string): void
  /** Removes the bar. */
  clear(): void
}

type Stream = Pick<NodeJS.WriteStream, "write" | "columns" | "isTTY">

export function makeProgress(stream: Stream, now: () => number): Progress {
  if (!stream.isTTY) return { update: () => undefined, say: () => undefined, clear: () => undefined }
  const started = now()
  let first: number | undefined
  let drawn = 0
  const draw = (text: string) =>
    void stream.write(`\r\u001B[K${clip(oneLine(text), Math.max(10, (stream.columns || 80) - 1))}`)
  return {
    update(done, total, failed) {
      first ??= done
      const at = now()
      if (at - drawn < DRAW_EVERY_MS && done < total) return
      drawn = at
      draw(barLine({ done, total, failed, ms: at - started, fresh: done - first }, stream.columns || 80))
    },
    say: draw,
    clear: () => void stream.write("\r\u001B[K"),
  }
}

type State = {
  readonly done: number
  readonly total: number
  readonly failed: number
  readonly ms: number
  /** Done in this run: what was there before says nothing of the speed. */
  readonly fresh: number
}

/** `████░░░░ 120/940 sessions · 35/s · 24 s left`, with a bar as long as the line has room. */
export function barLine(state: State, columns: number): string {
  const { done, total, failed, ms, fresh } = state
  const rate = ms > 0 ? (fresh * 1000) / ms : 0
  const left = rate > 0 ? (total - done) / rate : undefined
  const facts = [
    `${done}/${total} sessions`,
    rate > 0 ? `${rate < 10 ? rate.toFixed(1) : Math.round(rate)}/s` : "",
    left === undefined || done >= total ? "" : `${duration(left)} left`,
    failed === 0 ? "" : `${failed} failed`,
  ].filter((fact) => fact !== "")
  const text = facts.join(" · ")
  const room = Math.min(30, columns - text.length - 3)
  if (room < 5) return text
  const full = total === 0 ? room : Math.floor((room * done) / total)
  return `${"█".repeat(full)}${"░".repeat(room - full)} ${text}`
}

/** Seconds as people read them. */
export function duration(seconds: number): string {
  if (seconds < 90) return `${Math.ceil(seconds)} s`
  if (seconds < 5_400) return `${Math.ceil(seconds / 60)} min`
  return `${(seconds / 3_600).toFixed(1)} h`
}
