// The code of a failed file call, the only part of it that is stable.

/** "ENOENT" and the like, "" for anything that is no file error. */
export function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : ""
}
