import { existsSync, readFileSync, statSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import type { History, HistoryResult, ProjectsAnswer } from "../history/contract.ts"
import { realPath } from "../history/real-paths.ts"
import type { ProjectInfo } from "../tools/search/services.ts"
import { isFolderProject } from "../tools/own-project.ts"

// Which project a folder belongs to, without asking the host: OpenCode notes a repository's id inside it; failing
// that the index knows which projects worked there. Without a repository a folder is a project of its own.

/** The project of `directory`; undefined when the index knows no session of it. */
export async function projectAt(
  history: History,
  directory: string,
): Promise<HistoryResult<ProjectInfo | undefined>> {
  const repository = repositoryOf(directory)
  const roots = repository === undefined ? [directory] : [repository.root, repository.main]
  const known: { readonly root: string; readonly ids: readonly string[] }[] = []
  for (const root of new Set(roots)) {
    const found = await history.projectsIn(root)
    if (!found.ok) return found
    known.push({ root, ids: found.value })
  }
  if (repository?.id !== undefined) {
    const noted = await isKnown(
      history,
      repository.id,
      known.flatMap((one) => one.ids),
    )
    if (!noted.ok) return noted
    if (noted.value) return project(repository.id, directory, repository.root)
  }
  for (const { root, ids } of known) {
    const own = await projectOf(history, root, ids, repository !== undefined)
    if (!own.ok) return own
    if (own.value !== undefined) return project(own.value, directory, root)
  }
  return { ok: true, value: undefined }
}

function project(id: string, directory: string, root: string): HistoryResult<ProjectInfo> {
  return { ok: true, value: { id, directory: isFolderProject(id) ? root : directory, worktree: root } }
}

/** Whether a project has sessions, be it only in another clone: every session is looked at only then. */
async function isKnown(
  history: History,
  id: string,
  nearby: readonly string[],
): Promise<HistoryResult<boolean>> {
  if (nearby.includes(id)) return { ok: true, value: true }
  const found = await projectsOf(history, { projects: [id] })
  return found.ok ? { ok: true, value: found.value.length > 0 } : found
}

/**
 * The project of a root with sessions of these. Repositories below it are projects of their own: the one that worked in
 * the root itself is meant. In a repository sessions may all stand in its folders; a folder that only holds projects is
 * none.
 */
async function projectOf(
  history: History,
  root: string,
  ids: readonly string[],
  isRepository: boolean,
): Promise<HistoryResult<string | undefined>> {
  if (ids.length === 0 || (isRepository && ids.length === 1)) return { ok: true, value: ids[0] }
  const found = await projectsOf(history, { directories: [root] })
  if (!found.ok) return found
  const own = found.value.find((one) =>
    one.directories.some((directory) => realPath(directory) === realPath(root)),
  )
  const other = isRepository ? found.value[0] : found.value.find((one) => isFolderProject(one.id))
  return { ok: true, value: (own ?? other)?.id }
}

async function projectsOf(
  history: History,
  some: { readonly projects?: readonly string[]; readonly directories?: readonly string[] },
): Promise<HistoryResult<ProjectsAnswer["projects"]>> {
  const answer = await history.projects({
    words: [],
    excluded: [],
    scope: { kind: "some", ...some },
    include: ["subagents", "archived", "reverted"],
    limit: EVERY,
  })
  return answer.ok ? { ok: true, value: answer.value.projects } : answer
}

/** The one that is meant may be the smallest of all. */
const EVERY = Number.MAX_SAFE_INTEGER

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
