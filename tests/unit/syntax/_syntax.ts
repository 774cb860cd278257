/** The validators as a thread has them, with the parser for Python from its package. */

import type { Syntax } from "../../../src/core/syntax_tree.ts";
import { openCarried } from "../../../src/host/carried/carried.ts";
import { createSyntax } from "../../../src/syntax/validators.ts";

export const SYNTAX: Syntax = createSyntax({ modules: openCarried(null) });
