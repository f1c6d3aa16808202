import type { Connection, Driver, Row, Rows } from "./sqlite.ts"

// The driver for runtimes that have bun:sqlite.

/** The driver, or undefined where the module does not exist. */
export async function loadBun(): Promise<Driver | undefined> {
  try {
    const { Database } = await import("bun:sqlite")
    return { name: "bun:sqlite", open: (path, readOnly) => connect(new Database(path, openFlags(readOnly))) }
  } catch {
    return undefined
  }
}

function openFlags(readOnly: boolean) {
  return readOnly ? { readonly: true } : { readwrite: true, create: true }
}

function connect(database: import("bun:sqlite").Database): Connection {
  // A connection with statements left open keeps its files open until they are collected.
  const prepared: { finalize(): void }[] = []
  return {
    exec: (sql) => void database.run(sql),
    prepare: (sql) => {
      const statement = database.prepare<Row, import("bun:sqlite").SQLQueryBindings[]>(sql)
      prepared.push(statement)
      return {
        run: (...values) => void statement.run(...values),
        get: (...values) => statement.get(...values) ?? undefined,
        all: (...values) => statement.all(...values),
        values: (...values) => statement.values(...values),
      }
    },
    iterate: (sql, values) => {
      const statement = database.prepare<Row, import("bun:sqlite").SQLQueryBindings[]>(sql)
      return rows(statement.iterate(...values), () => statement.finalize())
    },
    close: () => {
      for (const statement of prepared.splice(0)) statement.finalize()
      database.close()
    },
  }
}

function rows(iterator: IterableIterator<Row>, end: () => void): Rows {
  let open = true
  return {
    next: () => {
      const step = iterator.next()
      return step.done === true ? undefined : step.value
    },
    close: () => {
      if (!open) return
      open = false
      end()
    },
  }
}
