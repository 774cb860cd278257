/**
 * Ways to have what is denied analysed, counted or named, before each tool of analysis; each of them succeeds where all may
 * be read. And files that are no honest ones, in a pipe that goes on.
 */

import { assert, assertEquals } from "@std/assert";
import { type Answer, Pipe, Workspace } from "../toolgate.ts";

const OPEN = `version: 1
paths: [{ allow: [read, write], match: ["**"] }]
`;

const CLOSED =
  `${OPEN}  - { deny: [read], match: ["closed/**", "**/hidden/**", "lock/package-lock.json"] }
`.replace(
    ' [{ allow: [read, write], match: ["**"] }]',
    '\n  - { allow: [read, write], match: ["**"] }',
  );

const BODY = `(list: number[]) {
  let sum = 0;
  for (const each of list) if (each > 0) sum += each * 2;
  return sum;
}
`;

/** What only denied files hold begins with `sentinel`. */
const FILES = {
  "closed/secret.ts": `import "./sentinel_two.ts";\nexport function sentinel${BODY}`,
  "closed/sentinel_two.ts": "",
  "closed/tsconfig.json": '{ "compilerOptions": { "paths": { "s/*": ["../src/sentinel/*"] } } }',
  "closed/go.mod": "module example.com/sentinel\n",
  "closed/p.go": "package p\nfunc Sentinel() {}\n",
  "closed/dep/Cargo.toml": '[package]\nname = "sentinel_dep"\n',
  "closed/dep/src/lib.rs": "pub fn sentinel() {}\n",
  "closed/a.folded": "sentinel_main;sentinel_work 5\n",
  "src/like.ts": `export function like${BODY}`,
  "src/sentinel/a.ts": "",
  "extends/tsconfig.json": '{ "extends": "../closed/tsconfig.json" }',
  "extends/a.ts": 'import "s/a.ts";\n',
  "paths/tsconfig.json": '{ "compilerOptions": { "paths": { "~/*": ["../closed/*"] } } }',
  "paths/a.ts": 'import "~/secret.ts";\n',
  "paths/b.ts": 'import "~/nothing.ts";\n',
  "work/package.json": '{ "workspaces": ["packages/*", "hidden"] }',
  "work/hidden/package.json": '{ "name": "inner", "exports": "./sentinel.ts" }',
  "work/hidden/sentinel.ts": "",
  "work/a.ts": 'import "inner";\n',
  "lock/package-lock.json": '{ "packages": { "node_modules/left": { "version": "7.7.7" } } }',
  "lock/a.ts": 'import "left";\n',
  "gone/go.mod": "module example.com/gone\nreplace example.com/x => ../closed\n",
  "gone/a.go": 'package gone\nimport _ "example.com/x"\n',
  "crate/Cargo.toml":
    '[package]\nname = "crate"\n[dependencies]\nsentinel_dep = { path = "../closed/dep" }\n',
  "crate/src/lib.rs": "use sentinel_dep::sentinel as found;\n",
  "main.folded": "main;work 5\n",
} as const;

/** Links in the workspace to what is denied, and out of it. */
const LINKS = {
  "link.ts": "closed/secret.ts",
  "door": "closed",
  "out": "../outside",
  "fold": "closed/a.folded",
};

type Args = Readonly<Record<string, unknown>>;

/** What an attack asks for; `leaks`: whether its answer has what is denied, as the control's must. */
const ATTACKS: readonly (readonly [tool: string, args: Args, leaks: (text: string) => boolean])[] =
  [
    ["analyze_code_structure", {}, (text) => text.includes('"name":"sentinel"')],
    ["analyze_code_structure", { path: "link.ts" }, (text) => text.includes("sentinel")],
    ["analyze_code_structure", { path: "door" }, (text) => text.includes("sentinel")],
    ["measure_code_complexity", {}, (text) => text.includes("sentinel")],
    [
      "measure_code_complexity",
      { files: ["src/like.ts", "link.ts"] },
      (text) => text.includes("sentinel"),
    ],
    ["measure_code_complexity", { path: "door" }, (text) => text.includes("sentinel")],
    ["find_similar_code", { min_tokens: 20 }, (text) => text.includes("secret")],
    ["find_similar_code", { file: "link.ts", min_tokens: 20 }, (text) => text.includes("like.ts")],
    ["find_code_patterns", { pattern: "sum += $A" }, (text) => text.includes("secret")],
    [
      "find_code_patterns",
      { pattern: "sum += $A", path: "door" },
      (text) => text.includes("each * 2"),
    ],
    ["analyze_dependencies", { path: "closed" }, (text) => text.includes("sentinel")],
    ["analyze_dependencies", { path: "door" }, (text) => text.includes("sentinel")],
    ["analyze_dependencies", {}, (text) => text.includes('"to":"src/sentinel/a.ts"')],
    ["analyze_dependencies", {}, (text) => text.includes('"to":"closed/secret.ts"')],
    ["analyze_dependencies", { path: "work" }, (text) => text.includes("sentinel")],
    ["analyze_dependencies", { path: "lock" }, (text) => text.includes("7.7.7")],
    ["analyze_dependencies", {}, (text) => text.includes('"to":"closed"')],
    ["analyze_dependencies", {}, (text) => text.includes("closed/dep/src")],
    ["analyze_performance", { profiling_data: "fold" }, (text) => text.includes("sentinel_main")],
    [
      "analyze_performance",
      { profiling_data: "main.folded", baseline: "fold" },
      (text) => text.includes("sentinel"),
    ],
  ];

