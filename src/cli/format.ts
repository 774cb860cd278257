/** How results are printed. */

import { variable } from "./environment.ts";
import type { CommandLine } from "./flags.ts";
import { UsageError } from "./usage_error.ts";

/** As asked, else text on a terminal and JSON elsewhere. */
export function formatOf({ values }: CommandLine): "json" | "text" {
  const asked = values["format"]?.[0] ?? variable("format");
  if (asked === null) return Deno.stdout.isTerminal() ? "text" : "json";
  if (asked === "json" || asked === "text") return asked;
  throw new UsageError(`--format takes json or text, not ${JSON.stringify(asked)}`);
}
