/** What a template host does, in the order that hurts most: arguments first, then commands in the whole text. */
export function expanded(template: string, args: string, executed: string[]): string {
  const words = args.match(/"[^"]*"|\S+/g) ?? []
  const last = Math.max(0, ...[...template.matchAll(/\$(\d+)/g)].map((found) => Number(found[1])))
  const filled = /\$(?:\d|ARGUMENTS)/.test(template)
    ? template
        .replaceAll("$ARGUMENTS", () => args)
        .replace(/\$(\d+)/g, (_, digits: string) => {
          const at = Number(digits)
          return (at === last ? words.slice(at - 1) : [words[at - 1] ?? ""]).join(" ")
        })
    : `${template}\n\n${args}`
  return filled.replace(/!`([^`]*)`/g, (_, command: string) => {
    executed.push(command)
    return ""
  })
}
