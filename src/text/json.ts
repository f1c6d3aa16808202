// JSON from elsewhere: a file another program wrote, an answer of a host, a cursor a model copied.

/** The value, or undefined for a text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
