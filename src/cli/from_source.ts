/** What a build would carry, for running from source. */

import { fromFileUrl } from "@std/path";
import { parsePolicy, renderProblems } from "../policy/parse/parse.ts";
import type { Embedded } from "./embedded.ts";

/** Reads `policy/default.yaml` of this checkout. Throws where it does not parse: then the source is broken. */
export function fromSource(): Embedded {
  const text = Deno.readTextFileSync(
    fromFileUrl(new URL("../../policy/default.yaml", import.meta.url)),
  );
  const source = "(built in)";
  const parsed = parsePolicy(text, source);
  if ("problems" in parsed) throw new Error(renderProblems(parsed.problems));
  return { version: "source", sealed: false, policy: { source, policy: parsed.policy } };
}
