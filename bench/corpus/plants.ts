// What is planted: words and phrases with a known number of sessions, so that every rarity occurs at every age.

/** Nothing else in the corpus holds these. `sessions`: in how many it is planted, spread over the ages. */
export const PLANTS = [
  { text: "zqxoriel", sessions: 3 },
  { text: "ZqVandal", sessions: 1 },
  { text: "zqmerin", sessions: 12 },
  { text: "ledger quorum mismatch after failover", sessions: 3 },
  { text: "the parser returns one empty session", sessions: 4 },
  { text: "稀少文字", sessions: 2 },
  { text: "🦄", sessions: 1 },
  { text: "->", sessions: 1 },
  { text: "‡", sessions: 2 },
  { text: "qjx", sessions: 2 },
] as const

/** A file that a few sessions edited. */
export const PLANTED_PATH = "src/auth/token-refresh-planted.ts"
export const PLANTED_PATH_SESSIONS = 6

/** Looks like a credential, so it must not be found; made of parts, so that no scanner takes it for one. */
export const PLANTED_SECRET = ["ghp", "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0dF3gH6"].join("_")
export const PLANTED_SECRET_SESSIONS = 5

/** Whether a thing planted in `count` of `sessions` is in this one (0 is the newest). */
export function isPlanted(index: number, sessions: number, count: number, shift: number): boolean {
  const step = sessions / count
  const first = (shift * 0.37) % 1
  const nth = Math.round(index / step - first)
  return nth >= 0 && nth < count && Math.min(sessions - 1, Math.floor((nth + first) * step)) === index
}
