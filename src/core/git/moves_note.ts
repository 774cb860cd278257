/** What says that git changes a repository: who finds it there with nobody at work takes away what that git has left. */

/** A file in the repository's folder, which goes with what it speaks of. */
export const NOTE = "toolgate-moves";

/** In place of a commit of HEAD: no working file is given back, locks alone are taken away. */
export const RECORDS = "HEAD";

/**
 * Of what leaves no working file that could be given back. `born`: when the repository's folder was made there, in ms since 1970;
 * `time`: milliseconds that it may take.
 */
export function recordingNote(born: number, time: number): string {
  return JSON.stringify({ head: RECORDS, steps: [], born, time });
}
