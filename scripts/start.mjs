// `npm start`: the tour. Sets up what is missing, then runs it on a real OpenCode.
import { spawnSync } from "node:child_process"
import { root } from "./paths.mjs"
import { ensureDependencies, tool } from "./setup.mjs"

ensureDependencies()

const { ensureOpencode, OPENCODE_VERSION } = await import("./opencode.mjs")
const { buildPackage } = await import("./build.mjs")
await buildPackage()
console.log(`Setting up OpenCode ${OPENCODE_VERSION} (first time: a download of about 120 MB) …`)
const binary = await ensureOpencode().catch((error) => {
  console.error(`OpenCode could not be set up: ${error.message}`)
  process.exit(1)
})

const result = spawnSync(tool("bun"), ["tour/main.ts"], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, BATON_OPENCODE: binary },
})
if (result.error) console.error(`The tour could not start: ${result.error.message}`)
process.exit(result.status ?? 1)
