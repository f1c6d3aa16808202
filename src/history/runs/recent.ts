// Texts this process has just written, so that sealing them need not read and inflate them again. A text counts only
// for the stamp its row in the tail still has: another process may have written the row since.

export type Recent = {
  /** Characters noted since the last `clear`, kept or not. */
  readonly units: number
  /** What a committed transaction wrote. */
  note(texts: readonly RecentText[]): void
  text(rid: number, stamp: number): string | undefined
  clear(): void
}

export type RecentText = { readonly rid: number; readonly stamp: number; readonly text: string }

/** Keeps up to so many characters. */
export function createRecent(maxUnits: number): Recent {
  const kept = new Map<number, RecentText>()
  let units = 0
  return {
    get units() {
      return units
    },
    note: (texts) => {
      for (const one of texts) {
        units += one.text.length
        if (units <= maxUnits) kept.set(one.rid, one)
        else kept.delete(one.rid)
      }
    },
    text: (rid, stamp) => {
      const known = kept.get(rid)
      return known?.stamp === stamp ? known.text : undefined
    },
    clear: () => {
      kept.clear()
      units = 0
    },
  }
}
