import { spawn } from "node:child_process"
import { ENTRY, type Ran } from "../../cli/run.ts"
import type { ContractHost } from "./host.ts"

/** Runs `baton` in the host's project, over its data and registration folders and under this test's runtime. */
export function baton(
  host: ContractHost,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [ENTRY, ...args], {
      cwd: host.directory,
      env: { ...process.env, ...NOT_OURS, HOME: host.directory, PWD: host.directory, ...more },
      stdio: ["ignore", "pipe", "pipe"],
    })
    let [stdout, stderr] = ["", ""]
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (stdout += chunk))
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => (stderr += chunk))
    child.once("error", reject)
    child.once("close", (code) => resolve({ code, stdout, stderr }))
  })
}

/** What whoever runs the tests may have set for other purposes: the OpenCode to test on is not the one to ask. */
const NOT_OURS = { BATON_OPENCODE: "", BATON_DATA_DIR: "", OPENCODE_SERVER_PASSWORD: "" }
