/** TypeScript, and TypeScript with JSX. */

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

const { field_definition: _field, ...shared } = SYMBOLS;

/** TypeScript without JSX: there `<T>x` is a cast. */
export const TYPESCRIPT: Language = {
  name: "TypeScript",
  grammar: "typescript",
  endings: [".ts", ".mts", ".cts"],
  comments: ["comment", "html_comment", "hash_bang_line"],
  symbols: {
    ...shared,
    function_signature: { kind: "function" },
    abstract_class_declaration: { kind: "class" },
    public_field_definition: { kind: "property", value: "value" },
    abstract_method_signature: { kind: "method" },
    method_signature: { kind: "method", in: ["interface_body", "class_body"] },
    property_signature: { kind: "property", in: ["interface_body"] },
    interface_declaration: { kind: "interface" },
    type_alias_declaration: { kind: "type" },
    enum_declaration: { kind: "enum" },
    enum_assignment: { kind: "member" },
    property_identifier: { kind: "member", name: [], in: ["enum_body"] },
    internal_module: { kind: "module" },
    module: { kind: "module" },
  },
  functions: FUNCTIONS,
  wrappers: [
    "export_statement",
    "ambient_declaration",
    "expression_statement",
    "lexical_declaration",
    "variable_declaration",
  ],
  attributes: ["decorator"],
  bodies: BODIES,
  names: NAMES,
  patterns: PATTERNS,
  contexts: ["class A { @ }", "interface A { @ }", "({ @ })", "let a: @"],
  exports: { by: "statement", hidden: ["#", "private", "protected"] },
  imports: { ...IMPORTS, import_require_clause: { form: "string", field: "source" } },
  modules: MODULES,
  flow: FLOW,
};

/** TypeScript with JSX. */
export const TSX: Language = {
  ...TYPESCRIPT,
  grammar: "tsx",
  package: "tree-sitter-typescript",
  endings: [".tsx"],
};