/** Asks all at one pipe: the answers in the order of the requests. */
async function askAll(
  workspace: Workspace,
  policy: string,
  requests: readonly (readonly [string, Args])[],
) {
  const pipe = new Pipe(["--policy", policy], { cwd: workspace.root });
  const found: Answer[] = [];
  for (const [id, [tool, args]] of requests.entries()) {
    found.push(await pipe.ask({ id, tool, args, timeout_ms: 60_000 }));
  }
  assertEquals((await pipe.close()).status, 0);
  return found;
}

function attacked(): Workspace {
  const workspace = new Workspace(FILES);
  for (const [name, target] of Object.entries(LINKS)) {
    Deno.symlinkSync(target, workspace.path(name));
  }
  return workspace;
}

Deno.test("what is denied is not analysed, whatever leads to it; where it is allowed each way does", async () => {
  await using workspace = attacked();
  const requests = ATTACKS.map(([tool, args]) => [tool, args] as const);
  const denied = await askAll(workspace, workspace.policy(CLOSED), requests);
  const allowed = await askAll(workspace, workspace.policy(OPEN, "open.yaml"), requests);
  for (const [at, [tool, args, leaks]] of ATTACKS.entries()) {
    const what = `${tool} ${JSON.stringify(args)}`;
    assert(
      leaks(JSON.stringify(allowed[at]?.output)),
      `control: ${what}: ${JSON.stringify(allowed[at])}`,
    );
    const { output, error } = denied[at] as Answer;
    assert(!leaks(JSON.stringify(output)), what);
    assert(
      !/sentinel_|"name":"sentinel"|7\.7\.7/.test(
        JSON.stringify([output, error]).replace(/sentinel_dep/g, ""),
      ),
      what,
    );
  }
  workspace.assertOutsideUntouched();
});

Deno.test("whether a denied file is there cannot be told from what is not found", async () => {
  await using workspace = attacked();
  const policy = workspace.policy(CLOSED);
  const [answer] = await askAll(workspace, policy, [["analyze_dependencies", {}]]);
  const { external, unresolved } = answer?.output as {
    readonly external: readonly { readonly name: string; readonly used_by: readonly string[] }[];
    readonly unresolved: readonly { readonly from: string }[];
  };
  // Both are what no file is found for.
  assertEquals(external.find(({ name }) => name === "~")?.used_by, ["paths/a.ts", "paths/b.ts"]);
  assert(!unresolved.some(({ from }) => from.startsWith("paths/")));
});

const HOSTILE = {
  "x/binary.go": "\0\0",
  "x/enormous.rs": "x".repeat(4 * 1024 * 1024 + 1),
  "x/brackets.c": "(".repeat(100_000),
  "x/generic.tsx": "a<".repeat(5_000),
  "x/cut.java": "class A { void f() { if (",
} as const;

Deno.test("files that are no code are named with the reason, and the pipe goes on", async () => {
  await using workspace = new Workspace({
    ...HOSTILE,
    "x/good.ts": "export const good = good(1);\n",
  });
  Deno.writeFileSync(workspace.path("x/latin.js"), new Uint8Array([0x61, 0x3b, 0xe9, 0x0a]));
  Deno.mkdirSync(workspace.path("x/folder.ts"));
  Deno.symlinkSync("nowhere.ts", workspace.path("x/dangling.ts"));
  Deno.symlinkSync("loop.py", workspace.path("x/loop.py"));
  assert(new Deno.Command("mkfifo", { args: [workspace.path("x/fifo.cpp")] }).outputSync().success);
  const answers = await askAll(workspace, workspace.policy(OPEN), [
    ["analyze_code_structure", {}],
    ["measure_code_complexity", {}],
    ["analyze_dependencies", {}],
    ["find_code_patterns", { pattern: "good($A)" }],
    ["find_similar_code", { min_tokens: 20 }],
    ["read_file", { path: "x/good.ts" }],
  ]);
  for (const { tool, success, output } of answers) {
    assert(success, tool ?? "");
    if (tool === "read_file") continue;
    const said = Object.fromEntries(
      (output.skipped as { path: string; reason: string }[]).map((
        { path, reason },
      ) => [path, reason]),
    );
    assert(/binary/.test(said["x/binary.go"] ?? ""), tool ?? "");
    assert(/bytes/.test(said["x/enormous.rs"] ?? ""), tool ?? "");
    assert(/UTF-8/.test(said["x/latin.js"] ?? ""), tool ?? "");
    for (const path of ["x/brackets.c", "x/generic.tsx", "x/cut.java"]) {
      assert(/not understood|too long|memory/.test(said[path] ?? ""), `${tool} ${path}`);
    }
    assert(!("x/good.ts" in said));
  }
});
