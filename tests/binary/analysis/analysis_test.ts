/** Analysis of code by the compiled binary: grammars it carries, files that it may not read, the thread that helps. */

import { assert, assertEquals } from "@std/assert";
import { LANGUAGES } from "../../../src/toolkit/code/languages/languages.ts";
import { call, Pipe, Workspace } from "../toolgate.ts";

const POLICY = `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [read], match: ["closed/**", "**/*_secret.ts"] }
timeouts: { default: 1h }
`;

/** A function of the same name in each language. */
const SOURCES = {
  "a.ts": "export function found() {}\n",
  "b.tsx": "export function found() { return <a/>; }\n",
  "c.js": "export function found() {}\n",
  "d.py": "def found(): pass\n",
  "e.go": "package p\nfunc found() {}\n",
  "f.rs": "fn found() {}\n",
  "G.java": "class G { void found() {} }\n",
  "h.c": "void found(void) {}\n",
  "i.cpp": "void found() {}\n",
  "j.sh": "found() { :; }\n",
} as const;

/** A workspace whose sentinel nothing may show. */
function guarded(files: Readonly<Record<string, string>>): Workspace {
  const workspace = new Workspace(files);
  workspace.write("closed/inner.ts", "export function sentinel() {}\n");
  workspace.write("src/x_secret.ts", "export function sentinel() {}\n");
  return workspace;
}

Deno.test("every language is outlined by the grammars that the binary carries, denied files unseen", async () => {
  await using workspace = guarded(SOURCES);
  const policy = workspace.policy(POLICY);
  const { answer } = await call(["analyze_code_structure", "--policy", policy], {
    cwd: workspace.root,
  });
  const { files, totals } = answer.output;
  assertEquals(files.map(({ path }: { path: string }) => path), Object.keys(SOURCES).sort());
  for (const { symbols } of files) {
    assert(symbols.some(({ name }: { name: string }) => name === "found"));
  }
  assertEquals(totals.files, 10);
  assert(!/sentinel|closed|secret/.test(JSON.stringify(answer)));
});

Deno.test("each ending that a language has is parsed by the grammar of it that the binary carries", async () => {
  const wanted = LANGUAGES.flatMap(({ name, endings }) =>
    endings.map((ending) => [`a${ending}`, name] as const)
  );
  await using workspace = new Workspace(
    Object.fromEntries(wanted.map(([file]) => [file, "x\n"] as const)),
  );
  const args = ["analyze_code_structure", "--policy", workspace.policy(POLICY), "depth=1"];
  const { answer } = await call(args, { cwd: workspace.root });
  const found = answer.output.files.map((
    { path, language, lines }: { path: string; language: string; lines: { code: number } },
  ) => [path, language, lines.code]);
  assertEquals(found.toSorted(), wanted.map(([path, name]) => [path, name, 1]).toSorted());
});

Deno.test("complexity is measured of files that may be read, and of no others", async () => {
  await using workspace = guarded({
    "src/a.ts": "export function worst(a: number) { return a > 1 && a < 3 ? 1 : 2; }\n",
    "src/b.py": "def plain():\n    return 1\n",
  });
  const args = ["measure_code_complexity", "--policy", workspace.policy(POLICY)];
  const { answer } = await call(args, { cwd: workspace.root });
  const found = answer.output.functions.map((
    { name, cyclomatic, cognitive }: { name: string; cyclomatic: number; cognitive: number },
  ) => [name, cyclomatic, cognitive]);
  assertEquals(found, [["worst", 3, 2], ["plain", 1, 0]]);
  assert(!/sentinel|closed|secret/.test(JSON.stringify(answer)));
  const denied = await call([...args, "files=src/a.ts", "files=closed/inner.ts"], {
    cwd: workspace.root,
  });
  assertEquals([denied.status, denied.answer.error?.code], [3, "PATH_DENIED"]);
});

Deno.test("similar code is found in files that may be read, and in no others", async () => {
  const body =
    "(a: number[]) {\n  let sum = 0;\n  for (const b of a) if (b > 0) sum += b * 2;\n  return sum;\n}\n";
  await using workspace = guarded({
    "src/a.ts": `export function one${body}`,
    "src/b.ts": `export function two${body}`,
    "closed/c.ts": `export function sentinel${body}`,
  });
  const args = ["find_similar_code", "--policy", workspace.policy(POLICY)];
  for (const more of [["min_tokens=20"], [`code_snippet=${body.slice(14)}`]]) {
    const { answer } = await call([...args, ...more], { cwd: workspace.root });
    const places = answer.output.groups.flatMap((group: { places: { file: string }[] }) =>
      group.places.map(({ file }) => file)
    );
    assertEquals(places, ["src/a.ts", "src/b.ts"]);
    assert(!/sentinel|closed|secret/.test(JSON.stringify(answer)));
  }
});

