import assert from "node:assert/strict"
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, describe, test } from "node:test"
import { type Database, openDatabase, sqliteDriver, sqliteTrouble } from "../../src/storage/sqlite.ts"

// Runs on the driver of the runtime it is run by: once under Bun, once under Node.

const folder = mkdtempSync(join(tmpdir(), "baton-sqlite-"))
after(() => rmSync(folder, { recursive: true, force: true }))

const driver = await sqliteDriver()
assert.ok(driver)

let files = 0
function open(
  path = join(folder, `${files++}.sqlite`),
  options: { readOnly?: boolean; busyTimeoutMs?: number } = {},
) {
  assert.ok(driver)
  return openDatabase(driver, path, { busyTimeoutMs: 50, ...options })
}

function table(): Database {
  const database = open()
  database.exec("CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT)")
  return database
}

function count(database: Database): unknown {
  return database.prepare("SELECT count(*) AS n FROM t").get()?.["n"]
}

test("the driver is the runtime's own", () => {
  assert.equal(driver.name, process.versions["bun"] === undefined ? "node:sqlite" : "bun:sqlite")
})

describe("values come back as they went in", () => {
  for (const value of ["", "é 東京 🚀", 0, -1, 2 ** 53 - 1, 1.5, null])
    test(String(value), () => {
      const database = open()
      assert.equal(database.prepare("SELECT ? AS v").get(value)?.["v"], value)
      database.close()
    })

  test("bytes", () => {
    const database = open()
    assert.deepEqual(
      Array.from(asBytes(database.prepare("SELECT ? AS v").get(new Uint8Array([0, 255]))?.["v"])),
      [0, 255],
    )
    database.close()
  })
})

test("rows as arrays have their columns in order, and objects come afterwards as before", () => {
  const database = open()
  const statement = database.prepare("SELECT ?1 AS b, ?2 AS a, NULL AS n, x'07' AS bytes")
  assert.deepEqual(
    statement
      .values(1, "é")
      .map((row) => row.map((value) => (value instanceof Uint8Array ? [...value] : value))),
    [[1, "é", null, [7]]],
  )
  assert.deepEqual(Object.keys(statement.get(1, "é") ?? {}), ["b", "a", "n", "bytes"])
  assert.deepEqual(database.prepare("SELECT 1 WHERE 0").values(), [])
  database.close()
})

test("no row is undefined", () => {
  const database = table()
  assert.equal(database.prepare("SELECT * FROM t").get(), undefined)
  assert.deepEqual(database.prepare("SELECT * FROM t").all(), [])
  database.close()
})

test("a busy timeout is set on every connection", () => {
  const database = open(undefined, { busyTimeoutMs: 0 })
  assert.equal(database.pragma("busy_timeout"), 1)
  database.close()
})

describe("transactions", () => {
  test("are kept when the work ends, rolled back when it throws", () => {
    const database = table()
    assert.equal(
      database.transaction("immediate", () => {
        database.prepare("INSERT INTO t(b) VALUES(?)").run("kept")
        return 7
      }),
      7,
    )
    assert.throws(
      () =>
        database.transaction("immediate", () => {
          database.prepare("INSERT INTO t(b) VALUES(?)").run("lost")
          throw new Error("stop")
        }),
      /stop/,
    )
    assert.equal(count(database), 1)
    database.close()
  })

  test("inside another are savepoints: the inner one alone is undone", () => {
    const database = table()
    database.transaction("immediate", () => {
      database.prepare("INSERT INTO t(b) VALUES(?)").run("outer")
      assert.throws(() =>
        database.transaction("deferred", () => {
          database.prepare("INSERT INTO t(b) VALUES(?)").run("inner")
          throw new Error("stop")
        }),
      )
      database.transaction("deferred", () => database.prepare("INSERT INTO t(b) VALUES(?)").run("second"))
    })
    assert.equal(count(database), 2)
    database.close()
  })

  test("refuse a promise and undo what was done", () => {
    const database = table()
    assert.throws(
      () =>
        database.transaction("immediate", async () => {
          database.prepare("INSERT INTO t(b) VALUES(?)").run("too early")
        }),
      /cannot hold a promise/,
    )
    assert.equal(count(database), 0)
    database.close()
  })

  test("immediate: a second writer is told that it is busy after its timeout", () => {
    const path = join(folder, "busy.sqlite")
    const one = open(path)
    one.exec("CREATE TABLE t(a)")
    const other = open(path)
    one.transaction("immediate", () => {
      const start = performance.now()
      assert.throws(
        () => other.transaction("immediate", () => undefined),
        (error) => sqliteTrouble(error) === "busy",
      )
      assert.ok(performance.now() - start >= 40)
    })
    other.transaction("immediate", () => undefined)
    one.close()
    other.close()
  })
})

