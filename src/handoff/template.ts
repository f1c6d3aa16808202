// The text of `/handoff`. The goal is added by the command hook and is no part of the template: V1 expands
// `$1` and runs `` !`…` `` in a template after it has put the arguments in.

export const commandName = "handoff"
export const commandDescription = "Create a focused handoff prompt for a new session"

/** How many files a handoff names: the usual range, and the most for complex work. */
export const usualFiles = "8 to 15"
export const mostFiles = 20

const instructions = `Write a handoff: a prompt with which a fresh session continues this work. Then call the handoff_session tool with it, at once.

Work from this conversation alone. Do not search, read files or investigate.

Let the goal below decide what matters. If it is empty, take the natural continuation of the work.

Files: name the ones the next session needs: those to be edited, what they depend on, their tests, configuration, key documents. Usually ${usualFiles}, up to ${mostFiles} for complex work. A missing file costs the next session more than an extra one.

Prompt: write what the next session cannot see for itself:
- decisions, each with its reason
- constraints, and the user's preferences
- technical patterns to follow
- where things stand, what blocks, the exact next steps
- approaches already ruled out, one line each with the reason
- anything the user asked to keep
Leave out the back-and-forth and any talk about this conversation.

Then call handoff_session(prompt, files) and nothing else. The user edits the draft before it is sent.`

/** The command's whole text for one goal, the goal byte for byte at its end. */
export function commandText(goal: string): string {
  return `${instructions}\n\nGoal:\n${goal}`
}

/**
 * What the host holds as the command's template. The one placeholder stands for a word no goal has: without
 * any placeholder V1 appends the arguments, expands them and runs what is in them.
 */
export const hostTemplate = `${instructions}$999999999`
