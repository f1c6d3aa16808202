import type { Message, Part, Session } from "../../src/session/model.ts"
import type { History } from "../../src/history/contract.ts"
import { aMessage, aSession, aText, aTool, store } from "../history/make.ts"

// A small history with what people look for at a terminal: projects, a subagent, a handoff, a fork, an archived
// session, edits with a move, wide characters and an escape sequence.

/** 1 March 2026, 12:00 UTC. */
export const NOON = Date.UTC(2026, 2, 1, 12)
export const HOUR = 3_600_000

export type Folders = { readonly here: string; readonly other: string }

export async function storeCorpus(history: History, folders: Folders): Promise<void> {
  await store(history, corpus(folders), NOON + HOUR)
}

export function corpus({ here, other }: Folders): readonly (readonly [Session, readonly Message[]])[] {
  const mine = { directory: here, projectID: "prj_here" }
  const login = [
    say("msg_l1", "Please fix the login, the token expires too early", 0),
    does("msg_l2", 1, [
      aText("I change the session code."),
      aTool(
        "write",
        { filePath: `${here}/src/auth.ts`, content: "const token = 1\nexport default token" },
        { output: "ok" },
      ),
    ]),
    say("msg_l3", "Now use a longer life\nand move the file", 2),
    does("msg_l4", 3, [
      aTool(
        "edit",
        { filePath: `${here}/src/auth.ts`, oldString: "const token = 1", newString: "const token = 3600" },
        { output: "ok" },
      ),
      aTool("bash", { command: "npm test" }, { status: "error", error: "exit code 1" }),
    ]),
    does("msg_l5", 4, [
      aTool(
        "apply_patch",
        {
          patchText: `*** Begin Patch\n*** Update File: src/auth.ts\n*** Move to: src/login/auth.ts\n@@\n-const token = 3600\n+const token = 7200\n*** End Patch`,
        },
        { output: "done" },
      ),
      { type: "reasoning", text: "the file has to move" },
    ]),
    does("msg_l6", 5, [aText("Done. ```js\nconst token = 7200\n``` is in place.")]),
  ]
  return [
    [session("ses_login", "Fix the login", 0, 5, mine), login],
    [
      session("ses_next", "Go on with the login", 6, 8, {
        ...mine,
        metadata: { "opencode-baton": { source: "ses_login", at: NOON } },
      }),
      [
        say("msg_n1", "Continuing work from session ses_login: token refresh", 6),
        does("msg_n2", 7, [aText("The token is refreshed.")]),
      ],
    ],
    [
      session("ses_sub", "Look around (@general subagent)", 7, 7, { ...mine, parentID: "ses_next" }),
      [say("msg_s1", "find the login code", 7)],
    ],
    [
      session("ses_fork", "Fix the login (fork #1)", 6.5, 9, mine),
      [
        ...login.slice(0, 2).map((one, at) => ({ ...one, id: `msg_f${at + 1}` })),
        say("msg_f3", "another way with cookies", 9),
      ],
    ],
    [
      session("ses_old", "Archived login work", -90, -80, { ...mine, archived: NOON }),
      [say("msg_o1", "login page, first try", -90)],
    ],
    [
      session("ses_wide", "日本語のタイトル 🚀 と とても長い説明がここに続きます、とても長い", 3, 4, mine),
      [
        say("msg_w1", "東京のサーバーで token を更新してください。".repeat(6), 3),
        does("msg_w2", 4, [aText("はい \u001B[31mred\u001B[0m \u001B]0;title\u0007 終わり")]),
      ],
    ],
    [
      session("ses_other", "Other repo", 1, 2, { directory: other, projectID: "prj_other" }),
      [
        say("msg_x1", "login token of the other repo", 1),
        does("msg_x2", 2, [aTool("write", { filePath: `${other}/a.ts`, content: "x" })]),
      ],
    ],
  ]
}

function session(id: string, title: string, from: number, to: number, given: Partial<Session>): Session {
  return aSession(id, { title, created: NOON + from * HOUR, updated: NOON + to * HOUR, ...given })
}

function say(id: string, text: string, hours: number): Message {
  return aMessage(id, text, { created: NOON + hours * HOUR })
}

function does(id: string, hours: number, parts: readonly Part[]): Message {
  return aMessage(id, parts, { role: "assistant", created: NOON + hours * HOUR })
}
