// Builds the package's bundles into dist/. Everything is bundled except the runtime's own modules.
import { rm } from "node:fs/promises"
import { build } from "esbuild"
import { root } from "./paths.mjs"

/** Builds dist/ afresh. Throws when a file does not compile. */
export async function buildPackage() {
  await rm(`${root}/dist`, { recursive: true, force: true })
  await build({
    absWorkingDir: root,
    entryPoints: {
      plugin: "src/plugin.ts",
      terminal: "src/terminal.ts",
      "history-worker": "src/history/worker.ts",
    },
    outdir: "dist",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20",
    external: ["bun:*"],
    chunkNames: "chunks/[name]-[hash]",
    logLevel: "warning",
  })
}

if (process.argv[1] === import.meta.filename) await buildPackage()
