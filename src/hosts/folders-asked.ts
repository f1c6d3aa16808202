import type { Asked } from "./host.ts"

/** Folders one question names at most: what a terminal shows and a person reads. */
export const FOLDERS_ASKED_MAX = 50

/** Why a question is not put: it would name more folders than anybody reads. Undefined for one that can be. */
export function tooManyFolders({ folders = [], all }: Asked): string | undefined {
  if (all === true || folders.length <= FOLDERS_ASKED_MAX) return undefined
  return `these sessions are in ${folders.length} folders, and a question to the user names ${FOLDERS_ASKED_MAX} at most; write one folder, project:<path>, or project:all`
}
