// How much one answer of the history tools shows. The descriptions quote these; the `baton` command has the same ones.

/** What searches leave out unless they are asked to include it. */
export const HIDDEN = ["subagents", "archived", "reverted"] as const

/** Sessions of one answer, default and cap: more than a model can weigh. */
export const SESSIONS_SHOWN_MAX = 50

/** Of these so many in full, unless the call asks for a number of them: a screen of hits, which are looked for thoroughly. */
export const FULL_SESSIONS = 8

/** Edits of one answer, default and cap. */
export const EDITS_SHOWN_MAX = 50

/** Sessions of one list. */
export const LISTED_DEFAULT = 20
export const LISTED_MAX = 50

/** Projects of one answer, default and cap. */
export const PROJECTS_MAX = 100

/** Messages on each side of an anchor. */
export const WINDOW_DEFAULT = 5
export const WINDOW_MAX = 50

/** Messages of a page read without an anchor. */
export const PAGE_DEFAULT = 20
export const PAGE_MAX = 100
