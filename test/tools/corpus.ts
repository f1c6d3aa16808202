import type { Message } from "../../src/session/model.ts"
import { message, session, START, textPart, toolPart } from "../reading/memory-reader.ts"
import type { Bench } from "./services.ts"

// A small history with every case the searches tell apart.

const HOUR = 3_600_000

/** Hours before START. */
export function ago(hours: number): number {
  return START - hours * HOUR
}

export async function storeCorpus(bench: Bench): Promise<void> {
  await bench.store(
    session("ses_login", { title: "Fix the login", created: ago(30), updated: ago(2) }),
    login(),
  )
  await bench.store(session("ses_cache", { title: "Réglage du cache", created: ago(50), updated: ago(26) }), [
    message("msg_c1", { text: "The cache holds a stale token", created: ago(50) }),
    message("msg_c2", { role: "assistant", text: "It is refreshed now", created: ago(49) }),
  ])
  await bench.store(
    session("ses_sub", { title: "Look around (@general subagent)", parentID: "ses_login", updated: ago(20) }),
    [
      message("msg_s1", { text: "find the login code", created: ago(21) }),
      edit("msg_s2", "src/sub.ts", ago(20)),
    ],
  )
  await bench.store(
    session("ses_old", { title: "Archived login work", archived: ago(1), updated: ago(90) }),
    [message("msg_o1", { text: "login page, first try", created: ago(90) })],
  )
  await bench.store(
    session("ses_revert", { title: "Undone", revertedFrom: "msg_r2", created: ago(9), updated: ago(8) }),
    [
      message("msg_r1", { text: "try something", created: ago(9) }),
      message("msg_r2", { text: "login with flux capacitors", created: ago(8) }),
    ],
  )
  await bench.store(
    session("ses_other", {
      title: "Other repo",
      projectID: "prj_other",
      directory: "/work/other",
      updated: ago(5),
    }),
    [message("msg_x1", { text: "login token of the other repo", created: ago(5) })],
  )
}

function login(): readonly Message[] {
  return [
    message("msg_l1", { text: "Please fix the login, the token expires", created: ago(30) }),
    message("msg_l2", {
      role: "assistant",
      created: ago(29),
      parts: [
        textPart("I will change the session code."),
        toolPart("write", {
          input: { filePath: "/work/here/src/auth.ts", content: "const token = 1" },
          output: "ok",
        }),
      ],
    }),
    message("msg_l3", { text: "Now move it", created: ago(4) }),
    message("msg_l4", {
      role: "assistant",
      created: ago(3),
      parts: [
        toolPart("apply_patch", {
          input: {
            patchText:
              "*** Begin Patch\n*** Update File: src/auth.ts\n*** Move to: src/login/auth.ts\n@@\n-a\n+b\n*** End Patch",
          },
          output: "done",
        }),
        toolPart("edit", {
          status: "error",
          input: { filePath: "/work/here/src/gone.ts", oldString: "a", newString: "b" },
          error: "oldString not found",
        }),
      ],
    }),
    message("msg_l5", { role: "assistant", text: "Done.", created: ago(2) }),
  ]
}

function edit(id: string, path: string, created: number): Message {
  return message(id, {
    role: "assistant",
    created,
    parts: [toolPart("edit", { input: { filePath: path, oldString: "a", newString: "b" }, output: "ok" })],
  })
}
