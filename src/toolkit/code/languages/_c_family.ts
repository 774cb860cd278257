/** What C and C++ have in common, by the grammars tree-sitter-c and tree-sitter-cpp. */

import type { FlowTable, ImportRule, SymbolRule } from "./language.ts";

/** What C and C++ name, by the node that names it. */
export const SYMBOLS: Readonly<Record<string, SymbolRule>> = {
  function_definition: {
    kind: "function",
    member: "method",
    declarators: true,
    name: ["declarator"],
  },
  declaration: {
    kind: "variable",
    member: "method",
    declarators: true,
    name: ["declarator"],
    outer: true,
    kindByWord: { const: "constant", constexpr: "constant" },
  },
  field_declaration: { kind: "property", declarators: true, name: ["declarator"], outer: true },
  struct_specifier: { kind: "struct", needs: "body" },
  union_specifier: { kind: "union", needs: "body" },
  enum_specifier: { kind: "enum", needs: "body" },
  enumerator: { kind: "member" },
  type_definition: { kind: "type", declarators: true, name: ["declarator"] },
  preproc_def: { kind: "macro" },
  preproc_function_def: { kind: "macro" },
};

/** How they include. */
export const IMPORTS: Readonly<Record<string, ImportRule>> = {
  preproc_include: { form: "words", field: "path" },
};

/** Where their control flow parts. */
export const FLOW: FlowTable = {
  functions: ["function_definition"],
  parameters: ["parameters"],
  noParameters: ["variadic_parameter"],
  ifs: ["if_statement"],
  elses: ["else_clause"],
  elseIfs: [],
  loops: ["for_statement", "while_statement", "do_statement"],
  switches: ["switch_statement"],
  cases: ["case_statement"],
  handlers: [],
  conditionals: ["conditional_expression"],
  logical: ["&&", "||"],
  jumps: ["goto_statement"],
  labels: ["statement_identifier"],
  calls: { call_expression: "function" },
  bareMembers: true,
};

/** Nodes that are names. */
export const NAMES = [
  "identifier",
  "type_identifier",
  "field_identifier",
  "statement_identifier",
] as const;

/** Nodes at which a signature ends. */
export const BODIES = ["compound_statement", "field_declaration_list", "enumerator_list"] as const;
