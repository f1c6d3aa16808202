import { realpath, stat } from "node:fs/promises"
import { posix, win32 } from "node:path"
import { equivalentPath, equivalents } from "./equivalent-path.ts"
import { errorCode } from "./file-errors.ts"
import type { ReadRules, ReadVerdict } from "./read-rules.ts"
import type { Spelling } from "./spellings.ts"

// From a spelling to a file inside the project. Symlinks are followed before anything is checked, a file is
// never opened here, and every outcome is a value.

/** Where a session works. Paths are absolute; a worktree of "/" means there is no repository. */
export type Place = {
  readonly directory: string
  readonly worktree: string
  readonly home: string
  readonly platform: NodeJS.Platform
}

export type Project = Place & {
  /** Directory and worktree with their symlinks resolved: a file must be inside one of them. */
  readonly roots: readonly string[]
  readonly rules: ReadRules
}

export type Refusal = "missing" | "directory" | "outside" | "not a regular file" | "unreadable" | Forbidden

/** Why the rules keep a file out that is there. */
type Forbidden = Exclude<ReadVerdict, "allowed">

export type Resolution =
  | {
      readonly kind: "file"
      /** As the host would name it: absolute, symlinks kept. */
      readonly path: string
      /** What to open. */
      readonly real: string
      readonly spelling: Spelling
    }
  | { readonly kind: "refused"; readonly reason: Refusal }

/** Resolves the project's roots once. A root that cannot be resolved is taken as written. */
export async function openProject(place: Place, rules: ReadRules): Promise<Project> {
  const roots = await Promise.all(bases(place).map((root) => realpath(root).catch(() => root)))
  return { ...place, roots, rules }
}

/**
 * The first spelling that leads to a readable file. When none does, the first reason that is not "missing";
 * guesses inside a token count only when a file is really there.
 */
export async function resolveSpellings(
  spellings: readonly Spelling[],
  project: Project,
): Promise<Resolution> {
  let refusal: Refusal = "missing"
  for (const spelling of spellings) {
    for (const path of absolutePaths(spelling.path, project)) {
      const found = await inspect(path, project)
      if (found.kind === "file") return { ...found, spelling }
      if (spelling.guess && found.reason !== "refused" && found.reason !== "unknown") continue
      if (refusal === "missing") refusal = found.reason
    }
  }
  return { kind: "refused", reason: refusal }
}

/** Where a spelling may lie: absolute, in the home folder, or in the session's folder and then the worktree. */
export function absolutePaths(spelling: string, place: Place): string[] {
  const path = pathsOf(place)
  const written = place.platform === "win32" ? spelling.replaceAll("/", "\\") : spelling
  if (written === "~" || written.startsWith(`~${path.sep}`)) return [path.join(place.home, written.slice(1))]
  if (path.isAbsolute(written)) return [path.normalize(written)]
  return bases(place).map((base) => path.resolve(base, written))
}

async function inspect(
  written: string,
  project: Project,
): Promise<
  | { readonly kind: "file"; readonly path: string; readonly real: string }
  | { readonly kind: "refused"; readonly reason: Refusal }
> {
  // Asking Windows for a path on another machine signs in there: refuse before touching it.
  if (project.platform === "win32" && written.startsWith("\\\\") && !inside(written, bases(project), project))
    return refused("outside")
  let path = written
  let found = await realFile(path)
  if (found === "missing") {
    const other = await equivalentPath(written, pathsOf(project).sep)
    if (other !== undefined) {
      path = other
      found = await realFile(path)
    }
  }
  if (typeof found === "string") return refused(found)
  if (!inside(found.real, project.roots, project)) return refused("outside")
  if (found.kind !== "file") return refused(found.kind)
  const paths = pathsOf(project)
  const worktree = project.worktree === "/" ? "/" : (project.roots.at(-1) ?? project.worktree)
  const names = [paths.relative(project.worktree, path), paths.relative(worktree, found.real)]
  // A rule and the file it means may be spelt differently too.
  const verdicts = names.flatMap(equivalents).map((name) => project.rules(name))
  const against = verdicts.find((verdict) => verdict !== "allowed")
  if (against !== undefined) return refused(against)
  return { kind: "file", path, real: found.real }
}

type RealFile = { readonly real: string; readonly kind: "file" | "directory" | "not a regular file" }

async function realFile(path: string): Promise<RealFile | Refusal> {
  try {
    const real = await realpath(path)
    const info = await stat(real)
    if (info.isDirectory()) return { real, kind: "directory" }
    return { real, kind: info.isFile() ? "file" : "not a regular file" }
  } catch (error) {
    return ["EACCES", "EPERM", "ELOOP", "EIO"].includes(errorCode(error)) ? "unreadable" : "missing"
  }
}

function inside(real: string, roots: readonly string[], place: Place): boolean {
  const path = pathsOf(place)
  return roots.some((root) => {
    const way = path.relative(root, real)
    return way !== ".." && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way)
  })
}

function bases(place: Place): string[] {
  return place.worktree === "/" || place.worktree === place.directory
    ? [place.directory]
    : [place.directory, place.worktree]
}

function pathsOf(place: Place): typeof posix {
  return place.platform === "win32" ? win32 : posix
}

function refused(reason: Refusal): { readonly kind: "refused"; readonly reason: Refusal } {
  return { kind: "refused", reason }
}
