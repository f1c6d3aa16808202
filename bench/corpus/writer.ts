import type { Random } from "./random.ts"
import { capital, EXTENSIONS, FOLDERS, JAPANESE, names, PROSE } from "./vocabulary.ts"

// Text as a coding agent's history holds it: prose, code, logs, listings, JSON, Japanese. Every call writes about
// as many characters as asked for.

export type Writer = {
  prose(units: number): string
  japanese(units: number): string
  code(units: number): string
  log(units: number): string
  listing(units: number): string
  path(): string
  title(): string
}

/** Names of a corpus; enough that most of a session's names are rare in the others. */
const NAMES = 24_000

export function writer(from: Random, pool: readonly string[]): Writer {
  const name = () => from.skewed(pool)
  const word = () => from.skewed(PROSE)
  const number = () => String(from.below(from.once(3) ? 100_000 : 100))
  const hex = (digits: number) => {
    let text = ""
    while (text.length < digits) text += from.below(0x1000000).toString(16).padStart(6, "0")
    return text.slice(0, digits)
  }
  const path = () => {
    let text = from.pick(FOLDERS)
    for (let depth = from.below(3); depth > 0; depth--) text += `/${from.pick(FOLDERS)}`
    return `${text}/${name()}.${from.pick(EXTENSIONS)}`
  }
  const sentence = () => {
    let text = capital(word())
    for (let left = 5 + from.below(14); left > 0; left--) {
      text += from.once(12) ? `, ${word()}` : from.once(14) ? ` \`${name()}\`` : ` ${word()}`
    }
    return `${text}${from.once(6) ? "?" : "."}`
  }
  const call = () => `${name()}(${from.once(2) ? `${name()}, ${name()}` : name()})`
  const codeLine = (indent: string) => {
    const kind = from.below(17)
    if (kind < 3) return `${indent}const ${name()} = await ${name()}.${call()}`
    if (kind < 5) return `${indent}const ${name()} = ${call()}`
    if (kind < 7)
      return `${indent}if (${name()} === ${from.once(2) ? "undefined" : number()}) return ${name()}`
    if (kind === 7) return `${indent}for (const ${name()} of ${name()}.${name()}) {`
    if (kind === 8) return `export function ${name()}(${name()}: ${capital(name())}): ${capital(name())} {`
    if (kind === 9) return `import { ${name()}, ${name()} } from "./${path()}"`
    if (kind === 10) return `${indent}// ${sentence()}`
    if (kind === 11) return `${indent}throw new Error(\`${word()} ${word()} \${${name()}}\`)`
    if (kind === 12) return `${indent}return { ${name()}, ${name()}: ${call()}, ${name()}: "${word()}" }`
    if (kind === 13) return `${indent}}`
    if (kind === 16) return `${indent}return await ${name()}.${call()}`
    if (kind === 14) return `${indent}${name()}.${name()} = ${number()}`
    return `${indent}assert.deepEqual(${call()}, ${name()})`
  }
  const logLine = () => {
    const at = `2026-${two(1 + from.below(12))}-${two(1 + from.below(28))}T${two(from.below(24))}:${two(from.below(60))}:${two(from.below(60))}.${String(from.below(1000)).padStart(3, "0")}Z`
    const level = from.skewed(["INFO", "DEBUG", "WARN", "ERROR"])
    return `${at} ${level} [${name()}] ${word()} ${word()} ${name()}=${hex(8)} duration=${number()}ms ${from.once(3) ? `path=/${path()}` : `id=${hex(16)}`}`
  }
  const listingLine = () =>
    from.once(3)
      ? `${path()}:${number()}: ${codeLine("  ")}`
      : from.once(2)
        ? path()
        : `  ✓ ${sentence()} (${number()} ms)`

  return {
    prose: (units) => fill(units, " ", sentence),
    japanese: (units) =>
      fill(units, "", () => {
        let text = ""
        for (let left = 8 + from.below(24); left > 0; left--) text += from.skewed(JAPANESE)
        return `${text}。`
      }),
    code: (units) => fill(units, "\n", () => codeLine("  ".repeat(1 + from.below(3)))),
    log: (units) => fill(units, "\n", logLine),
    listing: (units) => fill(units, "\n", listingLine),
    path,
    title: () => capital(`${word()} ${word()} ${from.once(2) ? name() : word()} ${word()}`),
  }
}

/** The names of a corpus. */
export function poolOf(seed: number): readonly string[] {
  return names(seed, NAMES)
}

function fill(units: number, between: string, piece: () => string): string {
  let text = piece()
  while (text.length < units) text += between + piece()
  return text
}

function two(value: number): string {
  return String(value).padStart(2, "0")
}
