import { dirname, join, resolve } from "node:path"

// `{env:NAME}` and `{file:path}` in the text of a config, as OpenCode 1.18 writes them out before it reads the JSON.
// https://opencode.ai/docs/config/#variables

export type Place = {
  readonly env: Readonly<Record<string, string | undefined>>
  /** The file the text stands in; what `{file:}` names is relative to its folder. */
  readonly path: string
  readonly home: string
  /** The text of a file; throws one line when there is none. */
  readonly read: (path: string) => string
}

/**
 * The text with its variables written out. An unset variable is empty; a file is written as the inside of a JSON string,
 * without the white space around it. On a comment's line `{file:}` stays. Throws what `read` throws.
 */
export function withVariables(text: string, { env, path, home, read }: Place): string {
  return text
    .replace(/\{env:([^{}]+)\}/g, (_whole, name: string) => env[name] ?? "")
    .split("\n")
    .map((line) => (line.trimStart().startsWith("//") ? line : line.replace(/\{file:([^{}]+)\}/g, written)))
    .join("\n")

  function written(_whole: string, name: string): string {
    const file = name.startsWith("~/") ? join(home, name.slice(2)) : resolve(dirname(path), name)
    return JSON.stringify(read(file).trim()).slice(1, -1)
  }
}
