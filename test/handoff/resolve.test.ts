import assert from "node:assert/strict"
import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, symlinkSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { afterEach, describe, test } from "node:test"
import { absolutePaths, openProject, resolveSpellings, type Place } from "../../src/handoff/resolve.ts"
import { bareSpellings } from "../../src/handoff/spellings.ts"
import { defaultRules } from "./default-rules.ts"
import { makeFolder, type Folder, removeFolders } from "./folder.ts"

afterEach(removeFolders)

const skipForRoot = process.getuid?.() === 0 ? { skip: "root may read everything" } : {}

/** Resolves `token` from `directory` in the worktree `folder`/repo. */
async function resolveIn(
  folder: Folder,
  token: string,
  directory = "repo",
  worktree = "repo",
): Promise<string> {
  const place: Place = {
    directory: join(folder.path, directory),
    worktree: worktree === "/" ? "/" : join(folder.path, worktree),
    home: join(folder.path, "home"),
    platform: process.platform,
  }
  const project = await openProject(place, defaultRules())
  const found = await resolveSpellings(bareSpellings(token), project)
  if (found.kind === "refused") return found.reason
  return found.path.replace(`${folder.path}/`, "") + (found.path === found.real ? "" : " ->")
}

test("a name is found however its characters are composed, and a rule holds for it", async () => {
  const composed = "caf\u00e9/\ud55c\uae00.ts"
  const apart = composed.normalize("NFD")
  const mixed = `caf\u00e9/${"\ud55c\uae00.ts".normalize("NFD")}`
  for (const file of [composed, apart, mixed])
    for (const typed of [composed, apart, mixed]) {
      const folder = makeFolder({ [`repo/${file}`]: "" })
      assert.equal(await resolveIn(folder, typed), `repo/${file}`, `${typed} for ${file}`)
      assert.equal(await resolveIn(folder, `${typed}.`), `repo/${file}`)
      assert.equal(await resolveIn(folder, `x${typed}`), "missing")
      const place: Place = {
        directory: join(folder.path, "repo"),
        worktree: join(folder.path, "repo"),
        home: folder.path,
        platform: process.platform,
      }
      const project = await openProject(place, (name) => (name === composed ? "refused" : "allowed"))
      assert.equal((await resolveSpellings(bareSpellings(typed), project)).kind, "refused")
    }
})

