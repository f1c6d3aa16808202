import * as z from "zod/mini"

// The host's permission rules, asked for reading a file. A hook cannot put a question to the user, so
// whatever is not plainly allowed is refused.

type ReadRule = {
  /** A permission key: "read", "*" or another pattern. */
  readonly permission: string
  readonly pattern: string
  /** "allow"; everything else ("ask", "deny", a later host's word) refuses. */
  readonly action: string
}

/** Takes a path relative to the worktree, as the host's own Read tool asks with. */
export type AllowsRead = (relativePath: string) => boolean

/** What the host's agents start from when the user has configured nothing. */
const DEFAULT_READ_RULES: readonly ReadRule[] = [
  { permission: "*", pattern: "*", action: "allow" },
  { permission: "read", pattern: "*", action: "allow" },
  { permission: "read", pattern: "*.env", action: "ask" },
  { permission: "read", pattern: "*.env.*", action: "ask" },
  { permission: "read", pattern: "*.env.example", action: "allow" },
]

/** A rule that cannot be read may forbid anything. */
const UNREADABLE_RULE: ReadRule = { permission: "*", pattern: "*", action: "ask" }

const ruleSchema = z.catch(
  z.object({ permission: z.string(), pattern: z.string(), action: z.string() }),
  UNREADABLE_RULE,
)
const rulesSchema = z.catch(z.array(ruleSchema).check(z.minLength(1)), [...DEFAULT_READ_RULES])

/**
 * The read rule of an agent's `permission` list as the host gives it; the host's own defaults when there is
 * none. The last match wins; a path that no rule matches would be asked for, so it is refused.
 */
export function readRules(permission: unknown, platform: NodeJS.Platform = process.platform): AllowsRead {
  const rules = rulesSchema
    .parse(permission)
    .filter((rule) => matchesPattern("read", rule.permission, platform))
  return (relativePath) =>
    rules.findLast((rule) => matchesPattern(relativePath, rule.pattern, platform))?.action === "allow"
}

/**
 * The host's wildcards over a whole text: `*` is anything, slashes and line breaks included, `?` one UTF-16
 * unit, a final ` *` also matches nothing. Two pointers instead of a regular expression: no pattern is slow.
 */
export function matchesPattern(text: string, pattern: string, platform: NodeJS.Platform): boolean {
  const value = comparable(text, platform)
  const wanted = comparable(pattern, platform)
  return globMatches(value, wanted) || (wanted.endsWith(" *") && globMatches(value, wanted.slice(0, -2)))
}

function comparable(text: string, platform: NodeJS.Platform): string {
  const slashed = text.replaceAll("\\", "/")
  return platform === "win32" ? slashed.toLowerCase() : slashed
}

function globMatches(text: string, pattern: string): boolean {
  let at = 0
  let next = 0
  let star = -1
  let starAt = 0
  while (at < text.length) {
    if (pattern[next] === "*") {
      star = next++
      starAt = at
    } else if (next < pattern.length && (pattern[next] === "?" || pattern[next] === text[at])) {
      at++
      next++
    } else {
      if (star === -1) return false
      next = star + 1
      at = ++starAt
    }
  }
  while (pattern[next] === "*") next++
  return next === pattern.length
}
