import type { Hooks, PluginInput } from "@opencode-ai/plugin"
import type { Options } from "../../config/options.ts"
import { excluder } from "../../history/sync/index.ts"
import { v1OlderThan } from "../../reading/cursor.ts"
import { handoffSession } from "../../tools/handoff-session.ts"
import { readSession } from "../../tools/read-session.ts"
import { historyPart } from "../history.ts"
import type { Caller, Log } from "../host.ts"
import { draftMaker } from "./draft.ts"
import { v1Feed } from "./feed.ts"
import { injectionHook } from "./inject.ts"
import type { Mode } from "./mode.ts"
import { sessionReader } from "./reader.ts"
import { receive } from "./signals.ts"

// What a plugin instance on V1 does: its tools, the injection, the sync of the index. Making it asks the host
// nothing.

/** A hook holds the user's message while it waits for the host; a tool call may wait longer. */
const hookTimeoutMs = 2000

/** V1 cuts a tool's answer over 50 KiB, and of an answer on one line it keeps nothing. */
const maxAnswerBytes = 48 * 1024

type Event = Parameters<NonNullable<Hooks["event"]>>[0]["event"]

/** What we take of the host's input. */
export type Input = Pick<PluginInput, "client" | "directory" | "worktree" | "project">

export type Instance = {
  /** Runs the tool of that name. */
  run(name: string, input: unknown, caller: Caller): Promise<string>
  /** The `chat.message` hook. Never throws. */
  readonly inject: NonNullable<Hooks["chat.message"]>
  /** Takes an event of the host. Returns at once and never throws. */
  receive(event: Event): void
  leave(): Promise<void>
}

export function createInstance(
  input: Input,
  shared: {
    readonly options: Options
    readonly excludeProblem?: string | undefined
    readonly mode: Mode
    readonly log: Log
  },
): Instance {
  const { client, directory, worktree, project } = input
  const { options, mode, log } = shared
  const reader = sessionReader(client)
  const feed = v1Feed(client)
  const history = historyPart({
    options,
    excludeProblem: shared.excludeProblem,
    feed,
    reader,
    log,
    project: { id: project.id, directory, worktree },
    maxAnswerBytes,
    olderThan: v1OlderThan,
  })
  const { maskSecrets } = options
  const excluded = excluder(options.exclude)
  const tools = [
    handoffSession({ reader, drafts: draftMaker({ client, mode, directory, log }), log, now: Date.now }),
    readSession({ reader, maxAnswerBytes, maskSecrets, excluded }),
    ...(history?.tools ?? []),
  ]
  const byName = new Map(tools.map((tool) => [tool.name, tool]))

  return {
    async run(name, raw, caller) {
      const tool = byName.get(name)
      if (tool === undefined) throw new Error("it has a definition and nothing behind it")
      return tool.run(raw, caller)
    },
    inject: injectionHook({
      client,
      reader: sessionReader(client, hookTimeoutMs),
      options,
      directory,
      worktree,
      log,
    }),
    receive(event) {
      if (event.type === "tui.command.execute") receive(event.properties.command)
      feed.receive(event)
    },
    leave: async () => history?.sync.leave(),
  }
}
