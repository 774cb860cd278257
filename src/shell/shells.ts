/** The shells whose scripts are understood. */

/** Shells that read a script as it is read here. */
export const SHELLS: ReadonlySet<string> = new Set(["sh", "bash", "dash"]);
