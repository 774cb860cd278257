/** Java, by tree-sitter-java. */

import type { Language } from "./language.ts";

/** Java. */
export const JAVA: Language = {
  name: "Java",
  grammar: "java",
  endings: [".java"],
  comments: ["line_comment", "block_comment"],
  symbols: {
    class_declaration: { kind: "class" },
    record_declaration: { kind: "class" },
    interface_declaration: { kind: "interface" },
    annotation_type_declaration: { kind: "interface" },
    enum_declaration: { kind: "enum" },
    enum_constant: { kind: "member" },
    method_declaration: { kind: "method" },
    annotation_type_element_declaration: { kind: "method" },
    constructor_declaration: { kind: "method" },
    compact_constructor_declaration: { kind: "method" },
    variable_declarator: {
      kind: "property",
      in: ["field_declaration", "constant_declaration"],
    },
  },
  functions: [
    "method_declaration",
    "constructor_declaration",
    "compact_constructor_declaration",
    "lambda_expression",
    "static_initializer",
  ],
  // Bodies of methods, and of classes without a name.
  closed: [
    "block",
    "constructor_body",
    "object_creation_expression",
    "lambda_expression",
    "enum_constant",
  ],
  wrappers: ["field_declaration", "constant_declaration"],
  attributes: ["marker_annotation", "annotation"],
  bodies: [
    "block",
    "class_body",
    "constructor_body",
    "interface_body",
    "enum_body",
    "annotation_type_body",
  ],
  names: ["identifier", "type_identifier"],
  contexts: [
    "@;",
    "class A { @ }",
    "class A { void f() { @ } }",
    "class A { void f() { @; } }",
  ],
  exports: { by: "modifier", words: ["public"], kinds: ["member"] },
  imports: { import_declaration: { form: "words" } },
  flow: {
    functions: [
      "method_declaration",
      "constructor_declaration",
      "compact_constructor_declaration",
      "lambda_expression",
    ],
    parameters: ["parameters"],
    noParameters: ["receiver_parameter"],
    ifs: ["if_statement"],
    elses: [],
    elseIfs: [],
    loops: ["for_statement", "enhanced_for_statement", "while_statement", "do_statement"],
    switches: ["switch_expression"],
    cases: ["switch_label"],
    handlers: ["catch_clause"],
    conditionals: ["ternary_expression"],
    logical: ["&&", "||"],
    jumps: ["break_statement", "continue_statement"],
    labels: ["identifier"],
    calls: { method_invocation: "name" },
    bareMembers: true,
  },
};
