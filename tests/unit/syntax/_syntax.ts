/**
 * The validators as a thread has them, with the parser for Python from its package. Its clock stands still: what a file
 * answers here does not depend on how busy the machine is (`parsers_test.ts` has a clock that goes).
 */

import type { Syntax } from "../../../src/core/syntax_tree.ts";
import { carriedFiles } from "../../../src/engine/pool/carried_files.ts";
import { openCarried } from "../../../src/host/carried/carried.ts";
import { createSyntax } from "../../../src/syntax/validators.ts";

export const SYNTAX: Syntax = createSyntax({
  modules: openCarried(null, await carriedFiles()),
  clock: () => 0,
});
