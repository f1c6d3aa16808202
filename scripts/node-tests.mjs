// The unit tests as Node runs them in `npm test`: bundled once, because Node strips the types of the whole import graph
// anew in every process and every worker thread (a quarter of a second of processor time each).
import { readFile, rm } from "node:fs/promises"
import { dirname, join, relative } from "node:path"
import { pathToFileURL } from "node:url"
import { build } from "esbuild"
import { root } from "./paths.mjs"

const outdir = join(root, ".cache", "node-tests")

/** Bundles these test files. Returns what `node --test` runs for each of them, relative to the repository. */
export async function bundleNodeTests(files) {
  await rm(outdir, { recursive: true, force: true })
  await build({
    absWorkingDir: root,
    outdir,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node22",
    mainFields: ["module", "main"],
    // A package with CommonJS in it is loaded as it is installed.
    external: ["bun:*", "esbuild", "@modelcontextprotocol/*"],
    chunkNames: "chunks/[name]-[hash]",
    sourcemap: true,
    logLevel: "warning",
    // The worker stands where a bundle of the package has it, so that a thread loads one file of code too.
    entryPoints: {
      "history-worker": "src/history/worker.ts",
      ...Object.fromEntries(files.map((file) => [file.replace(/\.ts$/, ""), file])),
    },
    plugins: [ownPlace],
  })
  return new Map(files.map((file) => [file, relative(root, join(outdir, file.replace(/\.ts$/, ".js")))]))
}

/** A test finds its fixtures and programs beside its source, not beside the bundle. */
const ownPlace = {
  name: "own-place",
  setup(builder) {
    builder.onLoad({ filter: /[\\/](?:test|bench)[\\/].*\.ts$/ }, async ({ path }) => ({
      contents: (await readFile(path, "utf8"))
        .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href))
        .replaceAll("import.meta.dirname", JSON.stringify(dirname(path))),
      loader: "ts",
    }))
  },
}
