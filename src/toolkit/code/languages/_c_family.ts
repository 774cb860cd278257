/** What C and C++ have in common, by the grammars tree-sitter-c and tree-sitter-cpp. */

import type { FlowTable, ImportRule, MacroTable, ModuleRule, SymbolRule } from "./language.ts";

/** What C and C++ name, by the node that names it. */
export const SYMBOLS: Readonly<Record<string, SymbolRule>> = {
  function_definition: {
    kind: "function",
    member: "method",
    declarators: true,
    name: ["declarator"],
    typed: "type",
  },
  declaration: {
    kind: "variable",
    member: "method",
    declarators: true,
    name: ["declarator"],
    outer: true,
    headOf: "compound_statement",
    typed: "type",
    kindByWord: { const: "constant", constexpr: "constant" },
  },
  field_declaration: { kind: "property", declarators: true, name: ["declarator"] },
  struct_specifier: { kind: "struct", needs: "body" },
  union_specifier: { kind: "union", needs: "body" },
  enum_specifier: { kind: "enum", needs: "body" },
  enumerator: { kind: "member" },
  type_definition: { kind: "type", declarators: true, name: ["declarator"] },
  preproc_def: { kind: "macro" },
  preproc_function_def: { kind: "macro" },
};

/** Headers are found by their paths. */
export const MODULES: ModuleRule = { by: "headers" };

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

/** By what macros are known: names in capitals, as nearly all have, and the words of C17 6.4.1 and C++20 5.11. */
export const MACROS: MacroTable = {
  shape: "^[A-Z][A-Z0-9_]+$",
  names: ["va_arg"],
  types: (
    "void char short int long float double signed unsigned bool auto wchar_t char8_t char16_t char32_t _Bool _Complex"
  ).split(" "),
  declares: (
    "static inline virtual constexpr consteval constinit extern using friend explicit template typedef namespace " +
    "public private protected operator register volatile thread_local typename mutable concept _Noreturn " +
    "_Static_assert static_assert _Thread_local"
  ).split(" "),
  typeKeys: ["class", "struct", "union", "enum"],
  keywords: (
    "if else for while do switch case default break continue goto return sizeof alignof alignas const restrict " +
    "asm new delete this throw try catch noexcept decltype dynamic_cast static_cast reinterpret_cast const_cast " +
    "and or not xor bitand bitor compl and_eq or_eq xor_eq not_eq true false nullptr typeid requires co_await " +
    "co_return co_yield _Alignas _Alignof _Atomic _Generic __attribute__ __attribute __asm__ __asm __extension__ " +
    "__inline __inline__ __restrict __restrict__ __volatile__ __const __typeof__ typeof __declspec final override " +
    "__cdecl __stdcall __fastcall __thiscall __vectorcall __based"
  ).split(" "),
};
