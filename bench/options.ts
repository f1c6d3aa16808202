import { parseArgs } from "node:util"

// The command line of the benchmark.

export const HELP = `npm run bench -- [options]
  --size 20k|200k|1m   messages of the corpus (default 20k); any number goes
  --only a,b           parts: engine, node, fts5, like, like-said, scan, rg, append, reads, command, load, definitions,
                       answers
  --seed n             another corpus
  --json file          the figures
  --chart file         an SVG of the search times
  --growth file        figures of a smaller corpus (--json), to compare rare and common words with
  --folder path        work there and keep it`

const PARTS = [
  "engine",
  "node",
  "fts5",
  "like",
  "like-said",
  "scan",
  "rg",
  "append",
  "reads",
  "command",
  "load",
  "definitions",
  "answers",
]

/** At more messages than this the scan does not fit in memory and the usual design takes hours to build. */
export const LARGE = 300_000

const LEFT_OUT_WHEN_LARGE = ["fts5", "scan"]

/** These are asked for by name only. */
const BY_NAME = ["node"]

/** These need the index of another part. */
const NEED_ENGINE = ["append", "reads", "command"]

const OPTIONS = {
  size: { type: "string", default: "20k" },
  only: { type: "string" },
  seed: { type: "string", default: "1" },
  json: { type: "string" },
  chart: { type: "string" },
  growth: { type: "string" },
  folder: { type: "string" },
  help: { type: "boolean" },
} as const

export type Options = {
  readonly messages: number
  readonly seed: number
  readonly parts: ReadonlySet<string>
  readonly json?: string
  readonly chart?: string
  readonly growth?: string
  readonly folder?: string
  /** What is left out, and why. */
  readonly notes: string[]
}

/** The options, or a text to show instead. */
export function readOptions(given: readonly string[]): Options | string {
  const parsed = parse(given)
  if (typeof parsed === "string") return `${parsed}\n\n${HELP}`
  const { values } = parsed
  if (values.help === true) return HELP
  const messages = sizeOf(values.size)
  if (messages === undefined) return `--size is "${values.size}"; write 20k, 200k or 1m`
  const named = values.only?.split(",")
  const unknown = named?.find((part) => !PARTS.includes(part))
  if (unknown !== undefined) return `--only has "${unknown}"; choose from ${PARTS.join(", ")}`
  const large = messages > LARGE ? LEFT_OUT_WHEN_LARGE : []
  const parts = new Set(named ?? PARTS.filter((part) => !BY_NAME.includes(part) && !large.includes(part)))
  if (NEED_ENGINE.some((part) => parts.has(part))) parts.add("engine")
  const { json, chart, growth, folder } = values
  return {
    messages,
    seed: Number(values.seed),
    parts,
    ...(json === undefined ? {} : { json }),
    ...(chart === undefined ? {} : { chart }),
    ...(growth === undefined ? {} : { growth }),
    ...(folder === undefined ? {} : { folder }),
    notes:
      named === undefined && large.length > 0
        ? [`${large.join(" and ")} left out at this size; \`--only\` names them`]
        : [],
  }
}

function sizeOf(text: string): number | undefined {
  const found = /^(\d+)(k|m)?$/i.exec(text)
  if (!found) return undefined
  const unit = { k: 1_000, m: 1_000_000 }[found[2]?.toLowerCase() ?? ""] ?? 1
  return Number(found[1]) * unit
}

/** The values, or what is wrong with them. */
function parse(given: readonly string[]) {
  try {
    return parseArgs({ args: [...given], options: OPTIONS })
  } catch (error) {
    if (error instanceof TypeError) return error.message
    throw error
  }
}
