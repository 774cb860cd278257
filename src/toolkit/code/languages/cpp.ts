/** C++. */

import { BODIES, FLOW, IMPORTS, MACROS, MODULES, NAMES, SYMBOLS } from "./_c_family.ts";
import type { Language } from "./language.ts";

/** C++. */
export const CPP: Language = {
  name: "C++",
  grammar: "cpp",
  endings: [".cpp", ".cc", ".cxx", ".c++"],
  comments: ["comment"],
  symbols: {
    ...SYMBOLS,
    class_specifier: { kind: "class", needs: "body" },
    namespace_definition: { kind: "module" },
    alias_declaration: { kind: "type" },
    concept_definition: { kind: "type" },
  },
  functions: ["function_definition", "lambda_expression"],
  wrappers: [
    "type_definition",
    "declaration",
    "field_declaration",
    "template_declaration",
    "linkage_specification",
  ],
  bodies: [...BODIES, "declaration_list", "field_initializer_list"],
  names: [...NAMES, "namespace_identifier"],
  contexts: ["@;", "void f() { @ }", "void f() { @; }", "class A { @ };"],
  exports: { by: "default", hidden: ["static", "private", "protected"] },
  imports: IMPORTS,
  modules: MODULES,
  flow: {
    ...FLOW,
    functions: ["function_definition", "lambda_expression"],
    loops: [...FLOW.loops, "for_range_loop"],
    handlers: ["catch_clause"],
    logical: ["&&", "||", "and", "or"],
    noLogical: [
      "reference_declarator",
      "abstract_reference_declarator",
      "ref_qualifier",
      "constraint_conjunction",
      "constraint_disjunction",
    ],
  },
  macros: MACROS,
};

/** Headers, which are C++ or C: the grammar of C++ takes both. Counted apart, as cloc does. */
export const HEADER: Language = {
  ...CPP,
  name: "C/C++ Header",
  endings: [".h", ".hpp", ".hh", ".hxx"],
};