describe("resolveSpellings", () => {
  const files = {
    "repo/a.ts": "",
    "repo/sub/b.ts": "",
    "repo/sub/a.md": "",
    "repo/.env": "",
    "repo/.env.example": "",
    "repo/..dots/x.ts": "",
    "repo/page(1).ts": "",
    "repo/what?": "",
    "repo/a.ts:1": "",
    "repo/range.ts#1": "",
    "repo/@scope/c.ts": "",
    "repo/back\\slash.ts": "",
    "repo/app/(group)/[id]/page.tsx": "",
    "repo/.github/workflows/ci.yml": "",
    "home/h.ts": "",
    "out/o.ts": "",
  }
  const cases: [token: string, outcome: string, directory?: string, worktree?: string][] = [
    ["a.ts", "repo/a.ts"],
    ["./a.ts", "repo/a.ts"],
    ["sub/../a.ts", "repo/a.ts"],
    ["b.ts", "repo/sub/b.ts", "repo/sub"],
    ["a.ts", "repo/a.ts", "repo/sub"],
    ["../a.ts", "repo/a.ts", "repo/sub"],
    ["sub/b.ts", "repo/sub/b.ts", "repo/sub"],
    ["a.ts.", "repo/a.ts"],
    ["page(1).ts).", "repo/page(1).ts"],
    ["what?", "repo/what?"],
    ["a.ts:1", "repo/a.ts:1"],
    ["a.ts:2", "repo/a.ts"],
    ["a.ts#1-2", "repo/a.ts"],
    ["range.ts#1", "repo/range.ts#1"],
    ["a.ts。好", "repo/a.ts"],
    ["scope/c.ts", "repo/@scope/c.ts"],
    ["..dots/x.ts", "repo/..dots/x.ts"],
    ["back\\slash.ts", "repo/back\\slash.ts"],
    ["app/(group)/[id]/page.tsx).", "repo/app/(group)/[id]/page.tsx"],
    [".github/workflows/ci.yml", "repo/.github/workflows/ci.yml"],
    [".env.example", "repo/.env.example"],
    [".env", "refused"],
    [".env,", "refused"],
    ["x.ts", "missing"],
    ["a.ts/", "repo/a.ts"],
    ["a.ts/b", "missing"],
    ["x".repeat(1000), "missing"],
    ["sub", "directory"],
    ["sub,", "directory"],
    ["sub(x", "missing"],
    [".", "directory"],
    ["../out/o.ts", "outside"],
    ["../out", "outside"],
    ["../nothing", "missing"],
    ["~/h.ts", "outside"],
    ["~", "outside"],
    ["~user/h.ts", "missing"],
    ["/etc/passwd", "outside"],
    ["/dev/null", "outside"],
    ["../a.ts", "outside", "repo/sub", "/"],
    ["b.ts", "repo/sub/b.ts", "repo/sub", "/"],
    ["o.ts", "out/o.ts", "out"],
  ]
  for (const [token, outcome, directory, worktree] of cases)
    test(`${token} from ${directory ?? "repo"}${worktree === undefined ? "" : " without a repository"} is ${outcome}`, async () => {
      const folder = makeFolder(files)
      assert.equal(await resolveIn(folder, token, directory, worktree), outcome)
    })

  test("home is inside when it is the project", async () => {
    const folder = makeFolder(files)
    assert.equal(await resolveIn(folder, "~/h.ts", "home", "/"), "home/h.ts")
  })
  test("an absolute path inside the project is a file", async () => {
    const folder = makeFolder(files)
    assert.equal(await resolveIn(folder, join(folder.path, "repo/a.ts")), "repo/a.ts")
  })

  const links: [name: string, target: string, outcome: string][] = [
    ["in.ts", "a.ts", "repo/in.ts ->"],
    ["out.ts", "../out/o.ts", "outside"],
    ["config.txt", ".env", "refused"],
    [".env.local", "a.ts", "refused"],
    ["dangling.ts", "nothing.ts", "missing"],
    ["loop.ts", "loop.ts", "unreadable"],
    ["dir", "sub", "directory"],
    ["device", "/dev/zero", "outside"],
  ]
  for (const [name, target, outcome] of links)
    test(`a link ${name} to ${target} is ${outcome}`, async () => {
      const folder = makeFolder(files)
      symlinkSync(target, join(folder.path, "repo", name))
      assert.equal(await resolveIn(folder, name), outcome)
    })
  test("a linked folder that leads out is outside", async () => {
    const folder = makeFolder(files)
    symlinkSync("../out", join(folder.path, "repo/linked"))
    assert.equal(await resolveIn(folder, "linked/o.ts"), "outside")
  })
  test("a project reached through a link is inside itself", async () => {
    const folder = makeFolder(files)
    symlinkSync("repo", join(folder.path, "alias"))
    assert.equal(await resolveIn(folder, "a.ts", "alias", "alias"), "alias/a.ts ->")
    assert.equal(await resolveIn(folder, join(folder.path, "repo/a.ts"), "alias", "alias"), "repo/a.ts")
  })

  test("a FIFO and a socket are not regular files, and are not opened", async () => {
    const folder = makeFolder(files)
    execFileSync("mkfifo", [join(folder.path, "repo/pipe")])
    const server = createServer()
    await new Promise<void>((listening) => server.listen(join(folder.path, "repo/socket"), listening))
    try {
      assert.equal(await resolveIn(folder, "pipe"), "not a regular file")
      assert.equal(await resolveIn(folder, "socket"), "not a regular file")
    } finally {
      server.close()
    }
  })
  test("a file in a folder that may not be entered is unreadable", skipForRoot, async () => {
    const folder = makeFolder(files)
    const locked = join(folder.path, "repo/locked")
    mkdirSync(locked)
    chmodSync(locked, 0)
    assert.equal(await resolveIn(folder, "locked/a.ts"), "unreadable")
    chmodSync(locked, 0o700)
  })
  test("rules see the path relative to the worktree, for the link and for its target", async () => {
    const folder = makeFolder(files)
    symlinkSync("../a.ts", join(folder.path, "repo/sub/link.ts"))
    const asked: string[] = []
    const repo = join(folder.path, "repo")
    const place: Place = {
      directory: join(repo, "sub"),
      worktree: repo,
      home: "/",
      platform: process.platform,
    }
    const project = await openProject(place, (path) => (asked.push(path) > 0 ? "allowed" : "refused"))
    await resolveSpellings(bareSpellings("link.ts"), project)
    assert.deepEqual(asked, ["sub/link.ts", "a.ts"])
  })
})

describe("absolutePaths", () => {
  const unix: Place = { directory: "/r/s", worktree: "/r", home: "/h", platform: "linux" }
  const windows: Place = { directory: "C:\\r\\s", worktree: "C:\\r", home: "C:\\h", platform: "win32" }
  const cases: [place: Place, spelling: string, paths: readonly string[]][] = [
    [unix, "a.ts", ["/r/s/a.ts", "/r/a.ts"]],
    [unix, "~/a.ts", ["/h/a.ts"]],
    [unix, "/x/../a.ts", ["/a.ts"]],
    [unix, "src\\a.ts", ["/r/s/src\\a.ts", "/r/src\\a.ts"]],
    [{ ...unix, worktree: "/" }, "a.ts", ["/r/s/a.ts"]],
    [{ ...unix, worktree: "/r/s" }, "a.ts", ["/r/s/a.ts"]],
    [windows, "src\\a.ts", ["C:\\r\\s\\src\\a.ts", "C:\\r\\src\\a.ts"]],
    [windows, "src/a.ts", ["C:\\r\\s\\src\\a.ts", "C:\\r\\src\\a.ts"]],
    [windows, "C:\\x\\a.ts", ["C:\\x\\a.ts"]],
    [windows, "C:/x/a.ts", ["C:\\x\\a.ts"]],
    [windows, "~\\a.ts", ["C:\\h\\a.ts"]],
    [windows, "~/a.ts", ["C:\\h\\a.ts"]],
    [windows, "..\\..\\..\\a.ts", ["C:\\a.ts", "C:\\a.ts"]],
    [windows, "\\\\srv\\share\\a.ts", ["\\\\srv\\share\\a.ts"]],
  ]
  for (const [place, spelling, paths] of cases)
    test(`${spelling} on ${place.platform} is ${paths.join(", ")}`, () => {
      assert.deepEqual(absolutePaths(spelling, place), paths)
    })

  test("a path on another Windows machine is refused without being touched", async () => {
    const project = await openProject(windows, () => "allowed")
    assert.deepEqual(await resolveSpellings(bareSpellings("\\\\srv\\share\\a.ts"), project), {
      kind: "refused",
      reason: "outside",
    })
  })
})
