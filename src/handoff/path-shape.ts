// Does a word after `@` read like a file? Only asked when no file of that name exists: a name that does is
// reported as missing, while `@decorator`, `@scope/package` and `@here` stay plain text.

/** Endings by which a lone name is taken for a file; `@pytest.fixture` and `@example.com` are none. */
const FILE_ENDINGS = new Set(
  (
    "adoc asm astro avif bash bat bmp c cc cfg cjs clj cmake conf cpp cs csh css csv cts cue cxx d dart db diff " +
    "dockerfile ejs elm env erb erl ex exs fish fs fsx gif go gql gradle graphql groovy h hbs hcl hpp hs htm html " +
    "http hxx ico ini ipynb java jl jpeg jpg js json json5 jsonc jsonl jsx kt kts less lisp lock log lua m make md " +
    "mdx mjs mk ml mli mm mts mustache nim nix odt org patch pdf php pl pm png po prisma properties proto ps1 pug " +
    "py pyi r rb rake res resx rs rst sass sbt scala scm scss sh sol sql sqlite styl sv svelte svg swift tcl tex tf " +
    "tfvars toml ts tsv tsx txt v vb vim vue wasm wat webp xlsx xml xsd xsl yaml yml zig zip zsh"
  ).split(" "),
)
const FILE_NAMES =
  /^(?:(?:GNU)?[Mm]akefile|Dockerfile|Containerfile|Justfile|Procfile|Gemfile|Rakefile|Jenkinsfile|LICENSE|README|CHANGELOG)$/

/** The start of a path: relative, of a home folder, of a drive or of a variable as shells write it. */
const ROOTED = /^(?:\.{0,2}|~[\w.-]*|[A-Za-z]:|\$\w+|\$\{\w+\}|%\w+%)\//

/** True for an ending, a folder mark, several slashes or a line range; see the table in the tests. */
export function looksLikePath(name: string): boolean {
  const ranged = /#L?\d{1,9}(?:C\d{1,9})?(?:[-–]L?\d{0,9}(?:C\d{1,9})?)?$/.test(name)
  const path = name
    .replace(/#.*$/s, "")
    .replace(/:L?\d{1,9}(?::\d{1,9})?(?:[-–]L?\d{0,9}(?::\d{1,9})?)?$/, "")
    .replaceAll("\\", "/")
  if (/^[A-Za-z_$][\w$.]*\(/.test(path)) return false
  if (ranged || ROOTED.test(path)) return true
  if (/^\.[\p{L}\p{N}]/u.test(path)) return true
  const slashes = path.split("/").length - 1
  if (slashes >= 2) return true
  const file = path.slice(path.lastIndexOf("/") + 1)
  const ending = /^.+\.([A-Za-z0-9]{1,10})$/s.exec(file)?.[1]?.toLowerCase()
  if (slashes === 0) return FILE_NAMES.test(file) || (ending !== undefined && FILE_ENDINGS.has(ending))
  return FILE_NAMES.test(file) || file.startsWith(".") || (ending !== undefined && /[a-z]/.test(ending))
}
