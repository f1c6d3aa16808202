/** The host version that tests and the tour run. */
export declare const OPENCODE_VERSION: string

/**
 * The absolute path of an OpenCode binary: `BATON_OPENCODE` when set, else the pinned version, installed into
 * `.cache/` on first use. Rejects with a one-line message.
 */
export declare function ensureOpencode(): Promise<string>

/** The pinned version's binary in `cacheDir`, installed by npm when it is not there yet. */
export declare function installedOpencode(cacheDir: string): Promise<string>
