import { execFileSync } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"

// Which processes are there. Linux answers from /proc (no `ps` needed in a container); elsewhere `ps` does,
// and environments are not looked at.

/** Every process of a world has the world's folder in this variable, whatever group it moved to. */
export const MARK = "BATON_TEST_WORLD"

type Row = { readonly pid: number; readonly pgid: number; readonly zombie: boolean }

/** Pids in a process group. A zombie has ended: where nobody reaps orphans it stays listed for ever. */
export function groupMembers(pgid: number): readonly number[] {
  return rows()
    .filter((row) => row.pgid === pgid && !row.zombie)
    .map((row) => row.pid)
}

/** Pids that carry the mark of the world at `root`. Empty where environments cannot be read. */
export function markedBy(root: string): readonly number[] {
  if (process.platform !== "linux") return []
  const entry = `${MARK}=${root}`
  return rows()
    .filter((row) => !row.zombie && row.pid !== process.pid)
    .map((row) => row.pid)
    .filter((pid) => readProc(`/proc/${pid}/environ`).split("\0").includes(entry))
}

/** True while the process runs. */
export function alive(pid: number): boolean {
  return rows().some((row) => row.pid === pid && !row.zombie)
}

function rows(): readonly Row[] {
  return process.platform === "linux" ? procRows() : psRows()
}

function procRows(): readonly Row[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      // "pid (any name) state ppid pgrp …"
      const stat = readProc(`/proc/${name}/stat`)
      const [state, , pgid] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
      return pgid === undefined ? [] : [{ pid: Number(name), pgid: Number(pgid), zombie: state === "Z" }]
    })
}

function psRows(): readonly Row[] {
  const list = execFileSync("ps", ["-A", "-o", "pid=,pgid=,stat="], { encoding: "utf8" })
  return list.split("\n").flatMap((line) => {
    const [pid, pgid, state] = line.trim().split(/\s+/)
    return state === undefined
      ? []
      : [{ pid: Number(pid), pgid: Number(pgid), zombie: state.startsWith("Z") }]
  })
}

/** Empty when the process ended meanwhile or belongs to someone else. */
function readProc(path: string): string {
  try {
    return readFileSync(path, "latin1")
  } catch (error) {
    if (
      error instanceof Error &&
      "code" in error &&
      ["ENOENT", "ESRCH", "EACCES", "EPERM"].includes(String(error.code))
    ) {
      return ""
    }
    throw error
  }
}
