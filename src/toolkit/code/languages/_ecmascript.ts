/** What JavaScript and TypeScript have in common, by the grammars tree-sitter-javascript and tree-sitter-typescript. */

import type { FlowTable, ImportRule, ModuleRule, SymbolRule } from "./language.ts";

/** Nodes that are functions. */
export const FUNCTIONS = [
  "function_declaration",
  "generator_function_declaration",
  "function_expression",
  "generator_function",
  "arrow_function",
  "method_definition",
] as const;

/** What JavaScript and TypeScript name, by the node that names it. */
export const SYMBOLS: Readonly<Record<string, SymbolRule>> = {
  function_declaration: { kind: "function" },
  generator_function_declaration: { kind: "function" },
  class_declaration: { kind: "class" },
  method_definition: { kind: "method" },
  field_definition: { kind: "property", name: ["property"], value: "value" },
  assignment_expression: {
    kind: "function",
    name: ["left"],
    in: ["expression_statement"],
    value: "right",
    assigned: true,
  },
  variable_declarator: {
    kind: "variable",
    in: ["lexical_declaration", "variable_declaration"],
    value: "value",
    outer: true,
    kindByWord: { const: "constant" },
  },
};

/** How modules are found. */
export const MODULES: ModuleRule = { by: "ecmascript" };

/** How they import. */
export const IMPORTS: Readonly<Record<string, ImportRule>> = {
  import_statement: { form: "string", field: "source" },
  export_statement: { form: "string", field: "source" },
  call_expression: { form: "call", field: "function", names: ["import", "require"] },
};

/** Where their control flow parts. */
export const FLOW: FlowTable = {
  functions: FUNCTIONS,
  parameters: ["parameters", "parameter"],
  ifs: ["if_statement"],
  elses: ["else_clause"],
  elseIfs: [],
  loops: ["for_statement", "for_in_statement", "while_statement", "do_statement"],
  switches: ["switch_statement"],
  cases: ["switch_case"],
  handlers: ["catch_clause"],
  conditionals: ["ternary_expression"],
  logical: ["&&", "||"],
  jumps: ["break_statement", "continue_statement"],
  labels: ["statement_identifier"],
  calls: { call_expression: "function" },
  frames: true,
};

/** Nodes that are names. */
export const NAMES = [
  "identifier",
  "type_identifier",
  "property_identifier",
  "private_property_identifier",
  "shorthand_property_identifier",
  "shorthand_property_identifier_pattern",
  "statement_identifier",
] as const;

/** Nodes at which a signature ends. */
export const BODIES = ["statement_block", "class_body", "interface_body", "enum_body"] as const;

/** Nodes that take values apart into names. */
export const PATTERNS = [
  "object_pattern",
  "array_pattern",
  "pair_pattern",
  "rest_pattern",
  "assignment_pattern",
  "object_assignment_pattern",
] as const;
