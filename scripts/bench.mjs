// `npm run bench`: measures the package and what it is compared with. Sets up what is missing; `--help` tells the rest.
import { spawnSync } from "node:child_process"
import { root } from "./paths.mjs"
import { ensureDependencies, tool } from "./setup.mjs"

ensureDependencies()

const { buildPackage } = await import("./build.mjs")
await buildPackage()

const result = spawnSync(tool("bun"), ["bench/main.ts", ...process.argv.slice(2)], {
  cwd: root,
  stdio: "inherit",
})
if (result.error) console.error(`The benchmark could not start: ${result.error.message}`)
process.exit(result.status ?? 1)
