import type { Message, Session } from "../../src/session/model.ts"
import { aMessage, aSession } from "./make.ts"

// A small history of a coding agent from a seed: the same seed gives the same sessions. Facts are planted so that
// every rarity occurs: once, in a few sessions, in most.

export type PlantedHistory = {
  readonly sessions: readonly { readonly session: Session; readonly messages: readonly Message[] }[]
  readonly words: readonly string[]
}

const COMMON =
  "the function returns error when session message is const await import test 修正 検索 ✅ Élan straße naïve".split(
    " ",
  )
const SHORT = ["go", "ts", "fs", "->", "東", "京", "東京", "🚀", "if", "ß"]

export function plantedHistory(seed: number, sessionCount: number, messagesEach: number): PlantedHistory {
  const next = generator(seed)
  const pick = <Value>(values: readonly Value[]): Value | undefined => values[next(values.length)]
  const rare = Array.from({ length: 12 }, (_, at) => `zq${at}needle`)
  const sessions = Array.from({ length: sessionCount }, (_, at) => {
    const created = 1_000_000 + at * 1_000
    const id = `ses_${String(next(1_000_000)).padStart(6, "0")}${at}`
    const messages = Array.from({ length: 1 + next(messagesEach) }, (_, n) => {
      const words = Array.from({ length: 5 + next(40) }, () => pick(COMMON) ?? "")
      if (next(6) === 0) words.push(pick(SHORT) ?? "")
      if (next(40) === 0) words.splice(next(words.length), 0, (pick(rare) ?? "").toUpperCase())
      return aMessage(`msg_${at}_${n}`, words.join(pick([" ", " ", ", ", "\n"]) ?? " "), {
        role: next(3) === 0 ? "user" : "assistant",
        created: created + n * 10,
      })
    })
    const session = aSession(id, {
      title: `${pick(COMMON)} ${pick(rare)} ${pick(SHORT)}`,
      projectID: `p${next(3)}`,
      created,
      updated: created + next(200_000),
      ...(next(7) === 0 ? { parentID: "ses_parent" } : {}),
      ...(next(9) === 0 ? { archived: 1 } : {}),
    })
    return { session, messages }
  })
  return {
    sessions,
    words: [...COMMON, ...SHORT, ...rare, "const await", "nowhere", "returns, error", "n", "é"],
  }
}

/** A 32-bit generator (xorshift): whole numbers below `limit`. */
function generator(seed: number): (limit: number) => number {
  let state = seed || 1
  return (limit) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % Math.max(1, limit)
  }
}
