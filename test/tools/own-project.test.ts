import assert from "node:assert/strict"
import { describe, test } from "node:test"
import { GLOBAL_PROJECT, isOwn } from "../../src/tools/own-project.ts"

const caller = (projectID: string, directory: string) => ({ sessionID: "ses_caller", projectID, directory })

describe("the caller's own sessions", () => {
  const cases: [name: string, from: [string, string], session: [string, string, string], own: boolean][] = [
    ["of its repository", ["prj", "/a"], ["ses_x", "prj", "/a"], true],
    ["of a worktree elsewhere", ["prj", "/a"], ["ses_x", "prj", "/b"], true],
    ["of another repository", ["prj", "/a"], ["ses_x", "other", "/a"], false],
    ["without a repository, its directory", [GLOBAL_PROJECT, "/a"], ["ses_x", GLOBAL_PROJECT, "/a"], true],
    ["below its directory", [GLOBAL_PROJECT, "/a"], ["ses_x", GLOBAL_PROJECT, "/a/b"], true],
    ["above its directory", [GLOBAL_PROJECT, "/a/b"], ["ses_x", GLOBAL_PROJECT, "/a"], false],
    ["beside its directory", [GLOBAL_PROJECT, "/a"], ["ses_x", GLOBAL_PROJECT, "/ab"], false],
    ["of a host that names no project, its directory", ["", "/a"], ["ses_x", "", "/a/b"], true],
    ["of a host that names no project, another directory", ["", "/a"], ["ses_x", "", "/b"], false],
    ["without a project where the caller has one", ["prj", "/a"], ["ses_x", "", "/a"], false],
    ["of a project where the caller has none", ["", "/a"], ["ses_x", "prj", "/a"], false],
    ["itself, wherever it was moved", [GLOBAL_PROJECT, "/a"], ["ses_caller", "other", "/b"], true],
  ]
  for (const [name, from, [id, projectID, directory], own] of cases)
    test(`${name}: ${own ? "own" : "asked for"}`, () =>
      assert.equal(isOwn(caller(...from), { id, projectID, directory }), own))

  test("one without an id is not that of a caller without a session", () => {
    const none = { sessionID: "", projectID: "prj", directory: "/a" }
    assert.equal(isOwn(none, { id: "", projectID: "other", directory: "/b" }), false)
  })
})
