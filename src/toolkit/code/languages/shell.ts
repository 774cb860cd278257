/** Shell scripts, by tree-sitter-bash. */

import type { Language } from "./language.ts";

/** Shell scripts, as bash reads them. */
export const SHELL: Language = {
  name: "Shell",
  grammar: "bash",
  endings: [".sh", ".bash"],
  interpreters: ["sh", "bash", "dash", "ksh"],
  comments: ["comment"],
  // `[ "$a" "$is" "$b" ]`: any words may stand behind `[`, which is a command as `:` is one; the grammar wants a test's own.
  respelled: { pattern: "(?<![^\\s;&|(!])\\[(?=[ \\t])", by: ":" },
  symbols: {
    function_definition: { kind: "function" },
    variable_assignment: { kind: "variable", in: ["program", "declaration_command"], outer: true },
  },
  functions: ["function_definition"],
  wrappers: ["declaration_command"],
  bodies: ["compound_statement", "subshell"],
  names: ["variable_name", "word"],
  exports: { by: "default", hidden: [] },
  imports: { command: { form: "command", field: "name", names: ["source", "."] } },
  modules: { by: "scripts" },
  flow: {
    functions: ["function_definition"],
    parameters: [],
    ifs: ["if_statement"],
    elses: ["else_clause"],
    elseIfs: ["elif_clause"],
    loops: ["for_statement", "c_style_for_statement", "while_statement"],
    switches: ["case_statement"],
    cases: ["case_item"],
    handlers: [],
    conditionals: ["ternary_expression"],
    logical: ["&&", "||"],
    jumps: [],
    labels: [],
    calls: { command: "name" },
  },
};
