import type { Config, ToolContext } from "@opencode-ai/plugin"
import type { Options } from "../../config/options.ts"
import { isRecord } from "../../session/from-unknown.ts"
import { oneLine } from "../../text/printable.ts"
import type { Asked, Permission } from "../host.ts"
import { describe } from "./client.ts"
import { FOLDER_SEPARATOR, keyName } from "./key-name.ts"
import type { Mode } from "./mode.ts"
import type { rulesOf } from "./rules.ts"

// Reading sessions of another project is asked first. V1's terminal shows the key of an unknown permission
// and nothing else, so the key is the question, with every folder it opens in it; and V1 allows unknown keys by
// default, so the `config` hook adds an `ask` rule for every such key. "Always" is kept under the whole key, so it
// covers these folders and no others.

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

export type Question = {
  readonly ask: ToolContext["ask"]
  readonly target: Asked
  readonly choice: Options["otherProjects"]
  readonly mode: Mode
  /** The rules the calling session has, for a question about several folders; undefined when they cannot be read. */
  rules(): ReturnType<typeof rulesOf>
}

/** Whether sessions of other projects may be read, as the option, the user's rules and the user say. */
export async function askOtherProject(question: Question): Promise<Permission> {
  const { target, choice } = question
  const shown = oneLine(nameOf(target))
  if (choice === "allow") return { granted: true }
  if (choice === "deny")
    return refused(
      `reading sessions of another project (${shown}) is off: the option otherProjects is "deny"`,
    )
  if (target.folders === undefined) return put(question, target)
  const { askForFolders } = await import("./ask-folders.ts")
  return askForFolders(question, target.folders)
}

/** Puts one question to the user. */
export async function put(question: Question, target: Asked): Promise<Permission> {
  const project = oneLine(nameOf(target))
  const patterns = patternsOf(target)
  try {
    const answer = question.ask({
      permission: keyOf(target),
      patterns: [...patterns],
      always: target.all === true ? ["*"] : [...patterns],
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

/** The permission key of a question: the question itself, as V1's terminal shows it. */
export function keyOf(target: Asked): string {
  if (target.all === true) return keyPrefix + target.directory
  const folders = target.folders ?? [nameOf(target)]
  return keyPrefix + folders.map((folder) => keyName(folder)).join(FOLDER_SEPARATOR)
}

/** What rules for single folders are compared with: the name in the key, and the folder's own where that is another. */
export function patternsOf({ all, directory, folders, projectID }: Asked): readonly string[] {
  if (all === true) return [directory]
  const named = folders ?? [nameOf({ directory, projectID })]
  return [...new Set(named.flatMap((folder) => [keyName(folder), oneLine(folder)]))]
}

function nameOf({ directory, projectID }: Pick<Asked, "directory" | "projectID">): string {
  return directory === "" ? projectID : directory
}

const remedy = `set the option otherProjects to "allow", or the permission "${permissionRule}" to "allow"`

export function refused(message: string): Permission {
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
