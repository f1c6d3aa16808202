import type { Role } from "../src/session/model.ts"
import { PLANTED_PATH, PLANTED_SECRET } from "./corpus/plants.ts"

// The questions that are timed: a few of every class, asked as the tools ask the index.

/** Sessions of an answer, as the tools' own default. */
export const LIMIT = 20

export type Query = {
  readonly id: string
  readonly class: QueryClass
  /** "search" gives sessions with excerpts, "list" without; the others edits and projects. */
  readonly kind: "search" | "list" | "edits" | "projects"
  readonly words: readonly string[]
  readonly excluded: readonly string[]
  readonly role?: Role
  readonly path?: string
  readonly project?: string
  readonly from?: number
  readonly to?: number
}

export const CLASSES = [
  "rare word",
  "rare phrase",
  "common word",
  "two common words",
  "three common words",
  "rare and common word",
  "common phrase",
  "exclusion",
  "CJK",
  "1 character",
  "2 characters",
  "3 characters",
  "no hit",
  "no hit, common trigrams",
  "a month",
  "role user",
  "path",
  "sessions, no words",
  "recent edits",
  "projects with a word",
] as const

export type QueryClass = (typeof CLASSES)[number]

const MONTH = { from: Date.UTC(2026, 5, 1), to: Date.UTC(2026, 6, 1) - 1 }

export const QUERIES: readonly Query[] = [
  ask("rare word", ["zqxoriel"]),
  ask("rare word", ["ZQVANDAL"]),
  ask("rare word", ["zqxoriel"], { project: "prj_0" }),
  ask("rare phrase", ["ledger quorum mismatch after failover"]),
  ask("rare phrase", ["the parser returns one empty session"]),
  ask("common word", ["function"]),
  ask("common word", ["Error"], { project: "prj_0" }),
  ask("common word", ["session"]),
  ask("two common words", ["function", "error"]),
  ask("two common words", ["snapshot", "gateway"]),
  ask("three common words", ["return", "await", "import"]),
  ask("rare and common word", ["zqmerin", "function"]),
  ask("rare and common word", ["the", "zqxoriel"]),
  ask("common phrase", ["return await"]),
  ask("common phrase", ["applied successfully"]),
  ask("exclusion", ["session"], { excluded: ["function"] }),
  ask("exclusion", ["zqmerin"], { excluded: ["function"] }),
  ask("exclusion", ["session"], { excluded: ["zqmerin"] }),
  ask("CJK", ["稀少文字"]),
  ask("CJK", ["検索"]),
  ask("CJK", ["関数の"]),
  ask("1 character", ["‡"]),
  ask("1 character", ["稀"]),
  ask("1 character", ["東"]),
  ask("1 character", ["~"]),
  ask("2 characters", ["fn"]),
  ask("2 characters", ["->"]),
  ask("2 characters", ["🦄"]),
  ask("2 characters", ["qj"]),
  ask("2 characters", ["qz"]),
  ask("2 characters", ["稀少"]),
  ask("3 characters", ["ing"]),
  ask("3 characters", ["qjx"]),
  ask("no hit", ["zzyqxwvk"]),
  ask("no hit", [PLANTED_SECRET]),
  ask("no hit, common trigrams", ["ingtheand"]),
  ask("no hit, common trigrams", ["sessionerror functionreturn"]),
  ask("no hit, common trigrams", ["snapshto"]),
  ask("no hit, common trigrams", ["idex"]),
  ask("a month", ["session"], MONTH),
  ask("a month", ["zqmerin"], MONTH),
  ask("role user", ["session"], { role: "user" }),
  ask("role user", ["getSessionMessage"], { role: "user" }),
  ask("path", ["function"], { path: PLANTED_PATH }),
  ask("path", [], { path: PLANTED_PATH, kind: "list" }),
  ask("sessions, no words", [], { kind: "list" }),
  ask("sessions, no words", [], { kind: "list", project: "prj_1" }),
  ask("recent edits", [], { kind: "edits" }),
  ask("recent edits", [], { kind: "edits", path: PLANTED_PATH }),
  ask("projects with a word", ["function"], { kind: "projects" }),
  ask("projects with a word", ["zqmerin"], { kind: "projects" }),
]

function ask(kind: QueryClass, words: readonly string[], given: Partial<Query> = {}): Query {
  const { excluded = [], ...rest } = given
  const marks = [
    rest.role && `role:${rest.role}`,
    rest.project && `project:${rest.project}`,
    rest.path && `path:${rest.path}`,
    rest.from !== undefined && "month",
    rest.kind,
  ].filter(Boolean)
  const text = [
    ...words.map((word) => JSON.stringify(word)),
    ...excluded.map((word) => `-${word}`),
    ...marks,
  ].join(" ")
  return { id: `${kind}: ${text}`, class: kind, kind: "search", words, excluded, ...rest }
}
