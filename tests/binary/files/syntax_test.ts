/** Syntax validation from the binary: what it carries is found, and read on threads that may not open it. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { appendedAt } from "../../../src/cli/seal/compiled_binary.ts";
import {
  BINARY,
  call,
  Pipe,
  sealedBinary,
  start,
  type StartOptions,
  Workspace,
} from "../toolgate.ts";

const POLICY = 'version: 1\npaths: [{ allow: [read, write], match: ["**"] }]\n';

/** Ending, a valid text, one that is not, and where it goes wrong. */
const LANGUAGES: readonly (readonly [string, string, string, string])[] = [
  ["py", "match a:\n    case [b]: pass\n", "def f(:\n    pass\n", "1:7"],
  ["pyi", "def f(a: int = ...) -> str: ...\n", "x = (1,\n", "2:1"],
  ["json", '{"a": 1}', '{"a": 1,}', "1:9"],
  ["yaml", "a: 1\n---\nb: 2\n", "a: 1\na: 2\n", "2:1"],
  ["yml", "a: [b]\n", "a:\n\tb: 1\n", "2:1"],
  ["toml", "a = 1\n", "a = 1\na = 2\n", "2:1"],
  ["js", "await a;\n", "let a = ;\n", "1:9"],
  ["mjs", "export default 1;\n", "return;\n", "1:1"],
  ["cjs", "return;\n", "export default 1;\n", "1:1"],
  ["jsx", "export default () => <a b={c}>d</a>;\n", "let a = <b>c</d>;\n", "1:13"],
  ["ts", "let a = <B>c as const;\n", "let a: = 1;\n", "1:8"],
  ["mts", "export type A<T> = T;\n", "type A = ;\n", "1:10"],
  ["cts", "import a = require('b');\n", "import { a from 'b';\n", "1:12"],
  ["tsx", "let a = <b>{c as D}</b>;\n", "let a = <b>c;\n", "1:12"],
  ["d.ts", "export const a: string;\n", "export const a: ;\n", "1:17"],
];

/** One of each parser: which of them judges an ending is nothing that a call of its own decides. */
const PARSED = ["py", "json", "yaml", "toml", "js", "jsx", "ts", "tsx"];

const NEITHER = { HOME: "/dev/null/home", TMPDIR: "/dev/null/temporary" };

async function sealedForTests(): Promise<string> {
  await using workspace = new Workspace();
  return await sealedBinary("sealed-syntax", workspace.policy(POLICY, "syntax.yaml"));
}

const SEALED = await sealedForTests();
const KINDS: readonly (readonly [string, string])[] = [["unsealed", BINARY], ["sealed", SEALED]];

for (const [kind, binary] of KINDS) {
  Deno.test(`${kind}, call: each parser refuses and accepts`, async () => {
    await using workspace = new Workspace();
    const options: StartOptions = { cwd: workspace.root, env: NEITHER, binary };
    for (const [ending, valid, invalid, place] of LANGUAGES) {
      if (!PARSED.includes(ending)) continue;
      const path = `a.${ending}`;
      const write = (content: string, ...more: string[]) =>
        call(["write_file", `path=${path}`, `content=${content}`, ...more], options);
      const refused = await write(invalid);
      assertEquals([refused.status, refused.answer.error?.code], [1, "SYNTAX_INVALID"], path);
      assertStringIncludes(refused.answer.error?.message ?? "", `${path}:${place}: `);
      assert(![...Deno.readDirSync(workspace.root)].some(({ name }) => name === path), path);
      const accepted = await write(valid);
      assertEquals([accepted.status, workspace.read(path)], [0, valid], path);
      const runtime = kind === "sealed" ? ["runtime"] : [];
      assertEquals(accepted.answer.usage.layers, ["policy", ...runtime, "landlock"]);
    }
    const unjudged = await call(
      ["write_file", "path=b.py", "content=(", "validate_syntax=false"],
      options,
    );
    assertEquals([unjudged.status, workspace.read("b.py")], [0, "("]);
  });

  Deno.test(`${kind}, serve: each language is refused and accepted, in previews too`, async () => {
    await using workspace = new Workspace();
    const pipe = new Pipe([], { cwd: workspace.root, env: NEITHER, binary });
    for (const preview of [true, false]) {
      for (const [ending, valid, invalid, place] of LANGUAGES) {
        const path = `a.${ending}`;
        const write = (content: string) =>
          pipe.ask({ id: 1, tool: "write_file", args: { path, content }, preview });
        const { error } = await write(invalid);
        assertEquals(error?.code, "SYNTAX_INVALID", `${path} ${preview}`);
        assertStringIncludes(error?.message ?? "", `${path}:${place}: `);
        assertEquals((await write(valid)).error, null, `${path} ${preview}`);
        assertEquals(preview ? null : workspace.read(path), preview ? null : valid);
      }
    }
    assertEquals((await pipe.close()).status, 0);
  });
}

