import { readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { parseOptions } from "../../config/options.ts"
import { configFolder } from "../config/files.ts"
import { effectiveEntries } from "../config/sources.ts"
import type { Context } from "../context.ts"
import { error, type Finding, warning, well } from "./finding.ts"

// Whether OpenCode's config loads the plugin: once, with options that it knows, and its terminal part too.

const ABOUT = "config"

type Loading = { readonly place: string; readonly part: string }

export function configFindings(context: Context): readonly Finding[] {
  const findings: Finding[] = []
  const loading: Loading[] = []
  const effective = effectiveEntries(context.env, context.directory)
  for (const text of effective.errors)
    findings.push(error(ABOUT, text, "put it right: OpenCode does not start with it"))
  for (const { place, part, entry } of effective.loaded) {
    loading.push({ place: `${place} ("${entry.key}": ${entry.spec})`, part: `${part} ${entry.key}` })
    if (part === "main")
      for (const problem of parseOptions(entry.options).problems)
        findings.push(warning(ABOUT, `${place}: ${problem}`, "correct it there"))
  }
  for (const path of pluginFiles(context)) loading.push({ place: path, part: "main plugin" })
  findings.push(...loadedTwice(loading), ...missing(loading))
  return findings.length > 0 ? findings : [well(ABOUT, "the plugin is loaded once")]
}

function loadedTwice(loading: readonly Loading[]): readonly Finding[] {
  return [...new Set(loading.map((one) => one.part))].flatMap((part) => {
    const places = loading.filter((one) => one.part === part).map((one) => one.place)
    return places.length < 2
      ? []
      : [
          warning(
            ABOUT,
            `the plugin is loaded ${places.length} times: ${places.join("; ")}`,
            "keep one of them and remove the others",
          ),
        ]
  })
}

function missing(loading: readonly Loading[]): readonly Finding[] {
  if (!loading.some((one) => one.part.startsWith("main")))
    return [warning(ABOUT, "OpenCode does not load the plugin here", "run `baton install`")]
  // OpenCode 2 loads both parts by the one entry in `plugins`.
  if (loading.some((one) => one.part.startsWith("terminal") || one.part === "main plugins")) return []
  return [
    warning(
      ABOUT,
      "the terminal part is missing, so drafts move every terminal of a server",
      "run `baton install`, which adds it to tui.json",
    ),
  ]
}

/** Copies of the plugin in the folders that OpenCode loads by itself. */
function pluginFiles(context: Context): readonly string[] {
  const folders = [configFolder(context.env), join(context.directory, ".opencode")]
  return folders.flatMap((folder) =>
    ["plugin", "plugins"]
      .map((name) => join(folder, name))
      .filter((path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true)
      .flatMap((path) =>
        readdirSync(path)
          .filter((name) => /^opencode-baton|^baton/.test(name))
          .map((name) => join(path, name)),
      ),
  )
}
