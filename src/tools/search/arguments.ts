// Pieces of tool arguments that take what models write: numbers and booleans as strings, one value for a list.
// The schema shown to the model stays small: a type and, where there is one, the list of values.

import * as z from "zod"

/** A whole number of `min..max`, also written as "10"; without `max` any from `min` on. Never clamped. */
export function wholeNumber(min: number, max?: number) {
  const write = max === undefined ? `a whole number from ${min} on` : `a whole number from ${min} to ${max}`
  const fits = (value: number) =>
    Number.isSafeInteger(value) && value >= min && (max === undefined || value <= max)
  return z.preprocess(
    (value) => (typeof value === "string" && /^\s*-?\d+\s*$/.test(value) ? Number(value) : value),
    z.number().refine(fits, write),
  )
}

/** true or false, also written as "true" and "false". */
export function flag() {
  return z.preprocess((value) => (value === "true" ? true : value === "false" ? false : value), z.boolean())
}

/** A text that is not empty: "" is a mistake where leaving the argument out means something else. */
export function text() {
  return z.string().refine((value) => value.trim() !== "", "a value, or leave it out")
}

/** One of a few words, in any case. */
export function choice<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z.preprocess(
    (value) => (typeof value === "string" ? value.trim().toLowerCase() : value),
    z.enum(words),
  )
}

/** Some of a few words: a list, or one as a string, or several with commas between. */
export function choices<const Words extends readonly [string, ...string[]]>(words: Words) {
  return z.preprocess(
    (value) =>
      typeof value === "string"
        ? value
            .split(",")
            .map((word) => word.trim())
            .filter(Boolean)
        : value,
    z.array(z.enum(words)),
  )
}
