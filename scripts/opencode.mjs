#!/usr/bin/env node
// Where the real OpenCode 1.18 is. A finished install is recognised by its note, which is written before the
// folder gets its final name: an interrupted install is never taken for a good one.

import { execFile } from "node:child_process"
import { accessSync, constants, existsSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs"
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises"
import { join, relative, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

/** The host version that tests and the tour run. */
export const OPENCODE_VERSION = "1.18.33"

/** Names the binary inside a finished install, relative to its folder. */
const NOTE = "binary.txt"

/** A download of about 120 MB on a slow line; past it npm hangs. */
const INSTALL_TIMEOUT_MS = 15 * 60_000

/** `--version` takes about a second. */
const VERSION_TIMEOUT_MS = 60_000

const repositoryCache = fileURLToPath(new URL("../.cache/", import.meta.url))
const execFileAsync = promisify(execFile)

let pending

/**
 * The absolute path of an OpenCode binary: `BATON_OPENCODE` when set, else the pinned version, installed into
 * `.cache/` on first use. Rejects with a one-line message. Concurrent callers get the same install.
 */
export function ensureOpencode() {
  const chosen = process.env.BATON_OPENCODE
  if (chosen) return Promise.resolve().then(() => checkedBinary(chosen))
  pending ??= installedOpencode(repositoryCache).catch((error) => {
    pending = undefined
    throw error
  })
  return pending
}

/** The pinned version's binary in `cacheDir`, installed by npm when it is not there yet. */
export async function installedOpencode(cacheDir) {
  const home = join(cacheDir, `opencode-${OPENCODE_VERSION}`)
  return binaryOf(home) ?? (await install(cacheDir, home))
}

function checkedBinary(path) {
  const absolute = resolve(path)
  const stat = statSync(absolute, { throwIfNoEntry: false })
  if (!stat?.isFile()) throw new Error(`BATON_OPENCODE: no file at ${absolute}`)
  if (!executable(absolute)) throw new Error(`BATON_OPENCODE: ${absolute} is not executable`)
  return absolute
}

/** The binary of a finished install, or undefined. */
function binaryOf(home) {
  const note = join(home, NOTE)
  if (!existsSync(note)) return undefined
  const binary = join(home, readFileSync(note, "utf8"))
  return existsSync(binary) ? binary : undefined
}

async function install(cacheDir, home) {
  await mkdir(cacheDir, { recursive: true })
  await removeAbandoned(cacheDir)
  const partial = await mkdtemp(join(cacheDir, `partial-${process.pid}-`))
  try {
    await npmInstall(partial)
    const binary = await findBinary(partial)
    await writeFile(join(partial, NOTE), relative(partial, binary))
    await publish(partial, home)
  } finally {
    await rm(partial, { recursive: true, force: true })
  }
  const binary = binaryOf(home)
  if (!binary) throw new Error(`OpenCode ${OPENCODE_VERSION} disappeared from ${home} while it was installed`)
  return binary
}

/** Gives the install its final name. When another process was faster, its install stays. */
async function publish(partial, home) {
  if (existsSync(home) && !binaryOf(home)) await rm(home, { recursive: true, force: true })
  try {
    await rename(partial, home)
  } catch (error) {
    if (!binaryOf(home)) throw error
  }
}

async function npmInstall(prefix) {
  const npm = process.platform === "win32" ? "npm.cmd" : "npm"
  const flags = ["--no-package-lock", "--no-save", "--no-audit", "--no-fund", "--loglevel=error"]
  try {
    await execFileAsync(npm, ["install", ...flags, "--prefix", prefix, `opencode-ai@${OPENCODE_VERSION}`], {
      cwd: prefix,
      shell: process.platform === "win32",
      timeout: INSTALL_TIMEOUT_MS,
    })
  } catch (error) {
    throw new Error(
      `npm could not install opencode-ai@${OPENCODE_VERSION} (${npmReason(error)}); ` +
        `check the network, or set BATON_OPENCODE to an OpenCode binary`,
      { cause: error },
    )
  }
}

function npmReason(error) {
  if (error.code === "ENOENT") return "npm is not installed"
  if (error.killed) return `no end after ${INSTALL_TIMEOUT_MS / 60_000} minutes`
  const lines = String(error.stderr ?? error.message)
    .split("\n")
    .map((line) => line.replace(/^npm (error|ERR!)\s*/, "").trim())
    .filter((line) => line !== "")
  return lines.slice(0, 2).join(": ") || `exit code ${error.code}`
}

/** The first binary that runs: the launcher's own copy, else a platform package's (install scripts off). */
async function findBinary(prefix) {
  const modules = join(prefix, "node_modules")
  const platforms = readdirSync(modules).filter((name) => name.startsWith(`opencode-${platformName()}-`))
  const candidates = ["opencode-ai", ...platforms]
    .flatMap((name) => [join(modules, name, "bin", "opencode.exe"), join(modules, name, "bin", "opencode")])
    .filter((path) => existsSync(path))
  const found = []
  for (const path of candidates) {
    const version = await versionOf(path, prefix)
    if (version === OPENCODE_VERSION) return path
    found.push(`${relative(modules, path)}: ${version}`)
  }
  throw new Error(
    `opencode-ai@${OPENCODE_VERSION} holds no binary that runs here (${found.join("; ") || "none found"})`,
  )
}

function platformName() {
  return process.platform === "win32" ? "windows" : process.platform
}

/** What `--version` prints, or why it does not run. Any call creates the data folders: they are private. */
async function versionOf(binary, prefix) {
  const home = await mkdtemp(join(prefix, "home-"))
  const env = { PATH: process.env.PATH, HOME: home, USERPROFILE: home }
  for (const kind of ["DATA", "CONFIG", "CACHE", "STATE"]) env[`XDG_${kind}_HOME`] = home
  try {
    const { stdout } = await execFileAsync(binary, ["--version"], { env, timeout: VERSION_TIMEOUT_MS })
    return stdout.trim()
  } catch (error) {
    return `does not run (${String(error.message).split("\n")[0]})`
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}

/** Removes what killed installs left. */
async function removeAbandoned(cacheDir) {
  for (const name of readdirSync(cacheDir)) {
    const pid = /^partial-(\d+)-/.exec(name)?.[1]
    if (pid && !running(Number(pid))) await rm(join(cacheDir, name), { recursive: true, force: true })
  }
}

function running(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === "EPERM"
  }
}

function executable(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch (error) {
    if (error.code === "EACCES") return false
    throw error
  }
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    console.log(await ensureOpencode())
  } catch (error) {
    console.error(error.message)
    process.exitCode = 1
  }
}
