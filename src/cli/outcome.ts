import { oneLine } from "../text/printable.ts"

// How a command ends. Expected trouble is a value with one line that says what to do.

/**
 * 0: found or done. 1: nothing found, or declined. 2: wrong use or trouble. 130: ended by a signal, as a shell reports
 * it. The line goes to standard error.
 */
export type Outcome = { readonly code: 0 | 1 | 2 | 130; readonly error?: string }

export const DONE: Outcome = { code: 0 }
export const INTERRUPTED: Outcome = { code: 130 }

/** Trouble in one line: what is wrong, then the remedy. */
export function trouble(error: string): Outcome {
  return { code: 2, error: onOneLine(error) }
}

/** What was asked for does not exist; the line says how to find what does. */
export function nothing(error: string): Outcome {
  return { code: 1, error: onOneLine(error) }
}

/** 0 when something was found, 1 otherwise. */
export function foundSome(count: number): Outcome {
  return { code: count > 0 ? 0 : 1 }
}

/** What the machine refused (a full disk, a folder that is gone) in its words; undefined for a fault of our own. */
export function refusedByMachine(error: unknown): string | undefined {
  return error instanceof Error && "syscall" in error ? error.message : undefined
}

function onOneLine(text: string): string {
  return oneLine(text.replaceAll(/(?<!\s)\s*[\r\n]\s*/g, " "))
}
