/** Python, by tree-sitter-python. */

import type { Language } from "./language.ts";

/** Python 3. */
export const PYTHON: Language = {
  name: "Python",
  grammar: "python",
  endings: [".py", ".pyi", ".pyw"],
  interpreters: ["python", "python2", "python3", "pypy", "pypy3"],
  comments: ["comment"],
  docstrings: { statement: "expression_statement", string: "string" },
  symbols: {
    function_definition: { kind: "function", member: "method" },
    class_definition: { kind: "class" },
    assignment: {
      kind: "variable",
      member: "property",
      name: ["left"],
      in: ["expression_statement"],
      outer: true,
    },
    type_alias_statement: { kind: "type", name: ["left"] },
  },
  functions: ["function_definition", "lambda"],
  wrappers: ["decorated_definition", "expression_statement"],
  bodies: ["block"],
  names: ["identifier"],
  patterns: ["pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "type"],
  exports: { by: "underscore", list: "__all__" },
  imports: {
    import_statement: { form: "dotted", field: "name" },
    import_from_statement: { form: "from", field: "module_name" },
    future_import_statement: { form: "from" },
  },
  modules: { by: "python" },
  flow: {
    functions: ["function_definition"],
    parameters: ["parameters"],
    noParameters: ["positional_separator", "keyword_separator"],
    ifs: ["if_statement"],
    elses: ["else_clause"],
    elseIfs: ["elif_clause"],
    loops: ["for_statement", "while_statement"],
    switches: ["match_statement"],
    cases: ["case_clause"],
    handlers: ["except_clause", "except_group_clause"],
    conditionals: ["conditional_expression"],
    logical: ["and", "or"],
    jumps: [],
    labels: [],
    calls: { call: "function" },
    lambdas: ["lambda"],
    decorators: {
      holds: ["function_definition", "decorated_definition"],
      returns: ["return_statement"],
    },
    otherBranches: ["for_in_clause", "if_clause"],
  },
};
