import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Load, type LoadFigures, loadOf } from "./figures.ts"

// What the plugin adds to a host's start: it and a plugin that does nothing, loaded in turn by fresh processes.

const PAIRS = 40

const NOTHING = 'export default { id: "nothing", async server() { return {} } }\n'

export function measureLoad(plugin: string, work: string): LoadFigures {
  const nothing = join(work, "nothing.js")
  writeFileSync(nothing, NOTHING)
  const pairs: LoadFigures["pairs"] = []
  load(plugin, work)
  for (let round = 0; round < PAIRS; round++) {
    // In turn, so that what else the machine does meets both alike.
    if (round % 2 === 0) {
      const idle = load(nothing, work)
      pairs.push({ nothing: idle, plugin: load(plugin, work) })
    } else {
      const ours = load(plugin, work)
      pairs.push({ nothing: load(nothing, work), plugin: ours })
    }
  }
  return { pairs }
}

function load(file: string, work: string): Load {
  const child = join(import.meta.dirname, "load-child.ts")
  const result = spawnSync(process.execPath, [child, file, join(work, "load-data")], { encoding: "utf8" })
  if (result.status !== 0) throw new Error(`${file} did not load: ${result.stderr}`)
  return loadOf.parse(JSON.parse(result.stdout))
}
