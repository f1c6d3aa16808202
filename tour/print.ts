// How the tour looks: a numbered step, then what was said, indented.

const width = 100
let step = 0

/** A numbered heading. */
export function heading(text: string): void {
  step += 1
  console.log(`\n\x1b[1m${step}. ${text}\x1b[0m`)
}

/** Text under a heading: `who` said it. Long text is cut at `maxLines`, and the cut is counted. */
export function said(who: string, text: string, maxLines = 14): void {
  console.log(`   ${who}`)
  const lines = text.replace(/\n$/, "").split("\n")
  for (const line of lines.slice(0, maxLines))
    console.log(`   │ ${line.length > width ? `${line.slice(0, width)}…` : line}`)
  if (lines.length > maxLines) console.log(`   │ … ${lines.length - maxLines} more lines`)
}
