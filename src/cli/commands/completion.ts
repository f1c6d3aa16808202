import type { Command, Option } from "commander"
import type { Context } from "../context.ts"
import { DONE, type Outcome } from "../outcome.ts"

// Completion scripts, made from the program's own definition, so that they cannot forget an option. They call
// nothing: completing a word costs no start of the command.

export async function completion(
  context: Context,
  shell: "bash" | "zsh" | "fish",
  program: Command,
): Promise<Outcome> {
  await context.output.write(SCRIPTS[shell](program))
  return DONE
}

const SCRIPTS = { bash, zsh, fish } as const

type Known = {
  readonly name: string
  readonly description: string
  readonly options: readonly Option[]
  readonly choices: readonly string[]
}

function commandsOf(program: Command): readonly Known[] {
  return program.commands.map((command) => ({
    name: command.name(),
    description: command.description(),
    options: [...command.options, ...program.options].filter((option) => !option.hidden),
    choices: command.registeredArguments.flatMap((argument) => argument.argChoices ?? []),
  }))
}

function bash(program: Command): string {
  const commands = commandsOf(program)
  const cases = commands.map(
    (command) =>
      `    ${command.name}) words="${[...command.options.map(long), "--help", ...command.choices].join(" ")}" ;;`,
  )
  const values = valueCases(commands).map(
    ({ command, option, choices }) => `    ${command}\\ ${option}) words="${choices.join(" ")}" ;;`,
  )
  const files = commands.flatMap((command) =>
    command.options.filter(takesFile).map((option) => `${command.name}\\ ${long(option)}`),
  )
  return `# bash completion for baton. In ~/.bashrc: eval "$(baton completion bash)"
_baton() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="" words="" at
  for ((at = 1; at < COMP_CWORD; at++)); do
    case "\${COMP_WORDS[at]}" in
    ${commands.map((command) => command.name).join("|")}) command="\${COMP_WORDS[at]}"; break ;;
    esac
  done
  COMPREPLY=()
  case "$command $before" in
${values.join("\n")}
    ${files.join("|")}) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
  esac
  if [ -n "$words" ]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
    return
  fi
  case "$command" in
    "") words="${[...commands.map((command) => command.name), ...program.options.map(long), "--help"].join(" ")}" ;;
${cases.join("\n")}
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  if [ "$command" = edits ] && [ "\${word#-}" = "$word" ]; then
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}
complete -F _baton baton
`
}

function zsh(program: Command): string {
  const commands = commandsOf(program)
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
  const described = commands.map((command) => `    ${quoted(`${command.name}:${command.description}`)}`)
  const cases = commands.map((command) => {
    const specs = command.options.map((option) => `      ${quoted(zshOption(option))}`)
    const rest =
      command.name === "edits"
        ? "*:file:_files"
        : command.choices.length > 0
          ? `*:shell:(${command.choices.join(" ")})`
          : "*: :"
    return `    ${command.name}) _arguments -s \\\n${[...specs, `      '--help[print help]'`, `      ${quoted(rest)}`].join(" \\\n")} ;;`
  })
  return `#compdef baton
# zsh completion for baton. In a folder of fpath as _baton.
_baton() {
  local -a commands
  commands=(
${described.join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case "$command" in
${cases.join("\n")}
  esac
}
if [ "$funcstack[1]" = "_baton" ]; then _baton "$@"; else compdef _baton baton; fi
`
}

function zshOption(option: Option): string {
  const text = option.description.replaceAll(/[[\]:]/g, (mark) => `\\${mark}`)
  if (!option.required && !option.optional) return `${long(option)}[${text}]`
  if (option.argChoices !== undefined)
    return `${long(option)}[${text}]:value:(${option.argChoices.join(" ")})`
  return `${long(option)}[${text}]:value:${takesFile(option) ? "_files" : " "}`
}

function fish(program: Command): string {
  const commands = commandsOf(program)
  const quoted = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`
  const lines = commands.flatMap((command) => [
    `complete -c baton -n __fish_use_subcommand -a ${command.name} -d ${quoted(command.description)}`,
    ...command.options.map((option) => {
      const values = option.argChoices === undefined ? "" : ` -x -a ${quoted(option.argChoices.join(" "))}`
      const value = values !== "" ? values : option.required ? (takesFile(option) ? " -r -F" : " -x") : ""
      return `complete -c baton -n '__fish_seen_subcommand_from ${command.name}' -l ${long(option).slice(2)}${value} -d ${quoted(option.description)}`
    }),
    ...(command.choices.length === 0
      ? []
      : [
          `complete -c baton -n '__fish_seen_subcommand_from ${command.name}' -a ${quoted(command.choices.join(" "))}`,
        ]),
  ])
  return `# fish completion for baton. In ~/.config/fish/completions/baton.fish
complete -c baton -f
complete -c baton -n '__fish_seen_subcommand_from edits' -F
${lines.join("\n")}
`
}

function valueCases(commands: readonly Known[]) {
  return commands.flatMap((command) =>
    command.options
      .filter((option) => option.argChoices !== undefined && option.required)
      .map((option) => ({ command: command.name, option: long(option), choices: option.argChoices ?? [] })),
  )
}

function long(option: Option): string {
  return option.long ?? option.short ?? ""
}

function takesFile(option: Option): boolean {
  return ["--output", "--data-dir", "--opencode"].includes(long(option))
}
