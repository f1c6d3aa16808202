import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as z from "zod"

// A measurement's order to its process: a JSON argument; the figures come back in the file `out`.

const job = z.object({
  task: z.enum([
    "truth",
    "build",
    "search",
    "build and search",
    "append",
    "baseline append",
    "reads",
    "load",
    "definitions",
    "ripgrep",
    "command",
    "answers",
  ]),
  subject: z.string(),
  messages: z.number(),
  seed: z.number(),
  folder: z.string(),
  truth: z.string(),
  out: z.string(),
})

export type Job = z.infer<typeof job>

export function readJob(text: string | undefined): Job {
  return job.parse(JSON.parse(text ?? ""))
}

/** Runs it to its end with that runtime; rejects when it fails. */
export async function runJob(given: Job, runtime: string): Promise<unknown> {
  const code = await new Promise((resolve, reject) => {
    const child = spawn(runtime, [join(import.meta.dirname, "child.ts"), JSON.stringify(given)], {
      stdio: ["ignore", "inherit", "inherit"],
      env: { ...process.env, NODE_NO_WARNINGS: "1" },
    })
    child.on("error", reject)
    child.on("close", resolve)
  })
  if (code !== 0) throw new Error(`${given.subject} ${given.task} ended with ${String(code)}.`)
  return JSON.parse(readFileSync(given.out, "utf8"))
}
