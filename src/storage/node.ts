import type { Connection, Driver, Row, Rows, SqlValue, Values } from "./sqlite.ts"

// The driver for runtimes that have node:sqlite.

/** The driver, or undefined where the module does not exist. */
export async function loadNode(): Promise<Driver | undefined> {
  try {
    const { DatabaseSync } = await import("node:sqlite")
    return { name: "node:sqlite", open: (path, readOnly) => connect(new DatabaseSync(path, { readOnly })) }
  } catch {
    return undefined
  }
}

/** Node before 22.13 has no cursors: there the rows are read at once. */
type Iterable = Pick<import("node:sqlite").StatementSync, "all"> &
  Partial<Pick<import("node:sqlite").StatementSync, "iterate">>

function connect(database: import("node:sqlite").DatabaseSync): Connection {
  return {
    exec: (sql) => database.exec(sql),
    prepare: (sql) => {
      const statement = database.prepare(sql)
      return {
        run: (...values) => void statement.run(...values),
        get: (...values) => statement.get(...values),
        all: (...values) => statement.all(...values),
        values: (...values) => arrays(statement, values),
      }
    },
    iterate: (sql, values) => {
      const statement: Iterable = database.prepare(sql)
      return rows(statement.iterate?.(...values) ?? statement.all(...values).values())
    },
    close: () => database.close(),
  }
}

/** Node before 22.16 makes objects in any case. */
type Arrays = Pick<import("node:sqlite").StatementSync, "all"> &
  Partial<Pick<import("node:sqlite").StatementSync, "setReturnArrays">>

function arrays(statement: Arrays, values: readonly SqlValue[]): readonly Values[] {
  statement.setReturnArrays?.(true)
  const rows: readonly (Row | Values)[] = statement.all(...values)
  statement.setReturnArrays?.(false)
  return rows.map((row) => (isValues(row) ? row : Object.values(row)))
}

function isValues(row: Row | Values): row is Values {
  return Array.isArray(row)
}

function rows(iterator: Iterator<Row>): Rows {
  return {
    next: () => {
      const step = iterator.next()
      return step.done === true ? undefined : step.value
    },
    close: () => void iterator.return?.(),
  }
}
