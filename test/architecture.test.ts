import { describe, test } from "node:test"
import assert from "node:assert/strict"
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import { fileURLToPath } from "node:url"

// The direction of imports, as docs/architecture.md draws it: hosts call tools, tools call the middle, the middle
// knows neither a host nor a driver.

const root = fileURLToPath(new URL("../", import.meta.url))

/** What each room may import besides itself. */
const rooms: Readonly<Record<string, readonly string[]>> = {
  text: [],
  session: ["text"],
  query: ["text"],
  config: ["text"],
  storage: [],
  handoff: ["text", "session"],
  history: ["text", "session", "query", "storage", "config", "hosts/host.ts", "handoff/record.ts"],
  reading: ["text", "session", "hosts/host.ts", "history/contract.ts"],
  tools: ["text", "session", "query", "config", "handoff", "history", "reading", "hosts/host.ts"],
  hosts: ["text", "session", "config", "handoff", "history", "reading", "tools"],
  terminal: ["handoff", "session", "text", "hosts/data-dir.ts"],
  mcp: ["text", "session", "query", "config", "tools", "hosts/host.ts"],
  cli: [
    "text",
    "session",
    "query",
    "config",
    "handoff",
    "history",
    "reading",
    "tools",
    "hosts",
    "storage",
    "mcp",
  ],
  "plugin.ts": ["hosts"],
  "terminal.ts": ["terminal"],
}

const files = readdirSync(join(root, "src"), { recursive: true })
  .map((file) => String(file).replaceAll("\\", "/"))
  .filter((file) => file.endsWith(".ts"))

function roomOf(file: string): string {
  return file.split("/")[0] ?? file
}

function importsOf(file: string): string[] {
  const code = readFileSync(join(root, "src", file), "utf8")
  return [...code.matchAll(/(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)].map((match) =>
    normalize(join(dirname(file), match[1] ?? "")).replaceAll("\\", "/"),
  )
}

describe("imports go one way", () => {
  for (const file of files)
    test(file, () => {
      const allowed = rooms[roomOf(file)]
      assert.ok(allowed, `src/${roomOf(file)} is not in docs/architecture.md`)
      const wrong = importsOf(file).filter(
        (target) =>
          roomOf(target) !== roomOf(file) && !allowed.includes(roomOf(target)) && !allowed.includes(target),
      )
      assert.deepEqual(wrong, [])
    })
})

test("one host never imports the other", () => {
  const crossing = files.flatMap((file) =>
    importsOf(file)
      .filter((target) =>
        file.startsWith("hosts/v1/")
          ? target.startsWith("hosts/v2/")
          : file.startsWith("hosts/v2/") && target.startsWith("hosts/v1/"),
      )
      .map((target) => `${file} -> ${target}`),
  )
  assert.deepEqual(crossing, [])
})

test("the two entries import nothing at load", () => {
  for (const entry of ["plugin.ts", "terminal.ts"]) {
    const code = readFileSync(join(root, "src", entry), "utf8")
    assert.deepEqual(code.match(/^import (?!type )/gm), null, entry)
  }
})

describe("what a host loads at its start is little", () => {
  for (const entry of ["hosts/v1/server.ts", "hosts/v2/entry.ts"])
    test(entry, () => {
      const outside = new Set<string>()
      const seen = new Set<string>()
      const follow = (file: string): void => {
        if (seen.has(file)) return
        seen.add(file)
        for (const target of loadedBy(file))
          if (target.startsWith(".")) follow(normalize(join(dirname(file), target)).replaceAll("\\", "/"))
          else outside.add(target)
      }
      follow(entry)
      // Of the runtime's modules these two cost nothing; node:crypto or node:zlib alone take as long as all of ours.
      const cheap = ["node:path", "node:url", "zod/mini"]
      assert.deepEqual(
        [...outside].filter((name) => !cheap.includes(name)),
        [],
      )
      const heavy =
        /^(?:history|reading|tools\/search(?!\/limits))\/|^hosts\/(?:history|v1\/instance|v2\/setup)\.ts$/
      assert.deepEqual(
        [...seen].filter((file) => heavy.test(file)),
        [],
      )
    })

  /** Imports that are carried out when the file is loaded: neither types nor `import()`. */
  function loadedBy(file: string): string[] {
    const code = readFileSync(join(root, "src", file), "utf8")
    return [...code.matchAll(/^(?:import|export) (?!type )[^"]*?from "([^"]+)"/gm)].map(
      (match) => match[1] ?? "",
    )
  }
})

test("only the storage drivers name a SQLite module", () => {
  const naming = files.filter((file) =>
    /["'](?:bun|node):sqlite["']/.test(readFileSync(join(root, "src", file), "utf8")),
  )
  assert.deepEqual(
    naming.filter((file) => !file.startsWith("storage/")),
    [],
  )
})

test("every room of src is in docs/architecture.md", () => {
  const page = readFileSync(join(root, "docs/architecture.md"), "utf8")
  for (const room of new Set(files.map(roomOf))) assert.ok(page.includes(room), room)
})
