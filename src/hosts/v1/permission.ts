import type { Config, ToolContext } from "@opencode-ai/plugin"
import type { Options } from "../../config/options.ts"
import { isRecord } from "../../session/from-unknown.ts"
import type { Session } from "../../session/model.ts"
import { oneLine } from "../../text/printable.ts"
import type { Permission } from "../host.ts"
import { describe } from "./client.ts"
import type { Mode } from "./mode.ts"

// Reading a session of another project is asked first. V1's terminal shows the key of an unknown permission
// and nothing else, so the key is the question, with the project in it; and V1 allows unknown keys by
// default, so the `config` hook adds an `ask` rule for every such key.

const keyPrefix = "read sessions of "

/** The permission rule a user can set in their config: `{"permission": {"read sessions of *": "allow"}}`. */
export const permissionRule = `${keyPrefix}*`

/**
 * Adds the `ask` rule unless the user has one of that name. A rule for everything does not count as one: V1's
 * own agents have it too, and `"permission": "allow"` reaches this hook as `{ "*": "allow" }`. The last rule that
 * matches counts, so the user's rules for single projects stay behind ours.
 */
export function addRule(config: Config): void {
  const rules: unknown = (config.permission ??= {})
  if (!isRecord(rules)) return
  const own = rules[permissionRule]
  if (isRecord(own) && !("*" in own)) Reflect.set(rules, permissionRule, { "*": "ask", ...own })
  if (own !== undefined) return
  const ofProjects = Object.entries(rules).filter(([key]) => key.startsWith(keyPrefix))
  for (const [key] of ofProjects) Reflect.deleteProperty(rules, key)
  Reflect.set(rules, permissionRule, "ask")
  for (const [key, action] of ofProjects) Reflect.set(rules, key, action)
}

/** A server may have nobody who could answer; after this long the question is taken as refused. */
export const serverAnswerMs = 120_000

type Question = {
  readonly ask: ToolContext["ask"]
  readonly target: Session
  readonly choice: Options["otherProjects"]
  readonly mode: Mode
}

/** Whether a session of another project may be read, as the option and the user say. */
export async function askOtherProject(question: Question): Promise<Permission> {
  const { target } = question
  // One line, as the key is shown in a terminal and the answer is one.
  const project = oneLine(target.directory === "" ? target.projectID : target.directory)
  if (question.choice === "allow") return { granted: true }
  if (question.choice === "deny")
    return refused(
      `reading sessions of another project (${project}) is off: the option otherProjects is "deny"`,
    )
  try {
    const answer = question.ask({
      permission: keyPrefix + project,
      patterns: [project],
      always: [project],
      metadata: { sessionID: target.id, title: target.title, directory: project },
    })
    const asked =
      question.mode === "server" ? await within(answer, serverAnswerMs) : await answer.then(() => true)
    if (asked) return { granted: true }
    return refused(`nobody answered whether sessions of ${project} may be read; ${remedy}`)
  } catch (error) {
    if (question.mode === "command")
      return refused(`this run cannot ask whether sessions of ${project} may be read; ${remedy}`)
    return refused(`reading sessions of ${project} was refused (${describe(error)})`)
  }
}

const remedy = `set the option otherProjects to "allow", or the permission "${permissionRule}" to "allow"`

function refused(message: string): Permission {
  return { granted: false, message }
}

async function within(answer: Promise<void>, ms: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => late.resolve(false), ms)
  try {
    return await Promise.race([answer.then(() => true), late.promise])
  } finally {
    clearTimeout(timer)
  }
}
