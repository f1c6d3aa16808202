import { execFile } from "node:child_process"
import type { Context } from "../context.ts"
import { registeredState } from "../host/connect.ts"
import { type Finding, warning, well } from "./finding.ts"

// Which OpenCode is there, and whether the plugin knows it.

/** Asking a program for its version takes about a second. */
const VERSION_MS = 20_000

export async function hostFinding(program: string, context: Context): Promise<Finding> {
  const version = await versionOf(program, context)
  if (version === undefined)
    return warning(
      "OpenCode",
      `${program} does not run, or is not in PATH`,
      "searching works without it; for `baton index` install OpenCode, or write --opencode <program>",
    )
  const wanted = wantedInstead(version)
  if (wanted === undefined) return well("OpenCode", `version ${version}`)
  return warning("OpenCode", `version ${version} is not one the plugin is made for`, wanted)
}

/** OpenCode 2's service, where one is registered: without it neither its plugin nor `baton index` reads sessions. */
export async function serviceFindings(context: Context): Promise<readonly Finding[]> {
  const state = await registeredState(context.env, context.signal)
  if (state === undefined) return []
  if ("endpoint" in state) return [well("OpenCode 2", `its service answers at ${state.endpoint.url}`)]
  const remedy = "start OpenCode 2 again: it registers its service anew"
  return [warning("OpenCode 2", `a service is registered and cannot be used: ${state.why}`, remedy)]
}

/** What to do about a version; undefined when it is 1.18 or later, or 2.0.16 or later. */
export function wantedInstead(version: string): string | undefined {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.-]/).map(Number)
  if (Number.isNaN(major) || major === 0 || (major === 1 && minor < 18)) return "update it to 1.18 or later"
  if (major === 2 && minor === 0 && patch < 16) return "update it to 2.0.16 or later"
  if (major > 2) return "look for a newer opencode-baton"
  return undefined
}

function versionOf(program: string, context: Context): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(program, ["--version"], { env: { ...context.env }, timeout: VERSION_MS }, (failed, stdout) =>
      resolve(failed === null ? stdout.trim() : undefined),
    )
  })
}
