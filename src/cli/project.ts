import { existsSync, readFileSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import type { History, HistoryResult } from "../history/contract.ts"
import type { ProjectInfo } from "../tools/search/services.ts"
import { GLOBAL_PROJECT } from "../tools/own-project.ts"

// Which project a folder belongs to, without asking the host: OpenCode notes a repository's id inside it; failing
// that the index knows which projects worked there. Without a repository a folder is a project of its own.

/** The project of `directory`; undefined when the index knows no session of it. */
export async function projectAt(
  history: History,
  directory: string,
): Promise<HistoryResult<ProjectInfo | undefined>> {
  const repository = repositoryOf(directory)
  if (repository !== undefined && repository.id !== undefined) {
    const known = await sessionsOf(history, { projects: [repository.id] })
    if (!known.ok) return known
    if (known.value.length > 0) return project(repository.id, directory, repository.root)
  }
  for (const root of repository === undefined ? [directory] : [repository.root, repository.main]) {
    const found = await sessionsOf(history, { directories: [root] })
    if (!found.ok) return found
    // Repositories below this one are projects of their own: the one that worked in the root itself is meant.
    const own = found.value.find((one) => one.directories.includes(root)) ?? found.value[0]
    if (own !== undefined) return project(own.id, directory, root)
  }
  return { ok: true, value: undefined }
}

function project(id: string, directory: string, root: string): HistoryResult<ProjectInfo> {
  return { ok: true, value: { id, directory: id === GLOBAL_PROJECT ? root : directory, worktree: root } }
}

async function sessionsOf(
  history: History,
  some: { readonly projects?: readonly string[]; readonly directories?: readonly string[] },
) {
  const answer = await history.projects({
    words: [],
    excluded: [],
    scope: { kind: "some", ...some },
    include: ["subagents", "archived", "reverted"],
    limit: 100,
  })
  return answer.ok ? ({ ok: true, value: answer.value.projects } as const) : answer
}

type Repository = {
  readonly root: string
  /** The main worktree of a linked one; else the root. */
  readonly main: string
  /** The project's id as OpenCode noted it. */
  readonly id?: string
}

/** The repository around a folder, read from its files: git itself may not be installed. */
function repositoryOf(directory: string): Repository | undefined {
  for (let folder = directory; ; folder = dirname(folder)) {
    const dot = join(folder, ".git")
    if (existsSync(dot)) {
      const shared = sharedFolder(dot)
      const id = shared === undefined ? undefined : textOf(join(shared, "opencode"))
      return { root: folder, main: shared === undefined ? folder : dirname(shared), ...(id && { id }) }
    }
    if (dirname(folder) === folder) return undefined
  }
}

/** The `.git` folder that all worktrees share. */
function sharedFolder(dot: string): string | undefined {
  if (statSync(dot).isDirectory()) return dot
  const own = /^gitdir: (.+)$/m.exec(textOf(dot) ?? "")?.[1]
  if (own === undefined) return undefined
  const folder = resolve(dirname(dot), own.trim())
  const common = textOf(join(folder, "commondir"))
  return common === undefined ? folder : resolve(folder, common)
}

function textOf(path: string): string | undefined {
  if (!existsSync(path) || !statSync(path).isFile()) return undefined
  return readFileSync(path, "utf8").trim()
}
