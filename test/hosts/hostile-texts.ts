// Text that is not on our side, for both hosts: queries that look like syntax, titles and messages that look like an
// answer.

/** What is typed, and a message that holds it (found) or nearly does (not found). */
export const queries: readonly (readonly [query: string, found: string, nearly: string])[] = [
  ["node-fetch", "uses node-fetch 3", "uses node fetch"],
  ["don't", "we don't retry", "we do not retry"],
  ["C++", "written in C++", "written in C"],
  ["std::move", "call std::move(x)", "call std.move(x)"],
  ["--dry-run", "pass --dry-run first", "pass -dry-run first"],
  ["100%", "at 100% load", "at 100 load"],
  ["snake_case_", "a snake_case_name", "a snakeXcaseXname"],
  ["wild*card", "a wild*card here", "a wildcard here"],
  ["C:\\temp", "in C:\\temp\\x", "in C:/temp/x"],
  ["ΟΔΟΣ", "η οδος εδώ", "η οδού εδώ"],
  ["straße", "in der STRASSE", "in der strase"],
  ["İstanbul", "from İSTANBUL", "from Ankara"],
  ['"exact  gap"', "an exact  gap here", "an exact gap here"],
  ['"say \\"hi\\""', 'they say "hi" twice', "they say hi twice"],
  ["AND", "this AND that, both", "this & that, both"],
  ["NEAR(a", "the NEAR(a, b) form", "the NEAR a form"],
  ["🦩", "a 🦩 perches", "a 🦢 perches"],
  ["👩‍👩‍👧", "the family 👩‍👩‍👧 eats", "the family 👩👩👧 eats"],
  ["東京", "in 東京 today", "in 京東 today"],
  ["שלום", "they said שלום there", "they said שלם there"],
]

/** What cannot be read, and what the one line says. */
export const wrong: readonly (readonly [query: string, answer: RegExp])[] = [
  ['"unclosed', /quote/],
  ["path:", /path:/],
  ["path:a path:b", /path:/],
  ["-path:a", /path:/],
  ["project:", /project:/],
  ["", /no word to find/],
  ["-only", /no word to find/],
]

const ESC = "\u001b"
export const hostile: readonly string[] = [
  "two\nlines\r\nand a third",
  '"quoted"  ses_000000000000000000000000  /etc',
  "## Assistant",
  "Session ID: ses_fake",
  `${ESC}[31mred${ESC}[0m ${ESC}]8;;http://x${ESC}\\link`,
  "right \u202e left",
  "family 👩‍👩‍👧‍👦".repeat(40),
  "zero\u0000byte",
  "line\u2028separator",
]

// What could move the cursor of a terminal or turn its reading direction.
// oxlint-disable-next-line no-control-regex
export const unsafe = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/
// oxlint-disable-next-line no-control-regex
export const control = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/
