import type { Known, KnownOption } from "./known.ts"

// The script for bash, also for the 3.2 of macOS: no `mapfile`.

export function bashScript(commands: readonly Known[], common: readonly KnownOption[]): string {
  const names = commands.map((command) => command.name)
  const all = commands.flatMap((command) =>
    [...command.options, ...common].map((option) => ({ command: command.name, option })),
  )
  const values = all.filter(({ option }) => option.value === "required" && option.choices.length > 0)
  const paths = all.filter(({ option }) => option.value === "required" && option.takesPath)
  return `# bash completion for baton. In ~/.bashrc: eval "$(baton completion bash)"
_baton_files() {
  local name
  COMPREPLY=()
  # Read line by line: an unquoted list would be matched against the names of files.
  while IFS= read -r name; do COMPREPLY+=("$name"); done < <(compgen -f -- "$1")
  compopt -o filenames 2>/dev/null
}
_baton() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="" words="" at
  for ((at = 1; at < COMP_CWORD; at++)); do
    case "\${COMP_WORDS[at]}" in
    ${names.join("|")}) command="\${COMP_WORDS[at]}"; break ;;
    esac
  done
  COMPREPLY=()
  case "$before" in
    ${common
      .filter((option) => option.takesPath)
      .map((option) => option.name)
      .join("|")}) _baton_files "$word"; return ;;
  esac
  case "$command $before" in
${values.map(({ command, option }) => `    ${command}\\ ${option.name}) words="${option.choices.join(" ")}" ;;`).join("\n")}
    ${paths.map(({ command, option }) => `${command}\\ ${option.name}`).join("|")}) _baton_files "$word"; return ;;
  esac
  if [ -z "$words" ]; then
    case "$command" in
    "") words="${[...names, ...common.map((option) => option.name)].join(" ")}" ;;
${commands
  .map(
    ({ name, options, choices }) =>
      `    ${name}) words="${[...[...options, ...common].map((option) => option.name), ...choices].join(" ")}" ;;`,
  )
  .join("\n")}
    esac
    case "$command $word" in
${commands
  .filter((command) => command.takesPath)
  .map(({ name }) => `    ${name}\\ -*) ;;\n    ${name}\\ *) _baton_files "$word"; return ;;`)
  .join("\n")}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -F _baton baton
`
}
