import type { Definition } from "../tool.ts"

// Schemas take longer to make than everything else of a definition, and a host's start has no use for them.

/** A definition whose arguments are made when they are first read. */
export function definition<Input extends Definition["input"]>(given: {
  readonly name: string
  readonly description: string
  input(): Input
}): { readonly name: string; readonly description: string; readonly input: Input } {
  let made: Input | undefined
  return {
    name: given.name,
    description: given.description,
    get input() {
      made ??= given.input()
      return made
    },
  }
}
