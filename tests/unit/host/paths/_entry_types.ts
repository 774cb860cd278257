/** Answers with the types of the paths that it is given, as a process sees them that may not look at all of them. */

import type { CanonicalPath } from "../../../../src/core/capability.ts";
import { entryType } from "../../../../src/host/paths/entry_type.ts";

console.log(JSON.stringify(Deno.args.map((path) => entryType(path as CanonicalPath))));
