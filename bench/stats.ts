import type { QueryFigures, SubjectFigures } from "./figures.ts"

// Numbers from samples. Comparisons take each query's best run: what else the machine does only ever adds time.

/** The value at that share of the sorted ones; NaN of none. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

export function best(query: { readonly samples: readonly number[] }): number {
  return Math.min(...query.samples)
}

/** Best runs of the queries that both answered, in pairs. */
export function paired(
  ours: SubjectFigures | undefined,
  other: SubjectFigures | undefined,
  among: (query: QueryFigures) => boolean = () => true,
): readonly (readonly [number, number])[] {
  const queries = ours?.search?.queries.filter(among) ?? []
  return queries.flatMap((query) => {
    const same = other?.search?.queries.find((one) => one.id === query.id)
    return same && same.samples.length > 0 && query.samples.length > 0
      ? [[best(query), best(same)] as const]
      : []
  })
}
