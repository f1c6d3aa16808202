// The one shape of a tool. A host turns it into its own form and calls `run` with what the model wrote.

import type * as z from "zod/mini"
import type { Caller } from "../hosts/host.ts"

/** What the model sees of a tool. All that a host needs at its start. */
export type Definition = {
  readonly name: string
  readonly description: string
  /** The arguments as the host shows them to the model. Hosts may pass arguments unchecked. */
  readonly input: z.core.$ZodShape
}

export type Tool = Definition & {
  /** The answer as text. Checks its own input; expected trouble is an answer, only a bug throws. */
  run(input: unknown, caller: Caller): Promise<string>
}
