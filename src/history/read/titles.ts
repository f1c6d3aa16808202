// All titles as one text, so that the few that hold a word are found without asking each.

export type Titles = {
  /** Keys of the sessions whose folded title holds the word. */
  readonly holding: (folded: string) => readonly number[]
}

type Titled = { readonly key: number; readonly foldedTitle: string }

/** Joined by the first word that is looked for: most changes of the catalog are followed by another one. */
export function joinTitles(entries: readonly Titled[]): Titles {
  let joined: { readonly text: string; readonly ends: Uint32Array } | undefined
  return {
    holding: (folded) => {
      joined ??= join(entries)
      const { text, ends } = joined
      const across = folded.includes("\n")
      const keys: number[] = []
      let title = 0
      for (let at = text.indexOf(folded); at >= 0; at = text.indexOf(folded, ends[title])) {
        while (at >= (ends[title] ?? Infinity)) title++
        const entry = entries[title]
        // A word with a line break in it may lie across two titles.
        if (entry && (!across || entry.foldedTitle.includes(folded))) keys.push(entry.key)
        if (title + 1 >= entries.length) break
      }
      return keys
    },
  }
}

function join(entries: readonly Titled[]): { readonly text: string; readonly ends: Uint32Array } {
  const ends = new Uint32Array(entries.length)
  let end = 0
  for (const [at, { foldedTitle }] of entries.entries()) {
    end += foldedTitle.length + 1
    ends[at] = end
  }
  return { text: entries.map((entry) => entry.foldedTitle).join("\n"), ends }
}
