import assert from "node:assert/strict"
import { contractHost, type ContractHost } from "./host.ts"
import type { HostSetup, Release } from "./release.ts"

// What most tests on the contract host do: a host with a session to ask from, and questions that are repeated until the
// index has caught up.

export const RELEASES: readonly Release[] = ["2.0.16", "2.1.0"]

/** Far above what a test takes; both cores may be busy with others. */
export const SLOW = { timeout: 60_000 }

const ANSWER_MS = 25_000

/** Runs over a host of its own; whatever the plugin did wrong fails the test. */
export async function inHost(
  setup: HostSetup,
  run: (host: ContractHost, caller: string) => Promise<void>,
): Promise<void> {
  const host = await contractHost(setup)
  try {
    await run(host, host.store.put({ title: "Caller" }).id)
    assert.deepEqual(host.violations, [])
  } finally {
    await host.stop()
  }
}

/** The same, with the plugin started. */
export function inLoadedHost(
  setup: HostSetup,
  run: (host: ContractHost, caller: string) => Promise<void>,
): Promise<void> {
  return inHost(setup, async (host, caller) => {
    await host.load()
    await run(host, caller)
  })
}

/** A tool's answer, asked for again and again until it is as wanted. */
export async function ask(
  host: ContractHost,
  caller: string,
  name: string,
  input: object,
  wanted: RegExp,
): Promise<string> {
  for (const end = Date.now() + ANSWER_MS; ;) {
    const { content } = await host.tool(caller, name, input)
    if (wanted.test(content)) return content
    if (Date.now() > end)
      assert.fail(`${name} ${JSON.stringify(input)} never matched ${wanted}; its last answer was\n${content}`)
    await new Promise((resolve) => setTimeout(resolve, 40))
  }
}

export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + ANSWER_MS; Date.now() < end;)
    if (await holds()) return
    else await new Promise((resolve) => setTimeout(resolve, 20))
  assert.fail(`it did not come to hold: ${what}`)
}

/** A message of the assistant's, and one of the user's. */
export const said = (text: string) => ({ type: "assistant", content: [{ type: "text", text }] })
export const wrote = (text: string) => ({ type: "user", text })
