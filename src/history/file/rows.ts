import type { Row } from "../../storage/sqlite.ts"

// Reads a row's columns as what they are stored as. A wrong type means a damaged file and is thrown.

export function textIn(row: Row, column: string): string {
  const value = row[column]
  if (typeof value === "string") return value
  throw new TypeError(`Column ${column} is not text.`)
}

export function numberIn(row: Row, column: string): number {
  const value = row[column]
  if (typeof value === "number") return value
  if (typeof value === "bigint") return Number(value)
  throw new TypeError(`Column ${column} is not a number.`)
}

export function optionalText(row: Row, column: string): string | undefined {
  return row[column] === null || row[column] === undefined ? undefined : textIn(row, column)
}

export function optionalNumber(row: Row, column: string): number | undefined {
  return row[column] === null || row[column] === undefined ? undefined : numberIn(row, column)
}

export function bytesIn(row: Row, column: string): Uint8Array {
  const value = row[column]
  if (value instanceof Uint8Array) return value
  throw new TypeError(`Column ${column} is not a blob.`)
}
