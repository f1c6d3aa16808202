import type { Known, KnownOption } from "./known.ts"

// The script for fish.

export function fishScript(commands: readonly Known[], common: readonly KnownOption[]): string {
  const names = commands.map((command) => command.name).join(" ")
  const lines = commands.flatMap((command) => {
    const within = `-n '__fish_seen_subcommand_from ${command.name}'`
    return [
      `complete -c baton -n 'not __fish_seen_subcommand_from ${names}' -a ${command.name} -d ${quoted(command.description)}`,
      ...(command.takesPath ? [`complete -c baton ${within} -F`] : []),
      ...command.options.map((option) => `complete -c baton ${within} ${optionSpec(option)}`),
      ...(command.choices.length === 0
        ? []
        : [`complete -c baton ${within} -a ${quoted(command.choices.join(" "))}`]),
    ]
  })
  return `# fish completion for baton. In ~/.config/fish/completions/baton.fish
complete -c baton -f
${common.map((option) => `complete -c baton ${optionSpec(option)}`).join("\n")}
${lines.join("\n")}
`
}

function optionSpec({ name, description, value, choices, takesPath }: KnownOption): string {
  const values = choices.length > 0 ? ` -x -a ${quoted(choices.join(" "))}` : takesPath ? " -r -F" : " -x"
  // Of a value that may be missing fish knows nothing: it is told with the equals sign, which needs no word.
  return `-l ${name.slice(2)}${value === "required" ? values : ""} -d ${quoted(description)}`
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`
}
