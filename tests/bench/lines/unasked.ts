/**
 * Lines in the manner of coding agents, by the kind of project: how many of them a policy lets run with nobody asked, under
 * the default policy and under the one that `policy init` writes for such a project. Nothing is run: what is counted
 * is the decision. As a program: `unasked.ts TOOLGATE [--kind NAME]` says each line that is asked for or denied.
 */

import { parseArgs } from "@std/cli";
import { join } from "@std/path";
import { Pipe, start } from "../../binary/toolgate.ts";

/** What a project of a kind is known by, and what its lines name. */
const KINDS = {
  common: {},
  node: {
    "package.json":
      '{"name":"p","version":"1.0.0","scripts":{"test":"node --test","build":"tsc","lint":"eslint ."}}\n',
    "src/index.js": "export const a = 1;\n",
    "src/server.js": "setTimeout(() => {}, 9);\n",
    "node_modules/.bin/tsc": "#!/bin/sh\n",
    "node_modules/.bin/jest": "#!/bin/sh\n",
    "node_modules/.bin/vitest": "#!/bin/sh\n",
    "node_modules/.bin/eslint": "#!/bin/sh\n",
    "node_modules/.bin/prettier": "#!/bin/sh\n",
    "tsconfig.json": "{}\n",
  },
  python: {
    "pyproject.toml": '[project]\nname = "p"\nversion = "1"\n[tool.pytest.ini_options]\n',
    "src/a.py": "def main():\n    pass\n",
    "tests/test_a.py": "def test_a():\n    pass\n",
    ".venv/bin/python": "#!/bin/sh\n",
    ".venv/bin/activate": "VIRTUAL_ENV=1\n",
    "venv/bin/activate": "VIRTUAL_ENV=1\n",
    "data.json": "{}\n",
    "input.txt": "1\n",
  },
  go: {
    "go.mod": "module example.org/p\n\ngo 1.22\n",
    "main.go": "package main\n\nfunc main() {}\n",
    "input.txt": "1\n",
  },
  rust: {
    "Cargo.toml": '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n',
    "src/main.rs": "fn main() {}\n",
    "target/debug/app": "#!/bin/sh\n",
    "input.txt": "1\n",
  },
  c: {
    "Makefile":
      "all: prog\n\nprog: main.c\n\tcc -o prog main.c\n\ntest: prog\n\t./prog\n\ncheck: test\n\nclean:\n\trm -f prog\n",
    "CMakeLists.txt": "cmake_minimum_required(VERSION 3.10)\nproject(p C)\n",
    "main.c": "int main(void) { return 0; }\n",
    "t.cpp": "int main() { return 0; }\n",
    "prog": "#!/bin/sh\n",
    "tests/a.in": "1\n",
    "tests/a.out": "1\n",
    "input.txt": "1\n",
    "expected.txt": "1\n",
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

type Kind = keyof typeof KINDS;
const NAMES = Object.keys(KINDS) as readonly Kind[];

/** The decision on one line under one policy. */
export interface Decided {
  readonly kind: Kind;
  readonly policy: "default" | "init";
  readonly line: string;
  readonly effect: "allow" | "ask" | "deny";
  readonly said: string;
}

function linesOf(kind: Kind): readonly string[] {
  const text = Deno.readTextFileSync(new URL(`agents/${kind}.txt`, import.meta.url));
  return text.split("\n").filter((line) => line !== "" && !line.startsWith("# "))
    .map((line) => line.replaceAll("⏎", "\n"));
}

/** Decides all lines; those of every kind stand beside those of each. */
export async function unasked(
  toolgate: string,
  wanted?: string,
): Promise<readonly Decided[]> {
  const all: Decided[] = [];
  for (const kind of NAMES) {
    if (wanted !== undefined && wanted !== kind) continue;
    all.push(...await decidedIn(kind, toolgate));
  }
  return all;
}

async function decidedIn(kind: Kind, toolgate: string): Promise<readonly Decided[]> {
  const folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "toolgate-bench-" }));
  const root = join(folder, "project");
  try {
    for (const [name, text] of Object.entries({ "README.md": "# p\n", ...KINDS[kind] })) {
      Deno.mkdirSync(join(root, name, ".."), { recursive: true });
      Deno.writeTextFileSync(join(root, name), text, { mode: 0o755 });
    }
    new Deno.Command("git", { args: ["init", "-q"], cwd: root }).outputSync();
    const file = join(folder, "policy.yaml");
    const init = await start(["policy", "init", file], { binary: toolgate, cwd: root });
    if (init.status !== 0) throw new Error(init.stderr);
    const found: Decided[] = [];
    for (const [policy, args] of [["default", []], ["init", ["--policy", file]]] as const) {
      const pipe = new Pipe(args, { binary: toolgate, cwd: root });
      for (const line of linesOf(kind)) {
        found.push({ kind, policy, line, ...await decided(pipe, line) });
      }
      await pipe.close();
    }
    return found;
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

async function decided(pipe: Pipe, line: string): Promise<Pick<Decided, "effect" | "said">> {
  const explained = async (command: string) => {
    await pipe.send({ id: 1, op: "explain", tool: "run_command", args: { command } });
    const answer = await pipe.next() as Loose;
    return answer?.output ??
      { effect: "deny", code: answer?.error?.code, reason: answer?.error?.message };
  };
  let answer = await explained(line);
  // What only is not installed here was allowed by all rules; that it goes on says so.
  if (answer.code === "COMMAND_NOT_FOUND") answer = await explained(`{ ${line}\n} || true`);
  return { effect: answer.effect, said: `${answer.code ?? ""} ${answer.reason ?? ""}` };
}

// deno-lint-ignore no-explicit-any
type Loose = any;

/** The rows of the report, for people. */
export function renderUnasked(all: readonly Decided[]): string {
  const rows = NAMES.flatMap((kind) =>
    (["default", "init"] as const).map((policy) => {
      const of = all.filter((one) => one.kind === kind && one.policy === policy);
      if (of.length === 0) return [];
      const count = (effect: Decided["effect"]) => of.filter((one) => one.effect === effect).length;
      const share = (100 * count("allow") / of.length).toFixed(1);
      return [
        `lines that run unasked, ${kind}, ${policy} policy: ${share} % of ${of.length} (asked ${
          count("ask")
        }, denied ${count("deny")})`,
      ];
    })
  );
  return rows.flat().join("\n");
}

if (import.meta.main) {
  const given = parseArgs(Deno.args, { string: ["kind"] });
  const all = await unasked(String(given._[0]), given.kind);
  for (const { kind, policy, effect, line, said } of all) {
    if (effect !== "allow") console.log(`${effect} [${kind} ${policy}]\n  $ ${line}\n   ${said}`);
  }
  console.log(renderUnasked(all));
}
