/** The forms that the reference is written in: one line each, loaded when it is asked for. */

import type { ReferenceWriter } from "./reference.ts";

export interface ReferenceTarget {
  readonly name: string;
  readonly load: () => Promise<ReferenceWriter>;
}

export const REFERENCE_TARGETS: readonly ReferenceTarget[] = [
  { name: "markdown", load: async () => (await import("./markdown.ts")).toMarkdown },
  { name: "man", load: async () => (await import("./_man_page.ts")).toManPage },
];
