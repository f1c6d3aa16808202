// Pieces of tool arguments that take what models write: numbers and booleans as strings, one value for a list.
// The schema shown to the model stays small: a type and, where there is one, the list of values.

import * as z from "zod/mini"

/** The schema with the words that the model sees. V1 reads them from the schema itself, V2's form from zod's registry. */
export function described<Schema extends z.core.$ZodType>(schema: Schema, description: string): Schema {
  z.globalRegistry.add(schema, { description })
  return Object.assign(schema, { description })
}

/** A whole number of `min..max`, also written as "10"; without `max` any from `min` on. Never clamped. */
export function wholeNumber(min: number, max?: number) {
  const write = max === undefined ? `a whole number from ${min} on` : `a whole number from ${min} to ${max}`
  const fits = (value: number) =>
    Number.isSafeInteger(value) && value >= min && (max === undefined || value <= max)
  return preprocessed(
    (value) => (typeof value === "string" && /^\s*-?\d+\s*$/.test(value) ? Number(value) : value),
    z.number(write).check(z.refine(fits, write)),
  )
}

/** A whole number that is clamped to `min..max`; models also write it as "10" or 10.5. */
export function clampedInteger(min: number, max: number) {
  const clamp = (value: unknown) => {
    const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value
    return typeof number === "number" && Number.isFinite(number)
      ? Math.min(max, Math.max(min, Math.floor(number)))
      : value
  }
  return preprocessed(
    clamp,
    z.int(`a whole number from ${min} to ${max}`).check(z.minimum(min), z.maximum(max)),
  )
}

/** true or false, also written as "true" and "false". */
export function flag() {
  return preprocessed((value) => (value === "true" ? true : value === "false" ? false : value), z.boolean())
}

/** A text that is not empty: "" is a mistake where leaving the argument out means something else. */
export function text() {
  return z.string().check(z.refine((value) => value.trim() !== "", "a value, or leave it out"))
}

/** One of a few words, in any case. */
export function choice<const Words extends readonly [string, ...string[]]>(words: Words) {
  return preprocessed(
    (value) => (typeof value === "string" ? value.trim().toLowerCase() : value),
    z.enum(words),
  )
}

/** Some of a few words, in any case: a list, or one as a string, or several with commas between. */
export function choices<const Words extends readonly [string, ...string[]]>(words: Words) {
  return preprocessed(
    (value) => (typeof value === "string" ? value.split(",").filter((word) => word.trim() !== "") : value),
    z.array(choice(words)),
  )
}

/** Some texts: a list, or one by itself. */
export function texts() {
  return preprocessed((value) => (typeof value === "string" ? [value] : value), z.array(z.string()))
}

/** The schema, with a value for an argument that is left out. */
export function withDefault<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: z.core.util.NoUndefined<z.output<Schema>>,
) {
  // oxlint-disable-next-line no-underscore-dangle -- zod/mini's name for it
  return z._default(schema, value)
}

/** The schema behind a step that changes what it is given. */
function preprocessed<Schema extends z.ZodMiniType>(change: (value: unknown) => unknown, schema: Schema) {
  return z.pipe(z.transform(change), schema)
}
