// How the tour looks: a numbered step, then what was said, indented.

const width = 100
let step = 0

/** A numbered heading. */
export function heading(text: string): void {
  step += 1
  const bold = process.stdout.isTTY && process.env["NO_COLOR"] === undefined
  console.log(bold ? `\n\x1b[1m${step}. ${text}\x1b[0m` : `\n${step}. ${text}`)
}

/** Text under a heading: `who` said it. Long lines are wrapped; what is over `maxLines` is counted. */
export function said(who: string, text: string, maxLines = 14): void {
  console.log(`   ${who}`)
  const lines = text.replace(/\n$/, "").split("\n").flatMap(wrapped)
  for (const line of lines.slice(0, maxLines)) console.log(`   │ ${line}`)
  if (lines.length > maxLines) console.log(`   │ … ${lines.length - maxLines} more lines`)
}

function wrapped(line: string): string[] {
  const rows: string[] = []
  for (const word of line.split(/(?<= )/)) {
    const last = rows.at(-1)
    if (last !== undefined && last.length + word.trimEnd().length <= width)
      rows[rows.length - 1] = last + word
    else rows.push(word)
  }
  return rows
}
