import type { StoredSession } from "../history/contract.ts"
import type { Role } from "../session/model.ts"
import { PAGE_DEFAULT, WINDOW_DEFAULT } from "../tools/search/limits.ts"
import type { Context } from "./context.ts"
import { type Found, type PageOfMessages, type PageRequest, storedPage } from "./conversation.ts"

// Which messages `baton read` shows: a page or a window, with the options that show what is before and after it.

/** Where in the session, and how much. */
export type Place = {
  readonly from?: "start" | "end" | undefined
  readonly limit?: number | undefined
  readonly before?: number | undefined
  readonly after?: number | undefined
  readonly cursor?: string | undefined
  readonly role?: Role | undefined
}

export type Shown = PageOfMessages & {
  /** Options that show what is before and after this page. */
  readonly earlier?: string
  readonly later?: string
}

/** One page, from either end or after a cursor. */
export async function readPage(
  context: Context,
  session: StoredSession,
  options: Place,
): Promise<Found<Shown>> {
  const back = options.from === "end"
  const found = await ask(context, session, options, {
    direction: back ? "back" : "forward",
    limit: options.limit ?? PAGE_DEFAULT,
    ...(options.cursor === undefined ? {} : { anchor: { messageID: options.cursor } }),
  })
  if (!found.ok) return found
  const { messages, more } = found.value
  const [first, last] = [messages[0], messages.at(-1)]
  const earlier = back ? more : options.cursor !== undefined
  const later = back ? options.cursor !== undefined : more
  return {
    ok: true,
    value: {
      ...found.value,
      ...(earlier && first ? { earlier: `--from end --cursor ${first.id}` } : {}),
      ...(later && last ? { later: `--cursor ${last.id}` } : {}),
    },
  }
}

/** What stands around a message. A message of another role still says where. */
export async function readAround(
  context: Context,
  session: StoredSession,
  messageID: string,
  options: Place,
): Promise<Found<Shown>> {
  const anchor = { messageID }
  const own = await ask(
    context,
    session,
    { ...options, role: undefined },
    {
      direction: "forward",
      anchor,
      inclusive: true,
      limit: 1,
    },
  )
  if (!own.ok) return own
  const empty: Found<PageOfMessages> = { ok: true, value: { ...own.value, messages: [], more: true } }
  const before = options.before ?? WINDOW_DEFAULT
  const after = options.after ?? WINDOW_DEFAULT
  const older =
    before === 0 ? empty : await ask(context, session, options, { direction: "back", anchor, limit: before })
  if (!older.ok) return older
  const newer =
    after === 0 ? empty : await ask(context, session, options, { direction: "forward", anchor, limit: after })
  if (!newer.ok) return newer
  const itself = own.value.messages.filter(
    (message) => message.id === messageID && (options.role === undefined || message.role === options.role),
  )
  const messages = [...older.value.messages, ...itself, ...newer.value.messages]
  return {
    ok: true,
    value: {
      ...own.value,
      messages,
      ...(older.value.more && messages[0] ? { earlier: `--from end --cursor ${messages[0].id}` } : {}),
      ...(newer.value.more && messages.at(-1) ? { later: `--cursor ${messages.at(-1)?.id}` } : {}),
    },
  }
}

function ask(
  context: Context,
  session: StoredSession,
  options: { readonly role?: "user" | "assistant" | undefined },
  request: Omit<PageRequest, "sessionID" | "role">,
): Promise<Found<PageOfMessages>> {
  const role = options.role === undefined ? {} : { role: options.role }
  return storedPage(context.history(), { ...request, ...role, sessionID: session.id }, context.signal)
}
