// One thing after the other: what fails or takes long holds up only what comes behind it.

export type Queue = { add<Value>(work: () => Promise<Value>): Promise<Value> }

export function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve()
  return {
    add: (work) => {
      const next = last.then(work)
      last = next.catch(() => undefined)
      return next
    },
  }
}
