import { performance } from "node:perf_hooks"
import type { HostClient } from "../hosts/client.ts"

// How long the host takes to answer a request that costs it nothing, while something else goes on.

/** Between two requests: the host has time for its own work, and a stall of 50 ms is met by some of them. */
const EVERY_MS = 4

/** Milliseconds of each answer, asked one after the other until `over` says so. */
export async function healthTimes(host: HostClient, over: () => boolean): Promise<readonly number[]> {
  const times: number[] = []
  while (!over()) {
    const began = performance.now()
    const answer = await host.get("/global/health")
    if (answer.status !== 200) throw new Error(`/global/health answered ${answer.status}`)
    times.push(performance.now() - began)
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
  }
  return times
}

/** The value that `part` (0 to 1) of the times do not exceed. */
export function quantile(times: readonly number[], part: number): number {
  const sorted = times.toSorted((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}

export function p99(times: readonly number[]): number {
  return quantile(times, 0.99)
}
