// Secrets that are known by what stands around them: key blocks, headers, settings, addresses. Every search
// is bounded or stops at the next candidate, so a text is read a fixed number of times whatever it holds; and only
// for those of whose clues it holds one.

import { isBasicCredential, isPasswordWord, isPlaceholder, isRandom, isVaried } from "./secret-shapes.ts"

export type Secret = { readonly start: number; readonly end: number; readonly kind: string }

export type SecretContext = {
  /** A text with such a secret holds one of these, whatever the case. */
  readonly clues: readonly string[]
  find(text: string, found: Secret[]): void
}

/** Longer blocks are text that talks about key blocks: the largest real ones take about 16 KB. */
const MAX_KEY_BLOCK_UNITS = 32 * 1024

/** Private keys in PEM or OpenPGP armour, also with escaped line ends and also without their last line. */
function keyBlocks(text: string, found: Secret[]): void {
  for (let at = text.indexOf(DASHES); at >= 0; at = text.indexOf(DASHES, at)) {
    const body = matchEnd(KEY_BEGIN, text, at)
    if (body === undefined) {
      at += DASHES.length
      continue
    }
    const next = text.indexOf(DASHES, body)
    const end = next < 0 ? undefined : matchEnd(KEY_END, text, next)
    const whole = end !== undefined && end - at <= MAX_KEY_BLOCK_UNITS
    const stop = whole ? end : (matchEnd(KEY_BODY, text, body) ?? body)
    if (KEY_DATA.test(text.slice(body, whole ? next : stop)))
      found.push({ start: at, end: stop, kind: "private key" })
    at = next < 0 ? text.length : whole ? end : next
  }
}

