import type { Family, StoredSession } from "../../history/contract.ts"
import { counted } from "../../tools/search/notes.ts"
import { ask } from "../asking.ts"
import type { Context } from "../context.ts"
import { openStored } from "../conversation.ts"
import { wrapLines } from "../layout.ts"
import { foundSome, type Outcome, trouble } from "../outcome.ts"
import { jsonText, sessionJson, writeJson } from "../view/json.ts"
import { lookFor } from "../view/text.ts"
import { treeLines } from "../view/tree.ts"

// `baton lineage`: how sessions came of each other, as a tree.

/** Chains shown unless told otherwise. */
export const FAMILIES_DEFAULT = 20

export type LineageOptions = {
  readonly limit?: number | undefined
  readonly project?: string | undefined
  readonly json?: boolean | undefined
}

export async function lineage(
  context: Context,
  sessionID: string | undefined,
  options: LineageOptions,
): Promise<Outcome> {
  const { limit, project, json } = options
  if (sessionID !== undefined) {
    const opened = await openStored(context, sessionID)
    if (!opened.ok) return opened.outcome
  }
  const asked = await ask(context, "", { project })
  if (!asked.ok) return trouble(asked.error)
  const found = await context.history().lineage(
    {
      ...(sessionID === undefined ? {} : { sessionID }),
      scope: asked.filter.scope,
      exclude: context.options.exclude,
      limit: limit ?? FAMILIES_DEFAULT,
    },
    context.signal,
  )
  if (!found.ok) return trouble(found.fault.message)
  const { families, more } = found.value

  if (json === true) {
    await writeJson(context.output, {
      kind: "lineage",
      count: families.length,
      chains: families.map((family) => familyJson(family, jsonText(context.options.maskSecrets))),
      more,
    })
    return foundSome(families.length)
  }
  const look = lookFor(context)
  const { paint, textColumns } = context.output
  const head =
    sessionID === undefined
      ? `${families.length === 0 ? "No chain of sessions" : counted(families.length, "chain")} · ${asked.described}`
      : ""
  await context.output.lines([
    ...(head === "" ? [] : wrapLines(head, textColumns).map(paint.faint)),
    ...families.flatMap((family, at) => [
      ...(at === 0 && head === "" ? [] : [""]),
      ...treeLines(family, look, sessionID),
      ...(family.left === 0 ? [] : [paint.faint(`${counted(family.left, "more session")} left out`)]),
    ]),
    ...(more ? ["", paint.faint("there are more: a higher --limit shows them")] : []),
  ])
  return foundSome(families.length)
}

function familyJson(family: Family, text: (value: string) => string) {
  return {
    sessions: family.sessions.map((session: StoredSession) => sessionJson(session, text)),
    links: family.links,
    left: family.left,
  }
}