Deno.test("patterns are found in every language that the binary carries", async () => {
  await using workspace = guarded({
    "a.ts": "found(1, 2);\n",
    "b.py": "found(1, 2)\n",
    "c.rs": "fn f() { found(1, 2); }\n",
    "D.java": "class D { void f() { found(1, 2); } }\n",
    "closed/e.ts": "found(1, sentinel);\n",
  });
  const args = ["find_code_patterns", "--policy", workspace.policy(POLICY)];
  const { answer } = await call([...args, "pattern=found($A, $B)"], { cwd: workspace.root });
  const matches = answer.output.matches.map((
    { file, captures }: { file: string; captures: unknown },
  ) => [file, captures]);
  const captures = { A: "1", B: "2" };
  assertEquals(matches, ["D.java", "a.ts", "b.py", "c.rs"].map((file) => [file, captures]));
  const query = "pattern=(function_item name: (identifier) @name)";
  const asked = await call([...args, query, "language=Rust"], { cwd: workspace.root });
  assertEquals(asked.answer.output.matches[0].captures, { name: "f" });
});

Deno.test("dependencies lead to files that may be seen, and to no others", async () => {
  await using workspace = guarded({
    "src/a.ts": 'import "./b.ts";\nimport "~/c.ts";\nimport "left";\nimport "./x_secret.ts";\n',
    "src/b.ts": 'import "./a.ts";\n',
    "src/c.ts": "",
    "tsconfig.json": '{ "compilerOptions": { "paths": { "~/*": ["./src/*"] } } }',
    "package-lock.json": '{ "packages": { "node_modules/left": { "version": "1.0.0" } } }',
  });
  const args = ["analyze_dependencies", "path=src", "--policy", workspace.policy(POLICY)];
  const { answer } = await call(args, { cwd: workspace.root });
  const { nodes, edges, cycles, external, unresolved } = answer.output;
  assertEquals(nodes, ["src/a.ts", "src/b.ts", "src/c.ts"]);
  assertEquals(edges.length, 3);
  assertEquals(cycles, [["src/a.ts", "src/b.ts"]]);
  assertEquals(external, [{ name: "left", version: "1.0.0", used_by: ["src/a.ts"] }]);
  // What the file itself says, and not whether there is such a file.
  assertEquals(unresolved, [{ from: "src/a.ts", module: "./x_secret.ts", line: 4 }]);
  const picture = await call([...args, "format=svg"], { cwd: workspace.root });
  assert(picture.answer.output.graph.startsWith("<svg"));
  assert(!/sentinel/.test(JSON.stringify(answer)));
});

Deno.test("two threads answer as one does, with progress, and are stopped at once", async () => {
  await using workspace = guarded({});
  const body = (at: number) =>
    `/** Of ${at}. */\nexport function f${at}(a: number): number {\n  return a > ${at} ? a : 0;\n}\n`;
  for (let at = 0; at < 1_500; at++) {
    workspace.write(`src/d${at % 11}/${at}.ts`, body(at).repeat(20));
  }
  const pipe = new Pipe(["--policy", workspace.policy(POLICY)], { cwd: workspace.root });
  const request = { tool: "analyze_code_structure", args: { max_symbols: 40 } };
  const first = await pipe.ask({ id: 1, ...request });
  const second = await pipe.ask({ id: 2, ...request });
  assertEquals(first.output, second.output);
  assertEquals(first.output.totals, {
    files: 1_500,
    lines: { code: 90_000, comment: 30_000, blank: 0 },
    symbols: 30_000,
  });
  assert(!/sentinel|secret/.test(JSON.stringify(first.output)));
  await pipe.send({ id: 3, ...request, stream: true });
  const event = await pipe.next();
  assertEquals([event?.id, event?.event], [3, "progress"]);
  await pipe.send({ id: 4, op: "cancel", target: 3 });
  for (;;) {
    const answer = await pipe.next();
    if (answer?.id !== 3 || answer.event !== undefined) continue;
    assertEquals(answer.error?.code, "CANCELLED");
    break;
  }
  await pipe.close();
});
