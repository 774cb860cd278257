/**
 * A plugin of `deno lint` that keeps the machine out of the layers that only compute, whatever name it goes by:
 * what imports cannot tell. `scripts/check_imports.ts` judges the imports. It also sees to it that what is exported
 * says what it is.
 */

import { fromFileUrl, relative } from "@std/path";
import { layerOf, mayTouch } from "./_layers.ts";

const ROOT = fromFileUrl(new URL("..", import.meta.url));

/** Globals that reach files, processes, threads, the network or the terminal. */
const TOUCHING_GLOBALS: ReadonlySet<string> = new Set([
  "Deno",
  "process",
  "fetch",
  "WebSocket",
  "WebSocketStream",
  "EventSource",
  "Worker",
  "localStorage",
  "sessionStorage",
  "caches",
  "alert",
  "confirm",
  "prompt",
  "globalThis",
  "self",
  "window",
]);

/** Where an identifier is a mere name: of a member, of a key, of what is imported. */
function isName(node: Deno.lint.Identifier): boolean {
  const parent = node.parent as Deno.lint.Node & {
    readonly property?: unknown;
    readonly key?: unknown;
    readonly computed?: boolean;
    readonly right?: unknown;
    readonly shorthand?: boolean;
  };
  switch (parent.type) {
    case "MemberExpression":
      return parent.property === node && !parent.computed;
    case "Property":
      return parent.key === node && !parent.computed && !parent.shorthand;
    case "PropertyDefinition":
    case "MethodDefinition":
    case "TSPropertySignature":
    case "TSMethodSignature":
      return parent.key === node && !parent.computed;
    case "TSQualifiedName":
      return parent.right === node;
    case "ImportSpecifier":
    case "ExportSpecifier":
      return true;
    default:
      return false;
  }
}

function pathOf(context: Deno.lint.RuleContext): string {
  const path = context.filename;
  return (path.startsWith(ROOT) ? relative(ROOT, path) : path).replaceAll("\\", "/");
}

const touch: Deno.lint.Rule = {
  create(context) {
    const path = pathOf(context);
    if (layerOf(path) === null || mayTouch(path)) return {};
    return {
      Identifier(node) {
        if (!TOUCHING_GLOBALS.has(node.name) || isName(node)) return;
        context.report({
          node,
          message:
            `${node.name} touches the machine: only host, sandbox, engine, serve and cli may`,
        });
      },
    };
  },
};

const exit: Deno.lint.Rule = {
  create(context) {
    const path = pathOf(context);
    if (path === "main.ts" || path.startsWith("tests/")) return {};
    const message = "main.ts alone ends the process: return an exit status, or set Deno.exitCode";
    return {
      MemberExpression(node) {
        const { object, property } = node;
        if (object.type !== "Identifier" || !["Deno", "process"].includes(object.name)) return;
        const name = property.type === "Identifier" && !node.computed
          ? property.name
          : property.type === "Literal"
          ? property.value
          : null;
        if (name === "exit" || (node.computed && property.type !== "Literal")) {
          context.report({ node, message });
        }
      },
      VariableDeclarator(node) {
        if (node.init?.type === "Identifier" && node.init.name === "Deno") {
          context.report({ node, message });
        }
      },
    };
  },
};

const print: Deno.lint.Rule = {
  create(context) {
    const path = pathOf(context);
    if (layerOf(path) === null || layerOf(path) === "cli") return {};
    return {
      Identifier(node) {
        if (node.name !== "console" || isName(node)) return;
        context.report({ node, message: "what people see is written in src/cli/" });
      },
    };
  },
};

const dynamic: Deno.lint.Rule = {
  create(context) {
    const path = pathOf(context);
    if (layerOf(path) === null) return {};
    return {
      ImportExpression(node) {
        if (node.source.type === "Literal" && typeof node.source.value === "string") return;
        context.report({
          node,
          // In a compiled binary such an import reads any file of the machine, whatever was granted.
          message: "import() takes a literal: a computed one escapes the runtime's permissions",
        });
      },
      Identifier(node) {
        if (node.name !== "eval" && node.name !== "Function" || isName(node)) return;
        if (node.name === "Function" && node.parent.type === "TSTypeReference") return;
        context.report({ node, message: "no code is made from text" });
      },
    };
  },
};

/** Who imports a thing reads its docstring, not its source. What a file exports by default its first sentence tells of. */
const documented: Deno.lint.Rule = {
  create(context) {
    if (layerOf(pathOf(context)) === null) return {};
    return {
      ExportNamedDeclaration(node) {
        if (node.declaration === null) return;
        const { sourceCode } = context;
        const last = sourceCode.getCommentsBefore(node).at(-1);
        // One with an empty line after it tells of the file.
        const adjoins = last !== undefined &&
          /^\n?$/.test(sourceCode.text.slice(last.range[1], node.range[0]));
        if (adjoins && last.type === "Block" && last.value.startsWith("*")) return;
        context.report({ node, message: "what is exported has a docstring: /** … */ before it" });
      },
    };
  },
};

const plugin: Deno.lint.Plugin = {
  name: "layers",
  rules: { touch, exit, print, dynamic, documented },
};
export default plugin;
