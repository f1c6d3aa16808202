import type { StoredSession } from "../../history/contract.ts"
import { isUnreadableID } from "../../session/unreadable.ts"
import { oneLine } from "../../text/printable.ts"
import { counted } from "../../tools/search/notes.ts"
import type { Section } from "../conversation.ts"
import { markdownHtml } from "./markdown-html.ts"
import { speakerOf } from "./markdown.ts"
import { titleOf, type Look } from "./text.ts"

// A conversation as one HTML page: no script, nothing fetched, readable in the dark and on paper. Texts are read
// as CommonMark whose tags are text.

const STYLE = `
:root { color-scheme: light dark; --ink: #1a1a1a; --soft: #666; --paper: #fff; --user: #eef4ff; --tool: #f4f4f4; --line: #ddd }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e6e6; --soft: #999; --paper: #161616; --user: #1c2535; --tool: #202020; --line: #333 }
}
body { margin: 2rem auto; max-width: 48rem; padding: 0 1rem; color: var(--ink); background: var(--paper);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
h1 { font-size: 1.5rem; margin-bottom: .25rem }
.facts, h2 span, .note { color: var(--soft); font-size: .85rem; font-weight: normal }
.facts { list-style: none; padding: 0 }
article { border-top: 1px solid var(--line); padding: .5rem 0 }
article.user { background: var(--user); margin: 0 -1rem; padding: .5rem 1rem }
h2 { font-size: 1rem; margin: .25rem 0 }
p, pre { margin: .5rem 0 }
pre, .reasoning { white-space: pre-wrap }
.info { color: var(--soft); font: .75rem ui-monospace, monospace; margin-bottom: 0 }
table { border-collapse: collapse } td, th { border: 1px solid var(--line); padding: .125rem .5rem }
pre { background: var(--tool); border: 1px solid var(--line); border-radius: 4px; padding: .5rem; font-size: .85rem }
pre, code { font-family: ui-monospace, monospace }
.reasoning { color: var(--soft); font-style: italic }
@media print {
  body { margin: 0; max-width: none; font-size: 10pt; color: #000; background: #fff }
  article.user { background: none; border-left: 3px solid #000; margin: 0 }
  h2 { break-after: avoid }
  pre { border: 1px solid #999; background: none; font-size: 8pt }
}
`

/** Everything before the first message. */
export function htmlHead(session: StoredSession, look: Look): string {
  const title = escaped(titleOf(session, look))
  const facts = [
    session.id,
    oneLine(session.directory),
    `${look.clock.time(session.created)} to ${look.clock.time(session.updated)} (${look.clock.zone})`,
    session.parentID === undefined ? "" : `Subagent of ${session.parentID}`,
    session.handoffFrom === undefined ? "" : `Handed off from ${session.handoffFrom}`,
    session.forkedFrom === undefined ? "" : `Forked from ${session.forkedFrom}`,
  ].filter((fact) => fact !== "")
  return `<!doctype html>
<html lang="">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<h1 dir="auto">${title}</h1>
<ul class="facts">
${facts.map((fact) => `<li dir="auto">${escaped(fact)}</li>`).join("\n")}
</ul>
`
}

/** One message. */
export function htmlSection(section: Section, look: Look): string {
  const { message, texts, omitted } = section
  const notes = [
    omitted.tools === 0 ? "" : `${counted(omitted.tools, "tool text")} left out`,
    omitted.reasoning === 0 ? "" : `${counted(omitted.reasoning, "reasoning text")} left out`,
    isUnreadableID(message.id) ? "OpenCode could not deliver what stands here" : "",
    message.lost === 0 ? "" : `${message.lost} characters were never indexed`,
  ].filter((note) => note !== "")
  const body = texts.map(({ kind, text }) => {
    if (kind === "tool") return `<pre class="tool">${escaped(text)}</pre>`
    return kind === "reasoning" ? `<p class="reasoning" dir="auto">${escaped(text)}</p>` : markdownHtml(text)
  })
  return `<article class="${message.role}" id="${escaped(message.id)}">
<h2>${speakerOf(section)} <span>${escaped(look.clock.time(message.created))} · ${escaped(message.id)}</span></h2>
${body.join("\n")}
${notes.length === 0 ? "" : `<p class="note">${escaped(notes.join("; "))}</p>\n`}</article>
`
}

export const HTML_END = "</body>\n</html>\n"

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;")
}
