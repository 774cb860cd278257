/**
 * Cognitive complexity of Python as the program of the field has it (`cognitive_complexity`, from PyPI), and as SonarSource's
 * paper has it, read once more from Python's own tree: where a difference is, the second says which of the two is right.
 */

/** For Python, in the folder of the sources. Prints for each function: file, line, theirs, the paper's, a habit of theirs. */
export const COGNITIVE_OF_PYTHON = String.raw`
import ast, json, os, sys
from cognitive_complexity.api import get_cognitive_complexity

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
LOOPS = (ast.For, ast.AsyncFor, ast.While)

def body_of(function):
    return function.body[1:] if ast.get_docstring(function) is not None else function.body

def is_decorator(function):
    body = body_of(function)
    return len(body) == 2 and isinstance(body[0], FUNCTIONS) and isinstance(body[1], ast.Return)

def signs_of(node):
    if not isinstance(node, ast.BoolOp):
        return []
    found = signs_of(node.values[0])
    for value in node.values[1:]:
        found += [type(node.op), *signs_of(value)]
    return found

def operands_of(node):
    return [each for value in node.values for each in operands_of(value)] if isinstance(node, ast.BoolOp) else [node]

class Paper:
    def __init__(self, root, members):
        self.total, self.members, self.open = 0, members, []
        self.function(root, 0)

    def function(self, node, level):
        self.open.append([node, False])
        for each in node.body:
            if is_decorator(node) and isinstance(each, FUNCTIONS):
                self.function(each, level)
            else:
                self.visit(each, level)
        self.total += 1 if self.open.pop()[1] else 0

    def all(self, nodes, level):
        for each in nodes:
            if each is not None:
                self.visit(each, level)

    def branch(self, node, level):
        self.visit(node.test, level)
        self.all(node.body, level + 1)
        self.total += 1 if node.orelse else 0
        if is_elif(node):
            self.branch(node.orelse[0], level)
        else:
            self.all(node.orelse, level + 1)

    def visit(self, node, level):
        if isinstance(node, FUNCTIONS):
            self.function(node, level + 1)
        elif isinstance(node, ast.If):
            self.total += 1 + level
            self.branch(node, level)
        elif isinstance(node, ast.IfExp):
            self.total += 1 + level
            self.visit(node.test, level)
            self.all([node.body, node.orelse], level + 1)
        elif isinstance(node, LOOPS):
            self.total += 1 + level + (1 if node.orelse else 0)
            self.all([getattr(node, head, None) for head in ("target", "iter", "test")], level)
            self.all([*node.body, *node.orelse], level + 1)
        elif isinstance(node, ast.Try):
            self.total += 1 if node.orelse else 0
            self.all([*node.body, *node.handlers, *node.orelse, *node.finalbody], level)
        elif isinstance(node, ast.ExceptHandler):
            self.total += 1 + level
            self.all([node.type], level)
            self.all(node.body, level + 1)
        elif isinstance(node, ast.Match):
            self.total += 1 + level
            self.visit(node.subject, level)
            for case in node.cases:
                self.all([case.guard, *case.body], level + 1)
        elif isinstance(node, ast.Lambda):
            self.all(ast.iter_child_nodes(node), level + 1)
        elif isinstance(node, ast.BoolOp):
            signs = signs_of(node)
            self.total += sum(1 for at, sign in enumerate(signs) if at == 0 or signs[at - 1] != sign)
            self.all(operands_of(node), level)
        else:
            if isinstance(node, ast.Call) and self.calls_itself(node.func):
                self.open[-1][1] = True
            self.all(ast.iter_child_nodes(node), level)

    def calls_itself(self, called):
        node = self.open[-1][0]
        if isinstance(called, ast.Name):
            return called.id == node.name and node not in self.members
        return isinstance(called, ast.Attribute) and called.attr == node.name and \
            isinstance(called.value, ast.Name) and called.value.id in ("self", "cls")

def is_elif(node):
    return len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If) and \
        node.orelse[0].col_offset == node.col_offset

HABITS = [
    ("counts the depth of an elif, and none of what stands before it", lambda node: isinstance(node, ast.If) and is_elif(node)),
    ("counts no else of try (B1: else)", lambda node: isinstance(node, ast.Try) and bool(node.orelse)),
    ("counts signs by brackets and precedence, not by changes in a row (B1)", lambda node: isinstance(node, ast.BoolOp) and any(isinstance(each, (ast.BoolOp, ast.IfExp)) for each in ast.walk(node) if each is not node)),
    ("nests the condition in what it decides, and leaves out what else stands there", lambda node: isinstance(node, ast.IfExp)),
    ("nests nothing in a lambda", lambda node: isinstance(node, ast.Lambda)),
    ("takes the bare name alone for recursion, also of a method", lambda node: isinstance(node, ast.Call)),
    ("counts async for and match not at all", lambda node: isinstance(node, (ast.AsyncFor, ast.Match))),
]

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
        nodes = list(ast.walk(tree))
        members = {each for node in nodes if isinstance(node, ast.ClassDef) for each in node.body}
        for node in nodes:
            if isinstance(node, FUNCTIONS):
                inner = list(ast.walk(node))
                habit = next((said for said, has in HABITS if any(map(has, inner))), "differs otherwise")
                rows.append([path, node.lineno, get_cognitive_complexity(node), Paper(node, members).total, habit])
print(json.dumps(rows))
`;