test("iterating can stop early and frees the table", () => {
  const database = table()
  for (let n = 0; n < 100; n++) database.prepare("INSERT INTO t(b) VALUES(?)").run(`row ${n}`)
  const rows = database.iterate("SELECT a FROM t ORDER BY a DESC")
  assert.equal(rows.next()?.["a"], 100)
  assert.equal(rows.next()?.["a"], 99)
  rows.close()
  rows.close()
  database.exec("DROP TABLE t")
  database.close()
})

describe("trouble is sorted", () => {
  test("not a database", async () => {
    const { writeFileSync } = await import("node:fs")
    const path = join(folder, "noise.sqlite")
    writeFileSync(path, "not a database, ".repeat(500))
    assert.throws(
      () => open(path).exec("CREATE TABLE t(a)"),
      (error) => sqliteTrouble(error) === "corrupt",
    )
  })

  test("read only", () => {
    const path = join(folder, "readonly.sqlite")
    const writable = open(path)
    writable.exec("CREATE TABLE t(a)")
    writable.close()
    const database = open(path, { readOnly: true })
    assert.throws(
      () => database.exec("INSERT INTO t VALUES(1)"),
      (error) => sqliteTrouble(error) === "read-only",
    )
    database.close()
  })

  test("cannot open", () => {
    assert.throws(
      () => open(join(folder, "missing", "x.sqlite")).exec("SELECT 1"),
      (error) => sqliteTrouble(error) === "cannot-open",
    )
  })

  test("anything else", () => assert.equal(sqliteTrouble(new Error("x")), "other"))
})

describe("facts about SQLite that the index relies on", () => {
  test("RETURNING tells which rows a deletion took", () => {
    const database = table()
    database.exec("INSERT INTO t VALUES(1, 'a'), (2, 'b'), (3, 'c')")
    const rows = database.prepare("DELETE FROM t WHERE a >= ? RETURNING a").all(2)
    assert.deepEqual(
      rows.map((row) => row["a"]),
      [2, 3],
    )
    database.close()
  })

  test("a column without a type keeps text and bytes apart", () => {
    const database = open()
    database.exec("CREATE TABLE t(a INTEGER PRIMARY KEY, b NOT NULL)")
    database.prepare("INSERT INTO t VALUES(1, ?), (2, ?)").run("x", new Uint8Array([120]))
    assert.deepEqual(
      database
        .prepare("SELECT typeof(b) AS b FROM t ORDER BY a")
        .all()
        .map((row) => row["b"]),
      ["text", "blob"],
    )
    database.close()
  })
})

function asBytes(value: unknown): Uint8Array {
  assert.ok(value instanceof Uint8Array)
  return value
}

test("a closed connection keeps no file open", { skip: process.platform !== "linux" }, () => {
  const path = join(folder, "closed.sqlite")
  const database = open(path)
  database.exec("CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT)")
  database.prepare("INSERT INTO t(b) VALUES (?)").run("x")
  assert.equal(count(database), 1)
  database.pragma("user_version")
  database.close()
  const descriptors = readdirSync("/proc/self/fd").map((fd) => linkOf(`/proc/self/fd/${fd}`))
  assert.deepEqual(
    descriptors.filter((target) => target.startsWith(path)),
    [],
  )
})

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    // A descriptor that is gone again, such as the one of the listing itself.
    return ""
  }
}
