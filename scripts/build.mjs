// Builds the package's bundles into dist/. Everything is bundled except the runtime's own modules.
import { chmod, readFile, rm, writeFile } from "node:fs/promises"
import { build } from "esbuild"
import { root } from "./paths.mjs"

/** What every bundle has in common. */
const shared = {
  absWorkingDir: root,
  outdir: "dist",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  // The ESM form of a package where it has one: its UMD form cannot be bundled.
  mainFields: ["module", "main"],
  external: ["bun:*"],
  chunkNames: "chunks/[name]-[hash]",
  logLevel: "warning",
}

/** Builds dist/ afresh. Throws when a file does not compile. */
export async function buildPackage() {
  await rm(`${root}/dist`, { recursive: true, force: true })
  // One file each, without chunks: a host loads these at its start, and each file more is a third of a millisecond.
  await build({
    ...shared,
    splitting: false,
    entryPoints: {
      plugin: "src/plugin.ts",
      "v1-server": "src/hosts/v1/server.ts",
      "v2-entry": "src/hosts/v2/entry.ts",
    },
    plugins: [
      apart({
        "./hosts/v1/server.ts": "./v1-server.js",
        "./hosts/v2/entry.ts": "./v2-entry.js",
        "./instance.ts": "./v1-instance.js",
        "./setup.ts": "./v2-setup.js",
      }),
    ],
  })
  await build({
    ...shared,
    entryPoints: {
      "v1-instance": "src/hosts/v1/instance.ts",
      "v2-setup": "src/hosts/v2/setup.ts",
      terminal: "src/terminal.ts",
      "history-worker": "src/history/worker.ts",
    },
  })
  // Apart, so that no chunk of the plugin holds what only the command needs.
  await build({
    ...shared,
    entryPoints: { baton: "src/cli/baton.ts" },
    chunkNames: "chunks/baton-[name]-[hash]",
  })
  const command = `${root}/dist/baton.js`
  await writeFile(command, `#!/usr/bin/env node\n${await readFile(command, "utf8")}`)
  await chmod(command, 0o755)
}

/** Leaves an `import()` of these sources to their own bundles in dist/. */
function apart(bundles) {
  return {
    name: "apart",
    setup(builder) {
      builder.onResolve({ filter: /\.ts$/ }, ({ kind, path }) =>
        kind === "dynamic-import" && path in bundles ? { path: bundles[path], external: true } : undefined,
      )
    },
  }
}

if (process.argv[1] === import.meta.filename) await buildPackage()
