import { actionFor, permissionRules } from "../../handoff/read-rules.ts"
import { oneLine } from "../../text/printable.ts"
import { tooManyFolders } from "../folders-asked.ts"
import type { Permission } from "../host.ts"
import { keyOf, patternsOf, put, type Question, refused } from "./permission.ts"

// One question about several folders has a key of its own, and a rule for one of the folders does not match it. So the
// user's rules are asked for each folder first: what they deny is not opened by a question that names it among others.

/** Puts the question about all of the folders, unless the rules decide it. */
export async function askForFolders(question: Question, folders: readonly string[]): Promise<Permission> {
  const { target } = question
  const tooMany = tooManyFolders(target)
  if (tooMany !== undefined) return refused(tooMany)
  const rules = permissionRules(await question.rules())
  if (rules === undefined)
    return refused(
      `sessions of ${oneLine(target.directory)} were not read: OpenCode did not tell the rules for each of them; try again, or ask for one with project:<path>`,
    )
  const action = (one: typeof target): string => {
    const key = keyOf(one)
    const actions = patternsOf(one).map((pattern) => actionFor(rules, key, pattern))
    return actions.find((each) => each === "deny") ?? actions.find((each) => each !== "allow") ?? "allow"
  }
  const single = (folder: string) => ({ id: "", title: "", projectID: "", directory: folder })
  const open = folders.filter((folder) => action(single(folder)) !== "allow")
  const denied = open.find((folder) => action(single(folder)) === "deny")
  if (denied !== undefined)
    return refused(
      `sessions of ${oneLine(target.directory)} were not read: a rule denies ${oneLine(denied)}; ask for others with project:<path>`,
    )
  if (open.length === 0 && target.all !== true) return { granted: true }
  if (action(target) !== "allow") return put(question, target)
  // The rules allow the question and not each folder in it.
  for (const folder of open) {
    const answer = await put(question, single(folder))
    if (!answer.granted) return answer
  }
  return put(question, target)
}
