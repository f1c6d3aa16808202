import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseSync, Visitor } from "oxc-parser"
import { plainPattern } from "../src/text/fold.ts"

// Every regular expression of src/: literals out of the syntax tree, made ones by watching the constructor.

export type Expression = { readonly where: string; readonly source: string; readonly flags: string }

const SRC = join(import.meta.dirname, "../src")

/** What functions make, by file, as they make it; expressions made at a module's start need no call. */
const CALLS: Readonly<Record<string, () => unknown>> = {
  "text/fold.ts": () => plainPattern("a.b*c"),
  "hosts/v2/tools.ts": () => new RegExp("(?:^|[._/:-])history-read$"),
  "hosts/v2/inject.ts": () => new RegExp("^/handoff(?:$|[ \\n]([^]*))"),
}

/** All of them; throws when a file makes some that no call shows. */
export async function expressionsOfSource(): Promise<readonly Expression[]> {
  const found: Expression[] = []
  for (const file of readdirSync(SRC, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".ts")) continue
    const text = readFileSync(join(SRC, file), "utf8")
    const line = (offset: number) => `${file}:${text.slice(0, offset).split("\n").length}`
    let made = 0
    const count = (callee: { readonly type: string }) => {
      if ("name" in callee && callee.name === "RegExp") made++
    }
    new Visitor({
      Literal: (node) => {
        if (!("regex" in node) || !node.regex) return
        found.push({ where: line(node.start), source: node.regex.pattern, flags: node.regex.flags })
      },
      NewExpression: (node) => count(node.callee),
      CallExpression: (node) => count(node.callee),
    }).visit(parseSync(file, text).program)
    if (made === 0) continue
    const shown = await madeBy(file)
    if (shown.length < made) throw new Error(`${file} makes expressions that CALLS does not show`)
    found.push(...shown.map(({ source, flags }) => ({ where: file, source, flags })))
  }
  return found
}

async function madeBy(file: string): Promise<readonly RegExp[]> {
  const made: RegExp[] = []
  const original = globalThis.RegExp
  const note = (expression: RegExp) => (made.push(expression), expression)
  globalThis.RegExp = new Proxy(original, {
    construct: (target, [pattern, flags]) => note(new target(pattern, flags)),
    apply: (target, _self, [pattern, flags]) => note(target(pattern, flags)),
  })
  try {
    // A module of its own: one that was loaded before makes nothing.
    await import(`${join(SRC, file)}?watched`)
    CALLS[file]?.()
  } finally {
    globalThis.RegExp = original
  }
  return made
}
