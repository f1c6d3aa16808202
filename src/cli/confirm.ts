import type { Context } from "./context.ts"
import { INTERRUPTED, type Outcome, trouble } from "./outcome.ts"

// Asks before something is removed or written. Without a terminal nobody can answer: then `--yes` is needed.

/** "yes" to go on; otherwise how the command ends. */
export async function confirmed(context: Context, question: string, yes: boolean): Promise<"yes" | Outcome> {
  if (yes) return "yes"
  if (!process.stdin.isTTY || !context.output.isTerminal)
    return trouble(
      "this asks first and there is no terminal to answer in; add --yes to go on without a question",
    )
  const { confirm, isCancel } = await import("@clack/prompts")
  const answer = await confirm({ message: question, initialValue: false, signal: context.signal })
  if (isCancel(answer)) return INTERRUPTED
  if (answer) return "yes"
  return { code: 1, error: "nothing was changed" }
}
