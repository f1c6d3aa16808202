import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { ensureOpencode } from "../../scripts/opencode.mjs"
import {
  BUILT_PLUGIN,
  checkedPlugins,
  environment,
  hostConfig,
  MODELS_FILE,
  type PluginEntry,
} from "./host-config.ts"
import { startModel, type Model, type Script } from "./model.ts"
import { groupMembers, markedBy } from "./process-table.ts"
import { endGroup, signalPid, startProgram, type Launch, type Program } from "./program.ts"
import { makeProject, seedConfigDir, type Project } from "./project.ts"
import { onSuddenEnd } from "./sudden-end.ts"
import { waitUntil } from "./wait.ts"

// A private world for one test: folders, a scripted model, a git project, OpenCode's config. Nothing of the
// machine's own OpenCode is seen or changed, and `stop` leaves neither a process nor a file.

export type WorldSetup = {
  /** Server plugins, in order. Default: the built plugin of this repository. */
  readonly plugins?: readonly PluginEntry[]
  /** Terminal plugins, in order. Default: none. */
  readonly terminalPlugins?: readonly PluginEntry[]
  /** What the model answers. */
  readonly script?: Script
  /** A model that outlives the world, in place of one of its own. */
  readonly model?: Model
  /** Added to opencode.json, top-level key by key. */
  readonly config?: Readonly<Record<string, unknown>>
  /** Added to the environment of every program. */
  readonly env?: Readonly<Record<string, string>>
}

export type World = AsyncDisposable & {
  readonly root: string
  readonly home: string
  /** The binary. */
  readonly opencode: string
  /** The host's own folders, `opencode` included. */
  readonly data: string
  readonly config: string
  readonly model: Model
  readonly project: Project
  readonly env: Readonly<Record<string, string>>
  /** Another git project beside the first. */
  addProject(name: string): Project
  /** Writes any file of the world, path relative to `root`; returns the absolute path. */
  write(path: string, content: string): string
  /** Replaces the plugin lists, for hosts started from now on. */
  usePlugins(plugins: readonly PluginEntry[], terminalPlugins?: readonly PluginEntry[]): void
  /** Starts OpenCode with any arguments. `serve` and `run` are built on it. */
  start(args: readonly string[], launch?: Partial<Launch>): Promise<Program>
  /** Takes over a process group that was started otherwise; the result gives it back once it ended. */
  adopt(pgid: number): () => void
  /** OpenCode's own log. */
  log(): string
  /** Pids of the world's processes that run now. */
  processes(): readonly number[]
  /** Ends every process of the world and removes its folder. A second call does nothing. */
  stop(): Promise<void>
}

/** Makes a world, gives it to `use`, and stops it, also when `use` fails. */
export async function inWorld<Value>(
  setup: WorldSetup,
  use: (world: World) => Promise<Value>,
): Promise<Value> {
  const world = await makeWorld(setup)
  try {
    return await use(world)
  } finally {
    await world.stop()
  }
}

/** Makes a world; its owner stops it. Rejects, leaving nothing, when OpenCode cannot be had. */
export async function makeWorld(setup: WorldSetup = {}): Promise<World> {
  const opencode = await ensureOpencode()
  const plugins = checkedPlugins(setup.plugins ?? [BUILT_PLUGIN])
  const terminalPlugins = checkedPlugins(setup.terminalPlugins ?? [])
  const model = setup.model ?? (await startModel(setup.script))
  const root = realpathSync(mkdtempSync(join(tmpdir(), "baton-")))
  const env = { ...environment(root), ...setup.env }
  const groups = new Set<number>()
  let stopped: Promise<void> | undefined

  const remove = () => rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })
  const killNow = (pgids: Iterable<number>) => {
    for (const pgid of pgids) signalPid(-pgid, "SIGKILL")
    for (const pid of markedBy(root)) signalPid(pid, "SIGKILL")
  }
  const forget = onSuddenEnd(() => {
    killNow(groups)
    remove()
  })
  const stop = async () => {
    try {
      // Newest first: a terminal ends before the server it is attached to.
      for (const pgid of [...groups].reverse()) await endGroup(pgid)
    } finally {
      killNow([])
      await waitUntil(
        () => (markedBy(root).length === 0 ? true : undefined),
        () => `processes ${markedBy(root).join(", ")} survive SIGKILL`,
      )
      if (setup.model === undefined) await model.stop()
      remove()
      forget()
    }
  }

  const write = (path: string, content: string) => {
    const target = join(root, path)
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, content)
    return target
  }
  const usePlugins = (server: readonly PluginEntry[], terminal: readonly PluginEntry[] = []) => {
    const config = { ...hostConfig(model.url), ...setup.config, plugin: server }
    write("config/opencode/opencode.json", JSON.stringify(config))
    write("config/opencode/tui.json", JSON.stringify({ plugin: terminal }))
  }

  const start = async (project: Project, args: readonly string[], launch: Partial<Launch>) => {
    const cwd = launch.cwd ?? project.directory
    // `run` takes its project from PWD, `serve` from the working directory.
    const program = await startProgram(opencode, args, {
      ...launch,
      cwd,
      env: { ...env, ...launch.env, PWD: cwd },
    })
    groups.add(program.pid)
    // Once a group is empty its number may become someone else's.
    void program.exited.then(() => groupMembers(program.pid).length === 0 && groups.delete(program.pid))
    return program
  }

  try {
    for (const folder of ["home", "tmp", "data", "cache", "state", "managed"]) mkdirSync(join(root, folder))
    write(MODELS_FILE, "{}")
    seedConfigDir(join(root, "config", "opencode"))
    usePlugins(plugins, terminalPlugins)
    const project = makeProject(join(root, "work", "project"), env)
    return {
      root,
      home: join(root, "home"),
      opencode,
      data: join(root, "data", "opencode"),
      config: join(root, "config", "opencode"),
      model,
      project,
      env,
      addProject: (name) => makeProject(join(root, "work", name), env),
      write,
      usePlugins,
      start: (args, launch = {}) => start(project, args, launch),
      adopt(pgid) {
        groups.add(pgid)
        return () => void groups.delete(pgid)
      },
      log: () => logText(join(root, "data", "opencode", "log")),
      processes: () => [...new Set([...markedBy(root), ...[...groups].flatMap(groupMembers)])],
      stop: () => (stopped ??= stop()),
      [Symbol.asyncDispose]: () => (stopped ??= stop()),
    }
  } catch (error) {
    await stop()
    throw error
  }
}

function logText(directory: string): string {
  if (!existsSync(directory)) return ""
  const files = readdirSync(directory).sort()
  return files.map((name) => readFileSync(join(directory, name), "utf8")).join("")
}
