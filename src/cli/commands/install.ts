import { planInstall, planUninstall, type Plan, type Target } from "../config/plan.ts"
import { replaceFile } from "../config/write.ts"
import { confirmed } from "../confirm.ts"
import type { Context } from "../context.ts"
import { DONE, type Outcome, trouble } from "../outcome.ts"
import { clip } from "../layout.ts"
import { oneLine } from "../../text/printable.ts"

// `baton install` and `baton uninstall`: what will be changed is shown first, then asked, then written. Doing it
// twice changes nothing.

export type InstallOptions = {
  readonly v1?: boolean | undefined
  readonly v2?: boolean | undefined
  readonly project?: boolean | undefined
  readonly dryRun?: boolean | undefined
  readonly yes?: boolean | undefined
}

export function install(context: Context, options: InstallOptions): Promise<Outcome> {
  return change(context, options, "install")
}

export function uninstall(context: Context, options: InstallOptions): Promise<Outcome> {
  return change(context, options, "uninstall")
}

async function change(
  context: Context,
  options: InstallOptions,
  verb: "install" | "uninstall",
): Promise<Outcome> {
  const { v1, v2, project } = options
  if (v1 === true && v2 === true) return trouble("--v1 and --v2 exclude each other; run it once for each")
  const planFor = verb === "install" ? planInstall : planUninstall
  const plan: Plan = planFor(context.env, context.directory, {
    host: v2 === true ? "v2" : "v1",
    project: project === true,
  })
  if (!plan.ok) return trouble(plan.error)
  return carryOut(context, plan.targets, verb, options)
}

async function carryOut(
  context: Context,
  targets: readonly Target[],
  verb: "install" | "uninstall",
  options: InstallOptions,
): Promise<Outcome> {
  const changes = targets.filter((target) => target.changed)
  const unchanged = targets.filter((target) => !target.changed)
  const state = verb === "install" ? "has the plugin already" : "does not name the plugin"
  await context.output.lines(unchanged.map((target) => `${target.path} ${state}`))
  if (changes.length === 0) {
    if (targets.length === 0) await context.output.lines(["no config file names the plugin"])
    return DONE
  }
  for (const target of changes) await context.output.lines(changeLines(context, target))
  if (options.dryRun === true) {
    await context.output.lines(["Nothing was written (--dry-run)."])
    return DONE
  }
  const answer = await confirmed(context, "Write this?", options.yes === true)
  if (answer !== "yes") return answer
  for (const target of changes) {
    const written = replaceFile(target.path, target.after, target.before)
    if (!written.ok) return trouble(written.error)
    const copy = written.backup === undefined ? "new" : `the old one is ${written.backup}`
    await context.output.lines([`${target.path} written (${copy})`])
  }
  await context.output.lines(["Restart OpenCode for it to take effect."])
  return DONE
}

/** The file's name, then the lines that go and come. */
function changeLines(context: Context, target: Target): readonly string[] {
  const { paint, columns } = context.output
  const before = (target.before ?? "").split(/\r?\n/)
  const after = target.after.split(/\r?\n/)
  let start = 0
  while (start < Math.min(before.length, after.length) && before[start] === after[start]) start++
  let end = 0
  while (end < Math.min(before.length, after.length) - start && before.at(-1 - end) === after.at(-1 - end))
    end++
  const gone = before.slice(start, before.length - end)
  const come = after.slice(start, after.length - end)
  const line = (text: string) => clip(oneLine(text.replaceAll("\t", "  ")), columns - 2)
  return [
    paint.strong(target.before === undefined ? `${target.path} (new file)` : `${target.path}:${start + 1}`),
    ...gone.filter((text, at) => text !== "" || at > 0).map((text) => paint.removed(`- ${line(text)}`)),
    ...come.filter((text, at) => text !== "" || at > 0).map((text) => paint.added(`+ ${line(text)}`)),
  ]
}
