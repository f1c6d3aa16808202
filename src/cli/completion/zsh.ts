import type { Known, KnownOption } from "./known.ts"

// The script for zsh, as the file `_baton` in a folder of fpath, or evaluated.

export function zshScript(commands: readonly Known[], common: readonly KnownOption[]): string {
  const described = commands.map((command) => `    ${quoted(`${command.name}:${command.description}`)}`)
  const cases = commands.map(
    (command) =>
      `    ${command.name}) _arguments \\\n${[
        ...[...command.options, ...common].map(optionSpec),
        argumentSpec(command),
      ]
        .map((spec) => `      ${quoted(spec)}`)
        .join(" \\\n")} ;;`,
  )
  return `#compdef baton
# zsh completion for baton. In a folder of fpath as _baton.
_baton() {
  local curcontext="$curcontext" state line
  typeset -A opt_args
  local -a commands
  commands=(
${described.join("\n")}
  )
  _arguments -C \\
${common.map((option) => `    ${quoted(optionSpec(option))}`).join(" \\\n")} \\
    '1: :->command' '*:: :->rest'
  case "$state" in
  command) _describe 'command' commands ;;
  rest)
    case "$line[1]" in
${cases.join("\n")}
    esac ;;
  esac
}
if [ "$funcstack[1]" = "_baton" ]; then _baton "$@"; else compdef _baton baton; fi
`
}

function optionSpec({ name, description, value, choices, takesPath }: KnownOption): string {
  const text = description.replaceAll(/[[\]:\\]/g, (mark) => `\\${mark}`)
  const values = choices.length > 0 ? `(${choices.join(" ")})` : takesPath ? "_files" : "()"
  if (value === "none") return `${name}[${text}]`
  return value === "optional" ? `${name}=-[${text}]:value:${values}` : `${name}[${text}]:value:${values}`
}

function argumentSpec({ choices, takesPath }: Known): string {
  if (takesPath) return "*:file:_files"
  return choices.length > 0 ? `1: :(${choices.join(" ")})` : "*:word:()"
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
