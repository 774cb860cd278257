/** Go, by tree-sitter-go. */

import type { Language } from "./language.ts";

/** Go. */
export const GO: Language = {
  name: "Go",
  grammar: "go",
  endings: [".go"],
  comments: ["comment"],
  symbols: {
    function_declaration: { kind: "function" },
    method_declaration: { kind: "method", receiver: "receiver" },
    type_spec: {
      kind: "type",
      kindBelow: { struct_type: "struct", interface_type: "interface" },
    },
    type_alias: { kind: "type" },
    field_declaration: { kind: "property", outer: true },
    method_elem: { kind: "method", outer: true },
    const_spec: { kind: "constant", outer: true },
    var_spec: { kind: "variable", outer: true },
  },
  functions: ["function_declaration", "method_declaration", "func_literal"],
  // Bodies of functions, and structs and interfaces without a name.
  closed: ["block", "composite_literal", "var_spec", "field_declaration", "parameter_list"],
  wrappers: [
    "type_declaration",
    "const_declaration",
    "var_declaration",
    "var_spec_list",
  ],
  bodies: ["block", "field_declaration_list", "{"],
  names: ["identifier", "type_identifier", "field_identifier", "package_identifier"],
  contexts: ["func f() { @ }", "package p\n@"],
  exports: { by: "capital" },
  imports: { import_spec: { form: "string", field: "path" } },
  modules: { by: "go" },
  flow: {
    functions: ["function_declaration", "method_declaration", "func_literal"],
    parameters: ["parameters"],
    ifs: ["if_statement"],
    elses: [],
    elseIfs: [],
    loops: ["for_statement"],
    switches: ["expression_switch_statement", "type_switch_statement", "select_statement"],
    cases: ["expression_case", "type_case", "communication_case"],
    handlers: [],
    conditionals: [],
    logical: ["&&", "||"],
    jumps: ["break_statement", "continue_statement", "goto_statement"],
    labels: ["label_name"],
    calls: { call_expression: "function" },
  },
};
