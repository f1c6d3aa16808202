// Canonical equivalence: `é` is one character or `e` with a mark, `한` one or three, and the Kelvin sign is `K`. Compared
// texts are composed (Unicode's NFC), so that all spellings of a character meet and a part of one does not.

/** What joins the character before it: marks, vowels and ends of Hangul syllables, vowels of Kirat Rai. */
const JOINING = "\\p{M}\\u1160-\\u11FF\\uD7B0-\\uD7FB\\u{16D63}-\\u{16D6A}"

/** What is another character, or several, once it is composed, and joins nothing. */
const REPLACED =
  "\\u0374\\u037E\\u0387\\u0958-\\u095F\\u09DC-\\u09DF\\u0A33-\\u0A5E\\u0B5C\\u0B5D\\u0F43-\\u0F69\\u1F71-\\u1F7D" +
  "\\u1FBB-\\u1FFD\\u2000\\u2001\\u2126\\u212A\\u212B\\u2329\\u232A\\u2ADC\\uF900-\\uFAD9\\uFB1D-\\uFB4E" +
  "\\u{1D15E}-\\u{1D164}\\u{1D1BB}-\\u{1D1C0}\\u{2F800}-\\u{2FA1D}"

/** The inside of a character class: a text without any of these is composed. */
export const COMPOSING_CLASS = JOINING + REPLACED

/** A character with what joins it, or one that is replaced: each is composed without regard to its neighbours. */
export const CLUSTER_SOURCE = `[^${JOINING}]?[${JOINING}]+|[${REPLACED}]`

/**
 * Marks on one character that are composed; Unicode's own bound for streams is 30. Ordering a run of marks takes the
 * square of its length, so a longer run is composed in pieces.
 */
export const MAX_JOINED = 64
const PIECE = 32

const COMPOSING = new RegExp(`[${COMPOSING_CLASS}]`, "u")
const JOINS = new RegExp(`^[${JOINING}]`, "u")
const LONG_RUN = new RegExp(`[${JOINING}]{${MAX_JOINED + 1}}`, "u")
const CLUSTERS = new RegExp(CLUSTER_SOURCE, "gu")
const FIRST_JOINING = 0x300

/** True when composing may change the text. */
export function mayCompose(text: string): boolean {
  return COMPOSING.test(text)
}

/** True when a character has more marks than are composed at once. */
export function hasLongRun(text: string): boolean {
  return LONG_RUN.test(text)
}

/** The composed text: equal for all spellings of one text. Linear in its length. */
export function composed(text: string): string {
  if (!mayCompose(text)) return text
  return hasLongRun(text) ? text.replaceAll(CLUSTERS, composedCluster) : text.normalize("NFC")
}

/** One match of CLUSTER_SOURCE, composed. */
export function composedCluster(cluster: string): string {
  return piecesOf(cluster)
    .map((piece) => piece.normalize("NFC"))
    .join("")
}

/** The cluster itself, or the pieces of one with a long run. */
export function piecesOf(cluster: string): readonly string[] {
  if (cluster.length <= MAX_JOINED || !hasLongRun(cluster)) return [cluster]
  const characters = Array.from(cluster)
  return Array.from({ length: Math.ceil(characters.length / PIECE) }, (_, at) =>
    characters.slice(at * PIECE, (at + 1) * PIECE).join(""),
  )
}

/** The first place at or after `end` that does not part a character from what joins it. */
export function clusterEnd(text: string, end: number): number {
  let at = end
  while (at < text.length && text.charCodeAt(at) >= FIRST_JOINING && JOINS.test(text.slice(at, at + 2))) at++
  return at
}
