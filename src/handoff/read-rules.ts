import * as z from "zod/mini"

// The host's permission rules, asked for reading a file. A hook cannot put a question to the user, so
// whatever is not plainly allowed is refused, and so is everything where the rules are not known.

export type PermissionRule = {
  /** A permission key: "read", "*" or another pattern. */
  readonly permission: string
  readonly pattern: string
  /** "allow"; everything else ("ask", "deny", a later host's word) refuses. */
  readonly action: string
}

/** What the rules say of a file; "unknown" where they could not be read. */
export type ReadVerdict = "allowed" | "refused" | "unknown"

/** Takes a path relative to the worktree, as the host's own Read tool asks with. */
export type ReadRules = (relativePath: string) => ReadVerdict

/** A rule that cannot be read may forbid anything. */
const UNREADABLE_RULE: PermissionRule = { permission: "*", pattern: "*", action: "ask" }

const ruleSchema = z.catch(
  z.object({ permission: z.string(), pattern: z.string(), action: z.string() }),
  UNREADABLE_RULE,
)
const rulesSchema = z.array(ruleSchema).check(z.minLength(1))

/**
 * The read rules of a list as the host gives it: those of the agent, then those of the session. The last match wins; a
 * path that no rule matches would be asked for, so it is refused. Without a list, or with an empty one, which no agent
 * has, nothing is known.
 */
export function readRules(permission: unknown, platform: NodeJS.Platform = process.platform): ReadRules {
  const rules = permissionRules(permission)
  if (rules === undefined) return () => "unknown"
  return (relativePath) =>
    actionFor(rules, "read", relativePath, platform) === "allow" ? "allowed" : "refused"
}

/** A host's list as rules; a rule of an unknown shape is one that asks for everything. Undefined without a list. */
export function permissionRules(permission: unknown): readonly PermissionRule[] | undefined {
  const known = rulesSchema.safeParse(permission)
  return known.success ? known.data : undefined
}

/** What the host does about `pattern` under a permission key: the last rule that matches both; without one it asks. */
export function actionFor(
  rules: readonly PermissionRule[],
  permission: string,
  pattern: string,
  platform: NodeJS.Platform = process.platform,
): string {
  const rule = rules.findLast(
    (one) =>
      matchesPattern(permission, one.permission, platform) && matchesPattern(pattern, one.pattern, platform),
  )
  return rule?.action ?? "ask"
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
