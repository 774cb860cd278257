/** The forms that the reference is written in: one line each, loaded when it is asked for. */

import type { ReferenceWriter } from "./reference.ts";

/** A form of the reference, and what writes it. */
export interface ReferenceTarget {
  readonly name: string;
  readonly load: () => Promise<ReferenceWriter>;
}

/** All forms; the first unless another is asked for. */
export const REFERENCE_TARGETS: readonly ReferenceTarget[] = [
  { name: "markdown", load: async () => (await import("./markdown.ts")).toMarkdown },
  { name: "man", load: async () => (await import("./_man_page.ts")).toManPage },
];
