import { execFile } from "node:child_process"
import { existsSync, readdirSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { sqliteDriver, NO_SQLITE } from "../../storage/sqlite.ts"
import { configFiles, configFolder } from "../config/files.ts"
import { readConfig } from "../config/entries.ts"
import type { Context } from "../context.ts"
import { indexPath } from "../index-path.ts"
import { wrapLines } from "../layout.ts"
import type { Outcome } from "../outcome.ts"
import { parseOptions } from "../../config/options.ts"
import { writeJson } from "../view/json.ts"

// `baton doctor`: everything that is known to keep the plugin or the command from working. Each finding is one
// sentence with its remedy; what is well is said too, so that nobody wonders whether it was looked at.

export type Finding = {
  readonly level: "ok" | "warning" | "error"
  readonly about: string
  readonly text: string
  readonly remedy?: string
}

export type DoctorOptions = { readonly opencode?: string | undefined; readonly json?: boolean | undefined }

/** Asking a program for its version takes about a second. */
const VERSION_MS = 20_000

/** Built files of a killed process are older than any building takes. */
const ABANDONED_MS = 600_000

export async function doctor(context: Context, options: DoctorOptions): Promise<Outcome> {
  const findings = [
    await hostFinding(options.opencode ?? "opencode", context),
    ...configFindings(context),
    await sqliteFinding(),
    ...folderFindings(context),
    ...(await indexFindings(context)),
  ]
  const bad = findings.filter((finding) => finding.level !== "ok").length
  if (options.json === true) await writeJson(context.output, { kind: "doctor", findings })
  else await write(context, findings)
  return { code: bad === 0 ? 0 : 1 }
}

async function hostFinding(program: string, context: Context): Promise<Finding> {
  const about = "OpenCode"
  const version = await new Promise<string | undefined>((resolve) => {
    execFile(program, ["--version"], { env: { ...context.env }, timeout: VERSION_MS }, (error, stdout) =>
      resolve(error === null ? stdout.trim() : undefined),
    )
  })
  if (version === undefined)
    return {
      level: "warning",
      about,
      text: `${program} does not run, or is not in PATH`,
      remedy: "searching works without it; for `baton index` install OpenCode, or write --opencode <program>",
    }
  const major = Number(version.split(".")[0])
  const minor = Number(version.split(".")[1])
  if (major > 1 || (major === 1 && minor >= 18)) return { level: "ok", about, text: `version ${version}` }
  return {
    level: "warning",
    about,
    text: `version ${version} is older than the plugin was tested with`,
    remedy: "update it to 1.18 or later",
  }
}

function configFindings(context: Context): readonly Finding[] {
  const about = "config"
  const findings: Finding[] = []
  const loading: { readonly place: string; readonly part: string }[] = []
  for (const file of configFiles(context.env, context.directory)) {
    const config = readConfig(file.path)
    if (!config.ok) {
      findings.push({
        level: "error",
        about,
        text: config.error,
        remedy: "put it right: OpenCode does not start with it",
      })
      continue
    }
    for (const entry of config.entries) {
      loading.push({
        place: `${file.path} ("${entry.key}": ${entry.spec})`,
        part: `${file.part} ${entry.key}`,
      })
      if (file.part === "main")
        for (const problem of parseOptions(entry.options).problems)
          findings.push({
            level: "warning",
            about,
            text: `${file.path}: ${problem}`,
            remedy: "correct it there",
          })
    }
  }
  for (const path of pluginFiles(context)) loading.push({ place: path, part: "main plugin" })
  for (const part of new Set(loading.map((one) => one.part))) {
    const places = loading.filter((one) => one.part === part).map((one) => one.place)
    if (places.length > 1)
      findings.push({
        level: "warning",
        about,
        text: `the plugin is loaded ${places.length} times: ${places.join("; ")}`,
        remedy: "keep one of them and remove the others",
      })
  }
  const server = loading.some((one) => one.part.startsWith("main"))
  const terminal =
    loading.some((one) => one.part.startsWith("terminal")) ||
    loading.some((one) => one.part === "main plugins")
  if (!server)
    findings.push({
      level: "warning",
      about,
      text: "OpenCode does not load the plugin here",
      remedy: "run `baton install`",
    })
  else if (!terminal)
    findings.push({
      level: "warning",
      about,
      text: "the terminal part is missing, so drafts move every terminal of a server",
      remedy: "run `baton install`, which adds it to tui.json",
    })
  else if (findings.length === 0) findings.push({ level: "ok", about, text: "the plugin is loaded once" })
  return findings
}

/** Copies of the plugin in the folders that OpenCode loads by itself. */
function pluginFiles(context: Context): readonly string[] {
  const folders = [configFolder(context.env), join(context.directory, ".opencode")]
  return folders.flatMap((folder) =>
    ["plugin", "plugins"]
      .map((name) => join(folder, name))
      .filter((path) => existsSync(path))
      .flatMap((path) =>
        readdirSync(path)
          .filter((name) => /^opencode-baton|^baton/.test(name))
          .map((name) => join(path, name)),
      ),
  )
}

async function sqliteFinding(): Promise<Finding> {
  const about = "SQLite"
  const driver = await sqliteDriver()
  if (driver === undefined)
    return { level: "error", about, text: NO_SQLITE, remedy: "use Node 22.5 or later, or Bun" }
  return { level: "ok", about, text: driver.name }
}

function folderFindings(context: Context): readonly Finding[] {
  const about = "files"
  const path = indexPath(context.dataDir)
  const folder = dirname(path)
  if (!existsSync(folder)) return []
  const findings: Finding[] = []
  if (process.platform !== "win32") {
    const folderMode = statSync(folder).mode & 0o077
    if (folderMode !== 0)
      findings.push({
        level: "warning",
        about,
        text: `${folder} can be entered by other users`,
        remedy: `chmod 700 ${folder}`,
      })
    for (const name of readdirSync(folder).filter((name) => name.includes(".sqlite"))) {
      const file = join(folder, name)
      if ((statSync(file).mode & 0o077) !== 0)
        findings.push({
          level: "warning",
          about,
          text: `${file} can be read by other users`,
          remedy: `chmod 600 ${file}`,
        })
    }
  }
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    const pid = /\.(\d+)-\w+\.new$/.exec(name)?.[1]
    if (pid !== undefined && context.now() - statSync(file).mtimeMs > ABANDONED_MS)
      findings.push({
        level: "warning",
        about,
        text: `${file} was left by a process that was killed`,
        remedy: `remove it: rm ${file}`,
      })
    if (name.endsWith(".damaged"))
      findings.push({
        level: "warning",
        about,
        text: `${file} is a damaged index that was set aside`,
        remedy: `remove it when \`baton status\` looks complete: rm ${file}`,
      })
  }
  return findings.length === 0 ? [{ level: "ok", about, text: `${folder} is private to you` }] : findings
}

