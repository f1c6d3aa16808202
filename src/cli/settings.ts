import { type Options, parseOptions } from "../config/options.ts"
import { effectiveEntries } from "./config/sources.ts"

// The plugin's own options, as they stand in OpenCode's config: what is excluded or masked there is so here too.

type Environment = Readonly<Record<string, string | undefined>>

export type Settings = {
  readonly options: Options
  /** Lines for the user. */
  readonly problems: readonly string[]
  /** Why it is not known what is excluded; then nothing may be indexed. */
  readonly excludeUnknown?: string
}

/** The options of the entry that counts in `directory`; the defaults without one. */
export function settingsFor(env: Environment, directory: string): Settings {
  const { loaded, errors } = effectiveEntries(env, directory)
  const main = loaded.filter((one) => one.part === "main").map((one) => parseOptions(one.entry.options))
  const { options, problems } = main.at(-1) ?? parseOptions(undefined)
  // Any entry may load the plugin: what one of them excludes is meant to be kept out.
  const exclude = [...new Set(main.flatMap((one) => one.options.exclude))]
  const unknown = main.find((one) => one.excludeProblem !== undefined)?.excludeProblem ?? errors[0]
  return {
    options: { ...options, exclude },
    problems: [...errors, ...problems],
    ...(unknown === undefined ? {} : { excludeUnknown: unknown }),
  }
}
