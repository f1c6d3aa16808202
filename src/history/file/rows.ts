import { DamageError } from "./damage.ts"
import type { Row, SqlValue } from "../../storage/sqlite.ts"

// Reads a row's columns as what they are stored as. A wrong type means a damaged file and is thrown.

export function textIn(row: Row, column: string): string {
  return textOf(row[column], column)
}

export function numberIn(row: Row, column: string): number {
  return numberOf(row[column], column)
}

export function optionalNumber(row: Row, column: string): number | undefined {
  return optionalNumberOf(row[column], column)
}

export function bytesIn(row: Row, column: string): Uint8Array {
  return bytesOf(row[column], column)
}

export function bytesOf(value: Value, column: string): Uint8Array {
  if (value instanceof Uint8Array) return value
  throw new DamageError(`Column ${column} is not a blob.`)
}

type Value = SqlValue | undefined

export function textOf(value: Value, column: string): string {
  if (typeof value === "string") return value
  throw new DamageError(`Column ${column} is not text.`)
}

export function numberOf(value: Value, column: string): number {
  if (typeof value === "number") return value
  if (typeof value === "bigint") return Number(value)
  throw new DamageError(`Column ${column} is not a number.`)
}

export function optionalTextOf(value: Value, column: string): string | undefined {
  return value === null || value === undefined ? undefined : textOf(value, column)
}

export function optionalNumberOf(value: Value, column: string): number | undefined {
  return value === null || value === undefined ? undefined : numberOf(value, column)
}
