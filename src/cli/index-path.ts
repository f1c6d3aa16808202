import { existsSync } from "node:fs"
import { join } from "node:path"
import { INDEX_FILE, INDEX_FOLDER, OTHER_INDEX_FILE } from "../history/file.ts"

/** Where the index lies below a data folder, or would be made; looking creates nothing. */
export function indexPath(dataDir: string): string {
  const other = join(dataDir, INDEX_FOLDER, OTHER_INDEX_FILE)
  return existsSync(other) ? other : join(dataDir, INDEX_FOLDER, INDEX_FILE)
}
