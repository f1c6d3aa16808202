// What the doctor says: one sentence with its remedy. What is well is said too, so that nobody wonders whether it was
// looked at.

export type Finding = {
  readonly level: "ok" | "warning" | "error"
  /** A word or two: the part that was looked at. */
  readonly about: string
  readonly text: string
  readonly remedy?: string
}

export function well(about: string, text: string): Finding {
  return { level: "ok", about, text }
}

export function warning(about: string, text: string, remedy: string): Finding {
  return { level: "warning", about, text, remedy }
}

export function error(about: string, text: string, remedy: string): Finding {
  return { level: "error", about, text, remedy }
}
