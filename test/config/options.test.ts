import assert from "node:assert/strict"
import { describe, test } from "node:test"
import * as fc from "fast-check"
import {
  DEFAULT_OPTIONS,
  MAX_INJECT_BYTES,
  MAX_INJECT_FILES,
  parseOptions,
} from "../../src/config/options.ts"

describe("options that are accepted", () => {
  accepts(undefined, {})
  accepts(null, {})
  accepts({}, {})
  accepts({ tools: null, inject: null, dataDir: null }, {})
  accepts({ tools: ["handoff"] }, { tools: ["handoff"] })
  accepts({ tools: ["sessions", "handoff", "sessions"] }, { tools: ["sessions", "handoff"] })
  accepts({ tools: [] }, { tools: [] })
  accepts({ otherProjects: "allow" }, { otherProjects: "allow" })
  accepts({ otherProjects: "deny" }, { otherProjects: "deny" })
  accepts({ exclude: ["abc", "/home/me/private/**"] }, { exclude: ["abc", "/home/me/private/**"] })
  accepts({ maskSecrets: false }, { maskSecrets: false })
  accepts({ inject: { maxFiles: 3 } }, { inject: { ...DEFAULT_OPTIONS.inject, maxFiles: 3 } })
  accepts({ "inject.maxFiles": 3 }, { inject: { ...DEFAULT_OPTIONS.inject, maxFiles: 3 } })
  accepts({ "inject.maxFiles": 0 }, { inject: { ...DEFAULT_OPTIONS.inject, maxFiles: 0 } })
  accepts(
    { "inject.maxBytes": MAX_INJECT_BYTES, inject: { maxFileBytes: 1, maxFiles: MAX_INJECT_FILES } },
    { inject: { maxFiles: MAX_INJECT_FILES, maxBytes: MAX_INJECT_BYTES, maxFileBytes: 1 } },
  )
  accepts({ readFormat: "numbered" }, { readFormat: "numbered" })
  accepts({ dataDir: "/var/lib/opencode" }, { dataDir: "/var/lib/opencode" })
  accepts({ dataDir: "C:\\data" }, { dataDir: "C:\\data" })

  function accepts(raw: unknown, expected: object): void {
    test(JSON.stringify(raw) ?? "undefined", () => {
      assert.deepEqual(parseOptions(raw), { options: { ...DEFAULT_OPTIONS, ...expected }, problems: [] })
    })
  }
})

describe("what is right in a wrong list of excluded projects still counts", () => {
  for (const [exclude, kept, wrong] of [
    [["a", " ", "/b/**"], ["a", "/b/**"], '" "'],
    [["a", 5], ["a"], "5"],
    [["~/secret", "~me/secret"], ["~/secret"], '"~me/secret"'],
    [["C:\\secret", "secret\\**"], ["C:\\secret"], '"secret\\\\**"'],
    [["**/secret", "*secret*"], ["**/secret"], '"*secret*"'],
    [["private/**"], [], '"private/**"'],
    ["/home/me/private", ["/home/me/private"], '"/home/me/private"'],
  ] as const)
    test(JSON.stringify(exclude), () => {
      const { options, problems } = parseOptions({ exclude })
      assert.deepEqual(options, { ...DEFAULT_OPTIONS, exclude: kept })
      assert.deepEqual(problems, [
        `option "exclude": got ${wrong}; write a list of project ids or absolute directory globs, ` +
          `such as ["/home/me/private/**"] or ["~/private"]. Using ${JSON.stringify(kept)}.`,
      ])
    })
})

