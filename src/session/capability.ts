// What a host of this generation can do differs from release to release, and no package of its types can be
// installed. So nothing is assumed: a method is looked for, and what it answers is unknown until it is read.

/** A method of the host. It may throw, reject or answer anything. */
export type Call = (...args: readonly unknown[]) => unknown

/** The host's method of that name, or undefined where it has none. */
export function method(owner: unknown, name: string): Call | undefined {
  const found = field(owner, name)
  if (typeof found !== "function") return undefined
  return (...args) => {
    const answer: unknown = Reflect.apply(found, owner, [...args])
    return answer
  }
}

/** A field of whatever the host handed over; undefined where there is nothing to look into. */
export function field(owner: unknown, name: string): unknown {
  if ((typeof owner !== "object" && typeof owner !== "function") || owner === null) return undefined
  const found: unknown = Reflect.get(owner, name)
  return found
}

/** The text in a field, or "" for anything else. */
export function textField(owner: unknown, name: string): string {
  const found = field(owner, name)
  return typeof found === "string" ? found : ""
}
