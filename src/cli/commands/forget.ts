import { resolve } from "node:path"
import type { ForgetTarget, HistoryResult } from "../../history/contract.ts"
import { isPlacedIn } from "../../history/real-paths.ts"
import { parseDate } from "../../query/dates.ts"
import { expandHome } from "../../query/paths.ts"
import { shownValue } from "../../text/printable.ts"
import { counted } from "../../tools/search/notes.ts"
import { isFolderProject } from "../../tools/own-project.ts"
import { confirmed } from "../confirm.ts"
import type { Context } from "../context.ts"
import { DONE, type Outcome, nothing, trouble } from "../outcome.ts"
import { lookFor, titleOf } from "../view/text.ts"

// `baton forget`: shows what will go, asks, removes it for good. What was forgotten stays out of the index when
// OpenCode delivers it again.

export type ForgetOptions = { readonly before?: string | undefined; readonly yes?: boolean | undefined }

type Plan = { readonly targets: readonly ForgetTarget[]; readonly described: string }

export async function forget(
  context: Context,
  what: string | undefined,
  options: ForgetOptions,
): Promise<Outcome> {
  const { before, yes } = options
  if ((what === undefined) === (before === undefined))
    return trouble("write one of a session id, a project (id or folder) and --before <date>")
  // A script's empty variable must not come to mean the folder it runs in.
  if (what?.trim() === "")
    return trouble("what to forget is empty; write a session id, a project id or a folder")
  const plan = before === undefined ? await planFor(context, what ?? "") : planBefore(context, before)
  if ("code" in plan) return plan
  const answer = await confirmed(context, `Forget ${plan.described}? It cannot be undone.`, yes === true)
  if (answer !== "yes") return answer

  let sessions = 0
  let messages = 0
  let erased = true
  for (const target of plan.targets) {
    const done = await context.history().forget(target, context.signal)
    if (!done.ok) return trouble(done.fault.message)
    sessions += done.value.sessions
    messages += done.value.messages
    erased &&= done.value.erased
  }
  await context.output.lines([
    `Forgotten: ${counted(sessions, "session")}, ${counted(messages, "message")}. It stays out of the index; OpenCode itself still has it.`,
    ...(erased
      ? []
      : [
          "Another process still reads the index, so old bytes are erased when it lets go; `baton forget` again checks it.",
        ]),
  ])
  return DONE
}

function planBefore(context: Context, before: string): Plan | Outcome {
  const date = parseDate(`before ${before}`, { now: context.now() })
  if (!date.ok || date.to === undefined)
    return trouble(`--before ${shownValue(before)} is no day; write one like 2026-01-31`)
  const target: ForgetTarget = { kind: "dates", from: 0, to: date.to }
  return { targets: [target], described: `everything before ${before}` }
}

async function planFor(context: Context, what: string): Promise<Plan | Outcome> {
  const history = context.history()
  const session = await history.session(what, context.signal)
  if (!session.ok) return trouble(session.fault.message)
  if (session.value !== undefined || what.startsWith("ses_")) {
    const described =
      session.value === undefined
        ? `session ${what}, which the index does not hold`
        : `session ${what} "${titleOf(session.value, lookFor(context))}" with ${counted(session.value.messages, "message")}`
    const below = await subagentsOf(context, what)
    if (!below.ok) return trouble(below.fault.message)
    const more = below.value.length === 0 ? "" : ` and ${counted(below.value.length, "subagent session")}`
    return {
      targets: [what, ...below.value].map((sessionID) => ({ kind: "session", sessionID })),
      described: described + more,
    }
  }
  const project = await projectAnswer(context, { projects: [what] })
  if (!project.ok) return trouble(project.fault.message)
  const named = project.value.projects[0]
  if (named !== undefined)
    return {
      targets: [{ kind: "project", projectID: what }],
      described: `project ${what} with ${counted(named.sessions, "session")}`,
    }
  const home = context.env["HOME"] ?? ""
  const folder = resolve(context.directory, expandHome(what, home))
  return planForFolder(context, what, folder)
}

/** Subagents did a part of a session's work, and theirs: OpenCode deletes them with it too. */
async function subagentsOf(context: Context, sessionID: string): Promise<HistoryResult<readonly string[]>> {
  const found = await context
    .history()
    .search(
      { ...EVERYTHING, scope: { kind: "all" }, sort: "newest", hits: false, limit: Number.MAX_SAFE_INTEGER },
      context.signal,
    )
  if (!found.ok) return found
  const parts = found.value.sessions.flatMap(({ session }) =>
    session.parentID === undefined ? [] : [{ id: session.id, parentID: session.parentID }],
  )
  const meant = new Set([sessionID])
  for (const parent of meant) for (const part of parts) if (part.parentID === parent) meant.add(part.id)
  return { ok: true, value: [...meant].slice(1) }
}

/** Projects that lie in the folder as a whole; of others the sessions that do. */
async function planForFolder(context: Context, what: string, folder: string): Promise<Plan | Outcome> {
  const history = context.history()
  const here = await projectAnswer(context, { directories: [folder] })
  if (!here.ok) return trouble(here.fault.message)
  const targets: ForgetTarget[] = []
  let sessions = 0
  for (const project of here.value.projects) {
    const whole = await projectAnswer(context, { projects: [project.id] })
    if (!whole.ok) return trouble(whole.fault.message)
    sessions += project.sessions
    const directories = whole.value.projects[0]?.directories ?? []
    if (!isFolderProject(project.id) && directories.every((directory) => isPlacedIn(folder, directory))) {
      targets.push({ kind: "project", projectID: project.id })
      continue
    }
    const found = await history.search(
      {
        ...EVERYTHING,
        scope: { kind: "some", directories: [folder] },
        sort: "newest",
        hits: false,
        limit: here.value.projects.reduce((sum, one) => sum + one.sessions, 0),
      },
      context.signal,
    )
    if (!found.ok) return trouble(found.fault.message)
    for (const { session } of found.value.sessions)
      if (session.projectID === project.id) targets.push({ kind: "session", sessionID: session.id })
  }
  if (targets.length === 0)
    return nothing(
      `no session, project id or folder ${shownValue(what)} in the index; \`baton search --projects --project all\` lists projects`,
    )
  return { targets, described: `${counted(sessions, "session")} in ${folder}` }
}

const EVERYTHING = {
  words: [],
  excluded: [],
  include: ["subagents", "archived", "reverted"],
} as const

function projectAnswer(
  context: Context,
  some: { readonly projects?: readonly string[]; readonly directories?: readonly string[] },
) {
  return context
    .history()
    .projects({ ...EVERYTHING, scope: { kind: "some", ...some }, limit: PROJECTS_AT_ONCE }, context.signal)
}

/** Projects of one folder; more than a person has. */
const PROJECTS_AT_ONCE = 10_000