describe("options that are refused, with the message", () => {
  refuses("yes", 'options: got "yes"; write an object such as {"maskSecrets": true}. Using the defaults.')
  refuses(
    [1, 2],
    'options: got a list of 2; write an object such as {"maskSecrets": true}. Using the defaults.',
  )
  refuses(
    { tools: "handoff" },
    'option "tools": got "handoff"; write a list of "handoff", "history", "sessions". ' +
      'Using ["handoff","history","sessions"].',
  )
  refuses(
    { tools: ["handoff", "histroy"] },
    'option "tools": got "histroy"; write a list of "handoff", "history", "sessions". ' +
      'Using ["handoff","history","sessions"].',
  )
  refuses(
    { otherProjects: true },
    'option "otherProjects": got true; write "allow", "ask" or "deny". Using "ask".',
  )
  refuses(
    { exclude: [" "] },
    'option "exclude": got " "; write a list of project ids or absolute directory globs, ' +
      'such as ["/home/me/private/**"] or ["~/private"]. Using [].',
  )
  refuses({ maskSecrets: "false" }, 'option "maskSecrets": got "false"; write true or false. Using true.')
  refuses(
    { inject: { maxFiles: "many" } },
    'option "inject.maxFiles": got "many"; write a whole number from 0 to 500. Using 20.',
  )
  refuses(
    { "inject.maxFiles": 501 },
    'option "inject.maxFiles": got 501; write a whole number from 0 to 500. Using 20.',
  )
  refuses(
    { inject: { maxFiles: 1.5 } },
    'option "inject.maxFiles": got 1.5; write a whole number from 0 to 500. Using 20.',
  )
  refuses(
    { inject: 5 },
    'option "inject": got 5; write an object such as {"maxFiles": 20}. Using the defaults.',
  )
  refuses(
    { readFormat: "classic" },
    'option "readFormat": got "classic"; write "auto" or "numbered". Using "auto".',
  )
  refuses(
    { dataDir: "data" },
    'option "dataDir": got "data"; write an absolute path, or one below ~/. Using the host\'s data directory.',
  )
  refuses(
    { maskSecret: false },
    'unknown option "maskSecret" (false): did you mean "maskSecrets"? It is ignored.',
  )
  refuses(
    { other_projects: "ask" },
    'unknown option "other_projects" ("ask"): did you mean "otherProjects"? It is ignored.',
  )
  refuses({ maxFiles: 2 }, 'unknown option "maxFiles" (2): did you mean "inject.maxFiles"? It is ignored.')
  refuses(
    { inject: { maxFile: 2 } },
    'unknown option "inject.maxFile" (2): did you mean "inject.maxFiles"? It is ignored.',
  )
  refuses(
    { colour: "red" },
    'unknown option "colour" ("red"): known options: tools, otherProjects, exclude, maskSecrets, ' +
      "inject.maxFiles, inject.maxBytes, inject.maxFileBytes, readFormat, dataDir. It is ignored.",
  )

  function refuses(raw: unknown, message: string): void {
    test(JSON.stringify(raw), () => {
      const { options, problems, excludeProblem } = parseOptions(raw)
      assert.deepEqual({ options, problems }, { options: DEFAULT_OPTIONS, problems: [message] })
      assert.equal(excludeProblem, message.startsWith('option "exclude"') ? message : undefined)
    })
  }
})

test("a wrong key does not take a right one with it", () => {
  const parsed = parseOptions({
    tools: 1,
    maskSecrets: false,
    "inject.maxFiles": -1,
    inject: { maxBytes: 10 },
  })
  assert.equal(parsed.problems.length, 2)
  assert.equal(parsed.options.maskSecrets, false)
  assert.deepEqual(parsed.options.inject, { ...DEFAULT_OPTIONS.inject, maxBytes: 10 })
})

test("a key written flat and nested is read once and said", () => {
  const parsed = parseOptions({ inject: { maxFiles: 3 }, "inject.maxFiles": 4 })
  assert.equal(parsed.options.inject.maxFiles, 3)
  assert.deepEqual(parsed.problems, ['option "inject.maxFiles": written twice; 4 is ignored. Write it once.'])
})

test("a problem is one line, however the key and value look", () => {
  const parsed = parseOptions({ "a\n## User": "b\n\u202e", maskSecrets: "\u001b[31m\n".repeat(100) })
  assert.equal(parsed.problems.length, 2)
  for (const problem of parsed.problems) assert.doesNotMatch(problem, /[\p{Cc}\u202e]/u)
})

test("any JSON gives options of the right shape and never throws", () => {
  const keys = fc.constantFrom(
    "tools",
    "inject",
    "inject.maxFiles",
    "exclude",
    "dataDir",
    "__proto__",
    "readFormat",
  )
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.dictionary(keys, fc.jsonValue())), (raw) => {
      const parsed = parseOptions(raw)
      assert.deepEqual(parseOptions(parsed.options), { options: parsed.options, problems: [] })
    }),
  )
})
