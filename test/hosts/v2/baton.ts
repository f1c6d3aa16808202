import { runBaton, type Ran } from "../../cli/run.ts"
import type { ContractHost } from "./host.ts"

/** Runs `baton` in the host's project, over its data and registration folders and under this test's runtime. */
export function baton(
  host: ContractHost,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  return runBaton(args, {
    cwd: host.directory,
    env: { ...process.env, ...NOT_OURS, HOME: host.directory, PWD: host.directory, ...more },
  })
}

/** What whoever runs the tests may have set for other purposes: the OpenCode to test on is not the one to ask. */
const NOT_OURS = { BATON_OPENCODE: "", BATON_DATA_DIR: "", OPENCODE_SERVER_PASSWORD: "" }
