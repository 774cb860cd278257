/**
 * Cyclomatic complexity of Python read once more, from Python's own tree: as McCabe has it, and with each of the rules by
 * which radon 5.1 (`radon/visitors.py`) counts otherwise. Where ours is the first, the difference is that of the rules.
 */

/** Where radon parts from McCabe's measure: by the name of a rule in {@linkcode CYCLOMATIC_OF_PYTHON}. */
export const RADON_RULES: Readonly<Record<string, string>> = {
  orelse: "radon counts the else of a loop and of try, which is no decision of its own",
  assertion: "radon looks into no assert",
  cases: "radon counts no case of match",
  group: "radon counts no except*",
  head: "radon does not look at defaults, annotations and decorators",
  inner: "radon leaves out the body of a class within",
};

/**
 * For Python, in the folder of the sources. Prints for each function: file, line, McCabe's measure, radon's, and the names
 * of the rules without which that would be another number.
 */
export const CYCLOMATIC_OF_PYTHON = String.raw`
import ast, json, os

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
TRIES = (ast.Try, getattr(ast, "TryStar", ast.Try))
RULES = ["orelse", "assertion", "cases", "group", "head", "inner"]

def measure(function, rules):
    total = 1
    def visit(node):
        nonlocal total
        if isinstance(node, FUNCTIONS):
            return
        if isinstance(node, ast.ClassDef) and "inner" in rules:
            return
        if isinstance(node, ast.Assert) and "assertion" in rules:
            return
        if isinstance(node, (ast.If, ast.IfExp)):
            total += 1
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
            total += 1 + (1 if node.orelse and "orelse" in rules else 0)
        elif isinstance(node, TRIES):
            if not (type(node).__name__ == "TryStar" and "group" in rules):
                total += len(node.handlers) + (1 if node.orelse and "orelse" in rules else 0)
        elif isinstance(node, ast.BoolOp):
            total += len(node.values) - 1
        elif isinstance(node, ast.comprehension):
            total += 1 + len(node.ifs)
        elif isinstance(node, ast.Match) and "cases" not in rules:
            total += sum(1 for case in node.cases if not is_default(case))
        for child in ast.iter_child_nodes(node):
            visit(child)
    for each in function.body:
        visit(each)
    if "head" not in rules:
        for each in [function.args, function.returns]:
            if each is not None:
                visit(each)
    return total

def is_default(case):
    pattern = case.pattern
    return case.guard is None and isinstance(pattern, ast.MatchAs) and pattern.pattern is None and pattern.name is None

rows = []
for folder, _, names in os.walk("."):
    for name in names:
        if not name.endswith(".py"):
            continue
        path = os.path.relpath(os.path.join(folder, name))
        try:
            tree = ast.parse(open(path, encoding="utf-8").read())
        except (SyntaxError, ValueError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, FUNCTIONS):
                all = set(RULES)
                theirs = measure(node, all)
                told = [rule for rule in RULES if measure(node, all - {rule}) != theirs]
                rows.append([path, node.lineno, measure(node, set()), theirs, told])
print(json.dumps(rows))
`;
