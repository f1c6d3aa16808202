// Set-up that `npm start` and `npm test` share: the dependencies of the lockfile.
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./paths.mjs"

/** Installs the dependencies when they are missing or older than the lockfile. Ends the process when npm fails. */
export function ensureDependencies() {
  const lock = readFileSync(join(root, "package-lock.json"), "utf8")
  const note = join(root, "node_modules", ".baton-lock")
  if (existsSync(note) && readFileSync(note, "utf8") === lock) return
  console.log("Installing dependencies (npm ci) …")
  const result = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
    cwd: root,
    stdio: "inherit",
  })
  if (result.status !== 0) {
    console.error("npm ci failed (see above). It needs the npm registry; run it again, or `npm ci` by hand.")
    process.exit(1)
  }
  writeFileSync(note, lock)
}

/** The path of a tool that a dependency ships. */
export function tool(name) {
  return join(root, "node_modules", ".bin", name)
}
