/** C. */

import { BODIES, FLOW, IMPORTS, MACROS, MODULES, NAMES, SYMBOLS } from "./_c_family.ts";
import type { Language } from "./language.ts";

/** C. */
export const C: Language = {
  name: "C",
  grammar: "c",
  endings: [".c"],
  comments: ["comment"],
  symbols: {
    ...SYMBOLS,
    expression_statement: { kind: "variable", outer: true, pointed: true },
  },
  functions: ["function_definition"],
  wrappers: ["type_definition", "declaration", "linkage_specification"],
  bodies: BODIES,
  names: NAMES,
  contexts: ["@;", "void f() { @ }", "void f() { @; }"],
  exports: { by: "default", hidden: ["static"] },
  imports: IMPORTS,
  modules: MODULES,
  flow: FLOW,
  macros: MACROS,
};