const DASHES = "-----"
const KEY_BEGIN = /-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/y
const KEY_END = /-----END (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----/y
const KEY_BODY = /(?:[A-Za-z0-9+/=\s"',:.]|\\[nr]|-(?!----)){1,32768}/y
const KEY_DATA = /[A-Za-z0-9+/=]{32}/

/** The value of `Authorization` and API key headers, and what follows `Bearer` anywhere. */
function headers(text: string, found: Secret[]): void {
  HEADER.lastIndex = 0
  let [valueStart, valueEnd] = [0, 0]
  for (let match = HEADER.exec(text); match; match = HEADER.exec(text)) {
    const scheme = (match[1] ?? match[2] ?? "").toLowerCase()
    const start = HEADER.lastIndex
    // Names follow each other inside one value of a hostile text: it is read once.
    if (start < valueStart || start >= valueEnd) {
      valueStart = start
      valueEnd = matchEnd(HEADER_VALUE, text, start) ?? start
    }
    const end = valueEnd
    if (end - start < MIN_HEADER_UNITS) continue
    if (isCredential(scheme, text.slice(start, end), match[2] !== undefined))
      found.push({ start, end, kind: "authorization" })
  }
}

const HEADER =
  /\b(?:authorization|x-(?:api|auth)-(?:key|token)|api-key)[\\"'`\])]{0,4}\s{0,4}[:=]>?\s{0,4}[\\"'`]{0,4}(?:(bearer|basic|token|digest|apikey|bot)\s{1,4})?|\b(bearer)\s{1,4}/gi
const HEADER_VALUE = /[\w.~+/=-]+/y
const MIN_HEADER_UNITS = 8

function isCredential(scheme: string, value: string, bare: boolean): boolean {
  if (scheme === "basic") return isBasicCredential(value)
  if (scheme === "" || bare) return isRandom(value)
  return (
    !isPlaceholder(value) && (isRandom(value) || /\d/.test(value) || (value.length >= 24 && isVaried(value)))
  )
}

/** Settings whose name says that the value is a secret, with a value of the right form. */
function settings(text: string, found: Secret[]): void {
  SETTING.lastIndex = 0
  for (let match = SETTING.exec(text); match; match = SETTING.exec(text)) {
    const start = SETTING.lastIndex
    const setting = SETTINGS.find((entry) => entry.name.test(match[0]))
    const end = setting && matchEnd(setting.value, text, start)
    if (!setting || end === undefined || !isVaried(text.slice(start, end))) continue
    found.push({ start, end, kind: setting.kind })
  }
}

const SETTING =
  /(?:aws_?secret_?(?:access_?)?key|secret_?access_?key|aws_?session_?token|session_?token|accountkey|sharedaccesskey|_authtoken|_auth)[\\"'`\])]{0,4}\s{0,4}[:=]>?\s{0,4}[\\"'`]{0,4}/gi

/** What every match of SETTING holds one of. */
const SETTING_NAMES =
  "secretkey secret_key secretaccess secret_access sessiontoken session_token accountkey sharedaccesskey _auth".split(
    " ",
  )

const SETTINGS = [
  { name: /session/i, value: /[\w/+=-]{100,4096}/y, kind: "aws session token" },
  { name: /secret/i, value: /[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])/y, kind: "aws secret key" },
  { name: /account|shared/i, value: /[A-Za-z0-9+/]{42,100}={0,2}/y, kind: "azure key" },
  { name: /_auth/i, value: /[\w+/=-]{16,1024}/y, kind: "npm token" },
]

/** Passwords in addresses: `scheme://name:password@host`. */
function passwords(text: string, found: Secret[]): void {
  for (let at = text.indexOf("://"); at >= 0; at = text.indexOf("://", at + 3)) {
    const start = matchEnd(URL_NAME, text, at)
    const end = start === undefined ? undefined : matchEnd(URL_PASSWORD, text, start)
    if (start === undefined || end === undefined || isPasswordWord(text.slice(start, end))) continue
    found.push({ start, end, kind: "password" })
  }
}

const URL_NAME = /:\/\/[^\s/:@"'`<>?#\\]{0,256}:/y
const URL_PASSWORD = /[^\s/"'`<>?#\\]{1,512}(?=@[\w[.-])/y

/** Tokens known by their inner form, and the secret part of web hooks. */
function innerForm(kind: string, clue: string | readonly string[], pattern: RegExp): SecretContext {
  const find = (text: string, found: Secret[]): void => {
    pattern.lastIndex = 0
    for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
      const secret = match[1] ?? match[0]
      const end = match.index + match[0].length
      if (isVaried(secret)) found.push({ start: end - secret.length, end, kind })
    }
  }
  return { clues: typeof clue === "string" ? [clue] : clue, find }
}

export const SECRET_CONTEXTS: readonly SecretContext[] = [
  { clues: ["begin"], find: keyBlocks },
  { clues: ["authorization", "api-key", "api-token", "auth-key", "auth-token", "bearer"], find: headers },
  { clues: SETTING_NAMES, find: settings },
  { clues: ["://"], find: passwords },
  innerForm("telegram token", ":AA", /(?<!\d)\d{8,10}:AA[\w-]{33}(?![\w-])/g),
  innerForm(
    "azure secret",
    "Q~",
    /(?<=^|[^\w.~-]|\\[nrt]|%[0-9A-F]{2}|\[[\d;]{0,12}m)[\w.~-]{3}\dQ~[\w.~-]{31,34}(?![\w.~-])/g,
  ),
  innerForm(
    "terraform token",
    ".atlasv1.",
    /(?<=^|[^A-Za-z0-9]|\\[nrt]|%[0-9A-F]{2}|\[[\d;]{0,12}m)[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,70}(?![\w-])/g,
  ),
  innerForm(
    "web hook",
    "hooks.slack.com",
    /hooks\.slack\.com\/services\/(T[A-Z0-9]{6,12}\/B[A-Z0-9]{6,12}\/[A-Za-z0-9]{16,32})/g,
  ),
  innerForm(
    "web hook",
    "hooks.slack.com",
    /hooks\.slack\.com\/(?:workflows|triggers)\/([A-Z][A-Z0-9]{6,12}(?:\/[A-Za-z0-9]{6,64}){2,3})/g,
  ),
  innerForm(
    "mailchimp key",
    ["-us1", "-us2", "-us3", "-us4", "-us5", "-us6", "-us7", "-us8", "-us9"],
    /(?<=^|[^A-Za-z0-9]|\\[nrt]|%[0-9A-F]{2}|\[[\d;]{0,12}m)[0-9a-f]{32}-us\d{1,2}(?![A-Za-z0-9])/g,
  ),
  innerForm(
    "mailgun key",
    "mailgun",
    /(?<![A-Za-z0-9-])[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8}(?![A-Za-z0-9-])/g,
  ),
  innerForm(
    "private key",
    "Private-Lines:",
    /Private-Lines: \d{1,4}\s{1,2}((?:[A-Za-z0-9+/=]{1,76}\s{1,2}){1,256}(?:Private-MAC: [0-9a-f]{40,64})?)/g,
  ),
  innerForm("web hook", "/api/webhooks/", /discord(?:app)?\.com\/api\/webhooks\/\d{15,20}\/([\w-]{60,80})/g),
  innerForm("azure signature", "sig=", /[?&]sig=([A-Za-z0-9%]{43,80})/g),
]

/** Where a match of the sticky pattern at this place ends; undefined when there is none. */
export function matchEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}
