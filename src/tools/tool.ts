// The one shape of a tool. A host turns it into its own form and calls `run` with what the model wrote.

import type * as z from "zod"
import type { Caller } from "../hosts/host.ts"

export type Tool = {
  readonly name: string
  readonly description: string
  /** The arguments as the host shows them to the model. Hosts may pass arguments unchecked. */
  readonly input: z.ZodRawShape
  /** The answer as text. Checks its own input; expected trouble is an answer, only a bug throws. */
  run(input: unknown, caller: Caller): Promise<string>
}
