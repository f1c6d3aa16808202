import { readdir, readFile } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import * as z from "zod/mini"
import { parseJson } from "../../text/json.ts"

// The file in which OpenCode's service says where it listens. Only addresses of this machine are taken: the
// plugin talks to nobody else.

export type Registration = {
  readonly url: string
  readonly pid: number | undefined
  readonly version: string
  readonly password: string
}

type Environment = Readonly<Record<string, string | undefined>>

const schema = z.object({
  url: z.string(),
  pid: z.optional(z.number()),
  version: z.optional(z.string()),
  password: z.optional(z.string()),
})

/** The folder of the registration files. */
export function stateDir(env: Environment): string {
  const base = env["XDG_STATE_HOME"]
  return join(base === undefined || base === "" ? join(homedir(), ".local", "state") : base, "opencode")
}

/**
 * What is registered, the most fitting first: this very process, then the plain name, then the files of other
 * channels (`service-local.json`). An unreadable file is passed over: the service may be writing it.
 */
export async function registrations(env: Environment, pid: number): Promise<readonly Registration[]> {
  const folder = stateDir(env)
  const names = await readdir(folder).catch(() => [])
  const found: Registration[] = []
  for (const name of names.filter((name) => /^service(-[\w.-]+)?\.json$/.test(name)).sort(plainFirst)) {
    const text = await readFile(join(folder, name), "utf8").catch(() => "")
    const registration = readRegistration(text, env)
    if (registration !== undefined) found.push(registration)
  }
  return found.sort((a, b) => Number(b.pid === pid) - Number(a.pid === pid))
}

/** The registration in a file's text; undefined for anything else, and for an address of another machine. */
export function readRegistration(text: string, env: Environment): Registration | undefined {
  const parsed = schema.safeParse(parseJson(text))
  const url = parsed.success ? loopbackUrl(parsed.data.url) : undefined
  if (!parsed.success || url === undefined) return undefined
  const { pid, version = "", password } = parsed.data
  const known = password ?? env["OPENCODE_PASSWORD"] ?? env["OPENCODE_SERVER_PASSWORD"] ?? ""
  return { url, pid, version, password: known }
}

function loopbackUrl(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined
  // A service that listens everywhere registers that address, and is reached on this machine's own.
  if (url.hostname === "0.0.0.0") url.hostname = "127.0.0.1"
  if (url.hostname === "[::]") url.hostname = "[::1]"
  const isOwn =
    url.hostname === "localhost" || url.hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(url.hostname)
  return isOwn ? url.origin : undefined
}

function plainFirst(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : 1)
}