Deno.test("the parser for Python is not among what the runtime reads at each start", () => {
  for (const [kind, binary] of KINDS) {
    const bytes = Deno.readFileSync(binary);
    const appended = bytes.length - 16 - appendedAt(bytes);
    // All modules and what is compiled ahead of them have 3.1 MiB, the parser alone 8.
    assert(appended < 3.3 * 2 ** 20, `${kind}: ${appended} bytes are read at each start`);
  }
});

Deno.test("what cannot be judged is refused, and the pipe goes on", async () => {
  await using workspace = new Workspace();
  const pipe = new Pipe([], { cwd: workspace.root, env: NEITHER });
  const levels = 100_000;
  for (
    const [path, content] of [
      ["a.py", "(".repeat(levels)],
      ["a.py", "f'{".repeat(levels)],
      ["a.ts", "[".repeat(levels)],
      ["a.tsx", "<a>".repeat(levels)],
      ["a.jsx", "<a>".repeat(levels)],
      ["a.js", "(".repeat(levels)],
      ["a.yaml", "- ".repeat(levels)],
      ["a.toml", `a = ${"[".repeat(levels)}`],
      ["a.json", "[".repeat(levels)],
      ["a.ts", `${"<T>(".repeat(60)}a${")".repeat(60)}`],
      ["a.py", "# x\n".repeat(2_000_000)],
      ["a.py", ")\n".repeat(400_000)],
    ] as const
  ) {
    const { error } = await pipe.ask({ id: 1, tool: "write_file", args: { path, content } });
    assertEquals(error?.code, "SYNTAX_INVALID", `${path} ${content.slice(0, 8)}`);
    const { output } = await pipe.ask({
      id: 2,
      tool: "write_file",
      args: { path: "good.py", content: "x = 1\n" },
    });
    assertEquals(output?.bytes_written, 6);
  }
  assertEquals((await pipe.close()).status, 0);
});

Deno.test("on a system that is read-only but for the workspace, without any environment", async () => {
  await using workspace = new Workspace();
  const launcher = fromFileUrl(new URL("../_read_only_system.ts", import.meta.url));
  for (const binary of [BINARY, SEALED]) {
    for (const [content, status] of [["x = (\n", 1], ["x = 1\n", 0]] as const) {
      // A sealed build takes no root above where it is started, which is `/` here.
      const { stdout, stderr, status: exit } = await start([
        ...["run", "--quiet", "-A", launcher, "", workspace.base, binary, "call", "write_file"],
        ...["path=a.py", `content=${content}`, "--root", workspace.root],
      ], { binary: Deno.execPath() });
      const answer = JSON.parse(stdout || "null");
      assertEquals([exit, stderr], [status, ""], stdout);
      assertEquals(answer.error?.code ?? null, status === 0 ? null : "SYNTAX_INVALID");
    }
    assertEquals(workspace.read("a.py"), "x = 1\n");
  }
});

Deno.test("a binary that was moved while it runs finds what it carries", async () => {
  await using workspace = new Workspace();
  const binary = `${workspace.base}/toolgate`;
  Deno.copyFileSync(BINARY, binary);
  const pipe = new Pipe([], { cwd: workspace.root, env: NEITHER, binary });
  assertEquals((await pipe.ask({ id: 1, op: "ping" })).error, null);
  Deno.renameSync(binary, `${workspace.base}/elsewhere`);
  Deno.writeTextFileSync(binary, "another\n");
  const args = { path: "a.py", content: "x = (\n" };
  const { error } = await pipe.ask({ id: 2, tool: "write_file", args });
  assertEquals(error?.code, "SYNTAX_INVALID", error?.message);
  assertEquals((await pipe.close()).status, 0);
});
