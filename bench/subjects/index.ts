import { engine } from "./engine.ts"
import { likeAll, likeSaid } from "./like.ts"
import { scan } from "./scan.ts"
import type { SubjectKind } from "./subject.ts"
import { trigram } from "./trigram.ts"

/** All that is built and asked. */
export const SUBJECTS: readonly SubjectKind[] = [engine, trigram, likeAll, likeSaid, scan]
