import type { HistoryResult } from "./contract.ts"

// Calls that wait for their turn are carried out together, in their order: a transaction costs some twenty pages
// whatever it writes. A call that finds nothing waiting is carried out alone and at once.

/** Calls carried out together, of at most a page each; a sync has twice as many on their way (sync/work.ts). */
export const MOST_TOGETHER = 8

export type Groups<Argument, Value> = {
  add(argument: Argument, signal?: AbortSignal): Promise<HistoryResult<Value>>
  /** What is added from now on comes behind everything that was asked for before. */
  end(): void
}

type Call<Argument, Value> = {
  readonly argument: Argument
  readonly signal: AbortSignal | undefined
  readonly resolve: (result: HistoryResult<Value> | Promise<HistoryResult<Value>>) => void
  readonly reject: (error: unknown) => void
}

/**
 * `perform` gets its turn later, asks for the arguments when it begins, and answers with as many values. Its signal is
 * aborted when all calls are. When several fail together each is tried alone, so that a bad one fails no other.
 */
export function createGroups<Argument, Value>(
  perform: (
    begin: () => readonly Argument[],
    signal: AbortSignal,
  ) => Promise<HistoryResult<readonly Value[]>>,
): Groups<Argument, Value> {
  let joining: Call<Argument, Value>[] | undefined

  const carryOut = async (calls: Call<Argument, Value>[]): Promise<void> => {
    const controller = new AbortController()
    const giveUp = (): void => {
      if (calls.every(({ signal }) => signal?.aborted === true)) controller.abort()
    }
    try {
      const result = await perform(() => {
        if (joining === calls) joining = undefined
        for (const { signal } of calls) signal?.addEventListener("abort", giveUp)
        giveUp()
        return calls.map(({ argument }) => argument)
      }, controller.signal)
      calls.forEach((call, at) => {
        if (result.ok) call.resolve(one(result.value, at))
        else call.resolve(calls.length > 1 && result.fault.reason === "failed" ? alone(call) : result)
      })
    } catch (error) {
      for (const call of calls) call.reject(error)
    } finally {
      if (joining === calls) joining = undefined
      for (const { signal } of calls) signal?.removeEventListener("abort", giveUp)
    }
  }

  const alone = async ({ argument, signal }: Call<Argument, Value>): Promise<HistoryResult<Value>> => {
    const result = await perform(() => [argument], signal ?? new AbortController().signal)
    return result.ok ? one(result.value, 0) : result
  }

  return {
    add: (argument, signal) =>
      new Promise((resolve, reject) => {
        const call = { argument, signal, resolve, reject }
        if (joining !== undefined && joining.length < MOST_TOGETHER) {
          joining.push(call)
          return
        }
        joining = [call]
        void carryOut(joining)
      }),
    end: () => {
      joining = undefined
    },
  }
}

function one<Value>(values: readonly Value[], at: number): HistoryResult<Value> {
  const value = values[at]
  if (value === undefined) throw new Error(`Only ${values.length} answers came.`)
  return { ok: true, value }
}