async function indexFindings(context: Context): Promise<readonly Finding[]> {
  const about = "index"
  const path = indexPath(context.dataDir)
  if (!existsSync(path))
    return [
      {
        level: "warning",
        about,
        text: `there is none at ${path}`,
        remedy: "start OpenCode with the plugin, or run `baton index`",
      },
    ]
  const began = performance.now()
  const found = await context.history().search(
    {
      words: ["the"],
      excluded: [],
      scope: { kind: "all" },
      include: [],
      limit: 1,
      sort: "newest",
      hits: true,
    },
    context.signal,
  )
  const tookMs = Math.round(performance.now() - began)
  if (!found.ok) return [{ level: "error", about, text: found.fault.message, remedy: "run `baton status`" }]
  const status = await context.history().status()
  if (!status.ok) return [{ level: "error", about, text: status.fault.message, remedy: "run `baton index`" }]
  const { mode, complete, sessions, notes } = status.value
  return [
    ...notes.map((text): Finding => ({ level: "warning", about, text, remedy: "run `baton index`" })),
    ...(mode === "read-only"
      ? [
          {
            level: "warning",
            about,
            text: `${path} cannot be written to`,
            remedy: "make it and its folder writable",
          } as const,
        ]
      : await writeFinding(context)),
    ...(complete < sessions
      ? [
          {
            level: "warning",
            about,
            text: `${sessions - complete} of ${sessions} sessions are not completely indexed`,
            remedy: "run `baton index`",
          } as const,
        ]
      : []),
    { level: "ok", about, text: `a test query took ${tookMs} ms over ${sessions} sessions` },
  ]
}

/** Whether another process holds the lock: an empty change has to wait for it like any other. */
async function writeFinding(context: Context): Promise<readonly Finding[]> {
  const written = await context
    .history()
    .applyChanges({ fetchedAt: 0, removedSessions: [""] }, context.signal)
  if (written.ok) return []
  return [
    {
      level: "warning",
      about: "lock",
      text: written.fault.message,
      remedy: "end the process that writes for so long; a lock of a killed process goes by itself",
    },
  ]
}

async function write(context: Context, findings: readonly Finding[]): Promise<void> {
  const { paint, textColumns } = context.output
  const marks = { ok: "ok       ", warning: "warning  ", error: "error    " }
  await context.output.lines(
    findings.flatMap((finding) => {
      const [first = "", ...rest] = wrapLines(
        `${finding.about}: ${finding.text}`,
        textColumns - INDENT.length,
      )
      const mark = finding.level === "ok" ? paint.faint(marks.ok) : paint.warning(marks[finding.level])
      const remedy =
        finding.remedy === undefined ? [] : wrapLines(`-> ${finding.remedy}`, textColumns, INDENT)
      return [mark + first, ...rest.map((line) => INDENT + line), ...remedy]
    }),
  )
}

const INDENT = " ".repeat(9)
