import { readRules, type ReadRules } from "../../src/handoff/read-rules.ts"

/** The rules that OpenCode 1.18 tells of its agent `build` when the user has configured nothing, as far as they are for reading. */
export const DEFAULT_RULES = [
  { permission: "*", pattern: "*", action: "allow" },
  { permission: "read", pattern: "*", action: "allow" },
  { permission: "read", pattern: "*.env", action: "ask" },
  { permission: "read", pattern: "*.env.*", action: "ask" },
  { permission: "read", pattern: "*.env.example", action: "allow" },
]

export function defaultRules(): ReadRules {
  return readRules(DEFAULT_RULES)
}
