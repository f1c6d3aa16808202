// A session's id as it stands in texts that others may write: in a draft, in metadata, in the name of a file of ours.

/** Letters, digits, `_` and `-`, as hosts make ids: nothing that could be read as anything else. */
export function isSessionID(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,200}$/.test(text)
}
