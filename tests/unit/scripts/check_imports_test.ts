import { assertEquals } from "@std/assert";
import { dirname, join } from "@std/path";
import { checkImports, circles } from "../../../scripts/check_imports.ts";

/** What is wrong with a repository of these files, and of a `main.ts` that imports nothing. */
async function problemsOf(files: Readonly<Record<string, string>>): Promise<string[]> {
  const root = await Deno.makeTempDir();
  const all = {
    "main.ts": "",
    "deno.json": "{}",
    "scripts/a.ts": "",
    "src/core/empty.ts": "",
    ...files,
  };
  try {
    for (const [path, text] of Object.entries(all)) {
      await Deno.mkdir(dirname(join(root, path)), { recursive: true });
      await Deno.writeTextFile(join(root, path), text);
    }
    return await checkImports(root);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

const POLICY = { "src/policy/b.ts": "export type B = 1;\nexport const b = 1;\n" };
const WRONG = "imports src/policy/b.ts: core may import itself only, not policy";

const ways: [string, string, number][] = [
  ["an import", 'import { b } from "../policy/b.ts";\nb;', 1],
  ["an import over many lines", 'import {\n  // a comment\n  b,\n} from "../policy/b.ts";\nb;', 4],
  ["an import for its effects", 'import "../policy/b.ts";', 1],
  ["an import of everything", 'import * as all from "../policy/b.ts";\nall;', 1],
  ["an import of a type", 'import type { B } from "../policy/b.ts";\nexport type A = B;', 1],
  [
    "an import of a type among values",
    'import { type B } from "../policy/b.ts";\nexport type A = B;',
    1,
  ],
  ["a re-export", '\nexport { b } from "../policy/b.ts";', 2],
  ["a re-export of everything", 'export * from "../policy/b.ts";', 1],
  ["import()", 'export const a = () => import("../policy/b.ts");', 1],
  ["import() with a template", "export const a = () => import(`../policy/b.ts`);", 1],
  ["an import type expression", 'export type A = import("../policy/b.ts").B;', 1],
  ["an import after a comment that ends", '/* import */ import "../policy/b.ts";', 1],
];

for (const [name, text, line] of ways) {
  Deno.test(`checkImports() catches ${name}`, async () => {
    const problems = await problemsOf({ ...POLICY, "src/core/a.ts": text });
    assertEquals(problems, [`src/core/a.ts:${line}: ${WRONG}`]);
  });
}

const harmless: [string, string][] = [
  ["a line comment", '// import "../policy/b.ts";'],
  ["a block comment", '/*\nimport "../policy/b.ts";\n*/'],
  ["a string", "export const a = 'import \"../policy/b.ts\"';"],
  ["a template", 'export const a = `\nimport "../policy/b.ts";\n`;'],
  ["a regular expression", 'export const a = /import "..\\/policy\\/b.ts"/;'],
  [
    "a method called import",
    'export const a = { import: (x: string) => x }.import("../policy/b.ts");',
  ],
];

for (const [name, text] of harmless) {
  Deno.test(`checkImports() takes ${name} for what it is`, async () => {
    assertEquals(await problemsOf({ ...POLICY, "src/core/a.ts": text }), []);
  });
}

Deno.test("checkImports() follows the import map", async () => {
  const problems = await problemsOf({
    ...POLICY,
    "deno.json": '{ "imports": { "policy": "./src/policy/b.ts" } }',
    "src/core/a.ts": 'import "policy";',
  });
  assertEquals(problems, [`src/core/a.ts:1: ${WRONG}`]);
});

Deno.test("checkImports() catches a module of Node that touches the machine", async () => {
  const problems = await problemsOf({
    "src/core/a.ts": 'import "node:fs";\nimport "node:crypto";',
    "src/host/a.ts": 'import "node:fs";',
  });
  assertEquals(problems, [
    "src/core/a.ts:1: imports node:fs: node:fs touches the machine: only host, sandbox, engine, " +
    "serve and cli may",
  ]);
});

Deno.test("checkImports() catches a tool that is loaded beside the registry", async () => {
  const problems = await problemsOf({
    "src/tools/fs/a.ts": "",
    "src/tools/registry.ts": 'export const a = () => import("./fs/a.ts");',
    "src/engine/e.ts": 'export const a = () => import("../tools/fs/a.ts");',
  });
  assertEquals(problems, [
    "src/engine/e.ts:1: imports src/tools/fs/a.ts: src/tools/fs/a.ts is imported by " +
    "src/tools/registry.ts and its own category only",
  ]);
});

Deno.test("checkImports() catches circles, those of types too", async () => {
  const problems = await problemsOf({
    "src/core/a.ts": 'import type { B } from "./b.ts";\nexport type A = B;',
    "src/core/b.ts": 'import { c } from "./c.ts";\nexport type B = typeof c;',
    "src/core/c.ts": 'export const c = () => import("./a.ts");',
  });
  assertEquals(problems, ["circle: src/core/a.ts → src/core/b.ts → src/core/c.ts → src/core/a.ts"]);
});

Deno.test("checkImports() says which import leads nowhere", async () => {
  const [problem = ""] = await problemsOf({ "src/core/a.ts": 'import "unmapped";' });
  assertEquals(problem.startsWith("src/core/a.ts:1: "), true, problem);
});

Deno.test("circles() finds each once, whichever way it is entered", () => {
  const edges = (text: string) =>
    text.split(" ").map((edge) => ({ from: edge.charAt(0), to: edge.charAt(1) }));
  assertEquals(circles(edges("ab bc cd")), []);
  assertEquals(circles(edges("ab ac bd cd")), []);
  assertEquals(circles(edges("aa")), [["a", "a"]]);
  assertEquals(circles(edges("ca ab bc")), [["a", "b", "c", "a"]]);
  assertEquals(circles(edges("ab ba cd dc")), [["a", "b", "a"], ["c", "d", "c"]]);
});
