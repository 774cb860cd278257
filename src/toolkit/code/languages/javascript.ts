/** JavaScript. */

import {
  BODIES,
  FLOW,
  FUNCTIONS,
  IMPORTS,
  MODULES,
  NAMES,
  PATTERNS,
  SYMBOLS,
} from "./_ecmascript.ts";
import type { Language } from "./language.ts";

/** JavaScript, JSX included. */
export const JAVASCRIPT: Language = {
  name: "JavaScript",
  grammar: "javascript",
  endings: [".js", ".mjs", ".cjs", ".jsx"],
  interpreters: ["node", "deno", "bun"],
  comments: ["comment", "html_comment", "hash_bang_line"],
  symbols: SYMBOLS,
  functions: FUNCTIONS,
  wrappers: ["export_statement", "lexical_declaration", "variable_declaration"],
  bodies: BODIES,
  names: NAMES,
  patterns: PATTERNS,
  contexts: ["class A { @ }", "({ @ })"],
  exports: { by: "statement", hidden: ["#"] },
  imports: IMPORTS,
  modules: MODULES,
  flow: FLOW,
};
