import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, dirname, join } from "node:path"

// A git project for the host to work in. OpenCode names a project after its root commit, so every project
// gets a commit of its own.

export type Project = {
  readonly directory: string
  /** Writes a file, folders included, and returns its absolute path. */
  write(path: string, content: string | Uint8Array): string
  read(path: string): string
  /** Adds and commits everything. */
  commit(message?: string): void
  git(...args: readonly string[]): string
  /** A worktree of this project on a new branch, beside it. */
  worktree(name: string): Project
}

/** Makes a folder with a git repository and one commit. `env` must hold PATH and a private HOME. */
export function makeProject(directory: string, env: Readonly<Record<string, string>>): Project {
  mkdirSync(directory, { recursive: true })
  const project = openProject(directory, env)
  project.git("init", "-q", "-b", "main")
  project.write("README.md", `# ${basename(directory)}\n`)
  project.commit(`start of ${directory}`)
  return project
}

/**
 * Keeps the host from installing `@opencode-ai/plugin` into a config folder: it compares only this name. Without
 * it a plugin loads after the install, or a minute later where there is no network.
 */
export function seedConfigDir(directory: string): void {
  mkdirSync(join(directory, "node_modules"), { recursive: true })
  const lock = { lockfileVersion: 3, packages: { "": { dependencies: { "@opencode-ai/plugin": "*" } } } }
  writeFileSync(join(directory, "package-lock.json"), JSON.stringify(lock))
}

function openProject(directory: string, env: Readonly<Record<string, string>>): Project {
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, { cwd: directory, env: { ...env, ...IDENTITY }, encoding: "utf8" })
  return {
    directory,
    git,
    write(path, content) {
      const target = join(directory, path)
      const folder = path.split(/[\\/]/)[0]
      if (folder === ".opencode" && !existsSync(join(directory, folder)))
        seedConfigDir(join(directory, folder))
      mkdirSync(dirname(target), { recursive: true })
      writeFileSync(target, content)
      return target
    },
    read: (path) => readFileSync(join(directory, path), "utf8"),
    commit(message = "work") {
      git("add", "-A")
      git("commit", "-q", "--allow-empty", "-m", message)
    },
    worktree(name) {
      const beside = join(dirname(directory), name)
      git("worktree", "add", "-q", "-b", name, beside)
      return openProject(beside, env)
    },
  }
}

const IDENTITY = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "Test",
  GIT_AUTHOR_EMAIL: "test@localhost",
  GIT_COMMITTER_NAME: "Test",
  GIT_COMMITTER_EMAIL: "test@localhost",
}
