/** The shells that completions are written for: one line each, loaded when it is asked for. */

import type { Vocabulary } from "./_vocabulary.ts";

/** A shell that is completed for, and what writes its script. */
export interface Shell {
  readonly name: string;
  readonly load: () => Promise<(vocabulary: Vocabulary) => string>;
}

/** All shells that are completed for. */
export const SHELLS: readonly Shell[] = [
  { name: "bash", load: async () => (await import("./bash.ts")).toBash },
  { name: "zsh", load: async () => (await import("./zsh.ts")).toZsh },
  { name: "fish", load: async () => (await import("./fish.ts")).toFish },
];
