import markdownIt from "markdown-it"

// A message's Markdown as HTML. Tags in it are text, links lead to the web or a mailbox or nowhere, pictures are
// named and never fetched, and nothing of the text is lost: definitions of links are shown, fences keep what stands
// behind their marks.

const parser = markdownIt("commonmark", { html: false, breaks: true })
  .enable(["table", "strikethrough"])
  // A definition would vanish from the page.
  .disable(["reference"])

parser.validateLink = (address) => /^(?:https?:\/\/|mailto:)/i.test(address)

/** The headings of a message stand below that of the message, which is the second level. */
const LEVELS_BELOW = 2
const LOWEST_LEVEL = 6

parser.core.ruler.push("page", (state) => {
  for (const token of state.tokens) {
    if (token.type === "heading_open" || token.type === "heading_close")
      token.tag = `h${Math.min(LOWEST_LEVEL, Number(token.tag.slice(1)) + LEVELS_BELOW)}`
    if (token.nesting === 1 && token.block) token.attrSet("dir", "auto")
  }
})

const { escapeHtml } = parser.utils

parser.renderer.rules["fence"] = (tokens, at) => {
  const { info = "", content = "" } = tokens[at] ?? {}
  const told = info.trim() === "" ? "" : `<p class="info">${escapeHtml(info.trim())}</p>\n`
  return `${told}<pre dir="ltr"><code>${escapeHtml(content)}</code></pre>\n`
}
parser.renderer.rules["code_block"] = (tokens, at) =>
  `<pre dir="ltr"><code>${escapeHtml(tokens[at]?.content ?? "")}</code></pre>\n`
parser.renderer.rules["image"] = (tokens, at) => {
  const address = tokens[at]?.attrGet("src") ?? ""
  return escapeHtml(`[image: ${tokens[at]?.content ?? ""}] (${address})`)
}

/** The page's part for one text. */
export function markdownHtml(text: string): string {
  return parser.render(text)
}
