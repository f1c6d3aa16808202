// What separates a real secret from an example, a placeholder or a name. Real tokens are random; people write
// words, repeats and the examples of the documentation.

/** At least this many different characters: a random token of 16 or more has them, `xxxx…` and `0000…` do not. */
const MIN_DISTINCT = 8

/** How much of a value is looked at: enough to tell, and a hostile text of false starts stays cheap. */
const LOOKED_AT_UNITS = 64

/** Values that vendors print in their documentation. */
const DOCUMENTED = [
  "sk_test_4eC39HqLyjWDarjtT1zdp7dc",
  "sk_test_BQokikJOvBiI2HlWgH4olfQ2",
  "SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
  "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq",
  "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw",
]

/** As the examples of AWS end. */
const DOCUMENTED_END = /EXAMPLE(?:KEY)?$/

/** Units in which a documented example is looked for. */
const DOCUMENTED_UNITS = 512

/** Not a placeholder, not a documented example, and of many different characters. */
export function isVaried(value: string): boolean {
  return hasDistinct(value, MIN_DISTINCT) && !isPlaceholder(value)
}

/** Whether what stands behind a known prefix is a token: no repeat or sequence, no documented example, not words only. */
export function isTokenBody(secret: string, prefixUnits: number): boolean {
  const body = secret.slice(prefixUnits, prefixUnits + 4 * LOOKED_AT_UNITS)
  return hasDistinct(body, MIN_DISTINCT_BODY) && !isSequence(body) && !isDocumented(secret) && !isWords(body)
}

/** Fewer are a repeat: sixteen random hexadecimal digits have six, but for one in thousands. */
const MIN_DISTINCT_BODY = 6

/** Every second character repeats or follows the one before: `abcdef…`, `123456…`, `0000…`. */
function isSequence(value: string): boolean {
  let steps = 0
  for (let at = 1; at < value.length; at++) {
    const step = value.charCodeAt(at) - value.charCodeAt(at - 1)
    if (step === 0 || step === 1) steps++
  }
  return steps * 2 >= value.length - 1
}

/** Whether a value is written words: next to nothing is left without them, their signs and a few digits. */
export function isWords(value: string): boolean {
  if (/^[A-Z0-9]+$/.test(value)) return false
  const rest = value.replaceAll(WORD, "")
  return rest.length * 5 <= value.length && (value.match(/\d/g)?.length ?? 0) * 8 <= value.length
}

/** A word, a word of two letters between signs, or a repeat; with the signs before it. */
const WORD =
  /[-_.]*(?:[A-Z]?[a-z]{3,}|[A-Z]{3,}|([A-Za-z0-9])\1{5,})|[-_.]+(?:\d{1,2}|[A-Za-z]{1,2})?(?![A-Za-z0-9])/g

/** Varied, and with a run of letters and digits mixed as in no name: for formats with a common prefix. */
export function isRandom(value: string): boolean {
  return isVaried(value) && (value.slice(0, 4 * LOOKED_AT_UNITS).match(LONG_RUN) ?? []).some(isMixed)
}

/** Text that stands where a secret goes: `your-api-key`, `xxxxxxxx`, `${TOKEN}`, `<token>`, `***`. */
export function isPlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value.slice(0, LOOKED_AT_UNITS)) || isDocumented(value)
}

function isDocumented(value: string): boolean {
  const seen = value.slice(0, DOCUMENTED_UNITS)
  return DOCUMENTED_END.test(seen) || DOCUMENTED.some((example) => seen.includes(example))
}

/** Words that stand for a password in an address. */
export function isPasswordWord(value: string): boolean {
  return PASSWORD_WORD.test(value) || isPlaceholder(value)
}

/** Base64 of `name:password`, as Basic authorization carries it. */
export function isBasicCredential(value: string): boolean {
  const decoded = Buffer.from(value.slice(0, DOCUMENTED_UNITS), "base64").toString("latin1")
  const colon = decoded.indexOf(":")
  return PRINTABLE.test(decoded) && colon >= 0 && !isPasswordWord(decoded.slice(colon + 1))
}

/** Base64 of a number of 17 to 20 digits, as a Discord token begins. */
export function isDiscordToken(value: string): boolean {
  const id = Buffer.from(value.slice(0, value.indexOf(".")), "base64").toString("latin1")
  return /^\d{17,20}$/.test(id) && isVaried(value)
}

function hasDistinct(value: string, least: number): boolean {
  const seen: number[] = []
  for (let at = 0; at < value.length && at < LOOKED_AT_UNITS; at++) {
    const code = value.charCodeAt(at)
    if (!seen.includes(code) && seen.push(code) >= least) return true
  }
  return false
}

const LONG_RUN = /[A-Za-z0-9]{16,}/g

function isMixed(run: string): boolean {
  return (run.match(/\d/g)?.length ?? 0) >= 2 && (run.match(/[A-Za-z]/g)?.length ?? 0) >= 2
}

const PLACEHOLDER =
  /[xX]{6}|\*{3}|\.{3}|…|[<>{}]|^\$|^%\w+%?$|(?:^|[_.-])(?:your|my|example|placeholder|changeme|redacted|dummy|sample|insert|replace|token-?here|key-?here)(?=[_.-][A-Za-z]*[_.-]|[_.-]?[A-Za-z]*$)/i

const PASSWORD_WORD = /^(?:pass(?:word|wd|phrase)?|pwd?|secret|token|key|changeme|x+|\*+|open sesame|\[.*)$/i

const PRINTABLE = /^[ -~]{3,}$/
