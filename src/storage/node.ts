import type { Connection, Driver, Row, Rows } from "./sqlite.ts"

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

function connect(database: import("node:sqlite").DatabaseSync): Connection {
  return {
    exec: (sql) => database.exec(sql),
    prepare: (sql) => {
      const statement = database.prepare(sql)
      return {
        run: (...values) => void statement.run(...values),
        get: (...values) => statement.get(...values),
        all: (...values) => statement.all(...values),
      }
    },
    iterate: (sql, values) => rows(database.prepare(sql).iterate(...values)),
    close: () => database.close(),
  }
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
