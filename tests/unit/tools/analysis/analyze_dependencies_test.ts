import { assert, assertEquals, assertRejects } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import type { Tool } from "../../../../src/core/tool.ts";
import dependencies from "../../../../src/tools/analysis/analyze_dependencies.ts";
import { call, createMemory, type Node } from "../_memory_context.ts";
import { inWorkspace } from "../_real_workspace.ts";
import { pathRule } from "../../policy/_fixtures.ts";

interface Found {
  readonly nodes: readonly string[];
  readonly edges: readonly {
    readonly from: string;
    readonly to: string;
    readonly kind: string;
    readonly line: number;
  }[];
  readonly cycles: readonly (readonly string[])[];
  readonly orphans: readonly string[];
  readonly external: readonly {
    readonly name: string;
    readonly version?: string;
    readonly builtin?: boolean;
    readonly used_by: readonly string[];
  }[];
  readonly unresolved: readonly {
    readonly from: string;
    readonly module: string;
    readonly line: number;
  }[];
  readonly graph?: string;
  readonly totals: Readonly<Record<string, number>>;
}

async function analyse(
  files: Readonly<Record<string, Node>>,
  args: Readonly<Record<string, unknown>> = {},
): Promise<Found> {
  const memory = createMemory({ files });
  return await call(dependencies as unknown as Tool, args, memory) as unknown as Found;
}

/** Edges in one line each, in order; of others the name and version. */
function said({ edges, external, unresolved }: Found): Record<string, readonly string[]> {
  return {
    edges: edges.map(({ from, to, kind, line }) => `${from}:${line} ${kind} ${to}`).sort(),
    external: external.map(({ name, version, builtin }) =>
      name + (version === undefined ? "" : `@${version}`) + (builtin === true ? " (own)" : "")
    ).sort(),
    unresolved: unresolved.map(({ from, module, line }) => `${from}:${line} ${module}`).sort(),
  };
}

Deno.test("what strings of imports say is read through their escapes", async () => {
  const found = await analyse({
    "main.ts":
      'import "./\\x61.ts";\nimport "./\\u0062.ts";\nexport * from "./\\u{63}.ts";\nimport("./\\d.ts");\nimport "./e\\\n.ts";\nimport "./\\u{110000}.ts";\n',
    ...Object.fromEntries(["a", "b", "c", "d", "e"].map((name) => [`${name}.ts`, "export {};"])),
  });
  assertEquals(said(found), {
    edges: [
      "main.ts:1 import a.ts",
      "main.ts:2 import b.ts",
      "main.ts:3 export c.ts",
      "main.ts:4 dynamic d.ts",
      "main.ts:5 import e.ts",
    ],
    external: [],
    unresolved: ["main.ts:7 ./\\u{110000}.ts"],
  });
});

Deno.test("a package of Python is no orphan where a module in it is imported", async () => {
  const found = await analyse({
    "run.py": "import app.sub.used\n",
    "app/__init__.py": "",
    "app/sub/__init__.py": "",
    "app/sub/used.py": "",
    "app/other/__init__.py": "",
    "app/other/unused.py": "",
  });
  assertEquals(found.orphans, ["app/other/__init__.py", "app/other/unused.py", "run.py"]);
});

Deno.test("modules of TypeScript and JavaScript are found as compilers and runtimes find them", async () => {
  const found = await analyse({
    "tsconfig.json":
      '{ // settings\n "extends": "./base.json", "compilerOptions": { "baseUrl": ".", "paths": { "@lib/*": ["src/lib/*"], }, }, }',
    "package.json":
      '{ "workspaces": ["packages/*"], "dependencies": { "left": "^1.0.0", "exact": "3.2.1" }, "imports": { "#own": "./src/own.js" } }',
    "package-lock.json":
      '{ "lockfileVersion": 3, "packages": { "node_modules/left": { "version": "1.4.2" }, "node_modules/@s/p": { "version": "2.0.0" }, "node_modules/a/node_modules/left": { "version": "0.1.0" } } }',
    "packages/tool/package.json":
      '{ "name": "@me/tool", "exports": { ".": { "types": "./dist/x.d.ts", "import": "./index.ts" }, "./deep/*": "./src/*.ts", "./no": null } }',
    "packages/tool/index.ts": "export * from './src/a.ts';\n",
    "packages/tool/src/a.ts": "",
    "src/main.ts": `import a from "./a.ts";
import "./b";
import type { C } from "./c.js";
import d from "./folder";
import e from "@lib/e";
import f from "src/lib/f";
import g from "#own";
import h from "@me/tool";
import i from "@me/tool/deep/a";
import left from "left/sub";
import { p } from "@s/p";
import exact from "exact";
import fs from "node:fs";
import path from "path";
const late = await import("./late.mjs");
const old = require("./old.cjs");
import data from "./data.json";
import gone from "./gone";
import out from "../../out";
import none from "@me/tool/none";
export * from "./b.ts";
import "https://example.org/x.ts";
import "./a.ts";
`,
    "src/a.ts": "",
    "src/b.ts": "",
    "src/c.ts": "",
    "src/folder/index.tsx": "",
    "src/lib/e.ts": "",
    "src/lib/f.js": "",
    "src/own.ts": "",
    "src/late.mts": "",
    "src/old.cjs": "",
    "src/data.json": "{}",
  });
  assertEquals(said(found), {
    edges: [
      "packages/tool/index.ts:1 export packages/tool/src/a.ts",
      "src/main.ts:1 import src/a.ts",
      "src/main.ts:15 dynamic src/late.mts",
      "src/main.ts:16 require src/old.cjs",
      "src/main.ts:17 import src/data.json",
      "src/main.ts:2 import src/b.ts",
      "src/main.ts:21 export src/b.ts",
      "src/main.ts:3 type src/c.ts",
      "src/main.ts:4 import src/folder/index.tsx",
      "src/main.ts:5 import src/lib/e.ts",
      "src/main.ts:6 import src/lib/f.js",
      "src/main.ts:7 import src/own.ts",
      "src/main.ts:8 import packages/tool/index.ts",
      "src/main.ts:9 import packages/tool/src/a.ts",
    ],
    external: [
      "@s/p@2.0.0",
      "exact@3.2.1",
      "https://example.org/x.ts",
      "left@1.4.2",
      "node:fs (own)",
      "node:path (own)",
    ],
    unresolved: [
      "src/main.ts:18 ./gone",
      "src/main.ts:19 ../../out",
      "src/main.ts:20 @me/tool/none",
    ],
  });
  assertEquals(found.orphans, ["src/main.ts"]);
});

Deno.test("import maps, and versions in them and in lock files", async () => {
  const found = await analyse({
    "deno.jsonc":
      '{ "imports": { "@std/path": "jsr:@std/path@1.0.0", "chalk": "npm:chalk@^5.0.0", "app/": "./src/" } /* end */ }',
    "deno.lock": '{ "version": "5", "npm": { "chalk@5.3.0": {}, "yaml@2.1.0_x@1": {} } }',
    "src/a.ts":
      'import "@std/path"; import "chalk"; import "app/b.ts"; import "npm:yaml/sub"; import "npm:one@1.2.3";',
    "src/b.ts": "",
  });
  assertEquals(said(found), {
    edges: ["src/a.ts:1 import src/b.ts"],
    external: ["chalk@5.3.0", "jsr:@std/path@1.0.0", "one@1.2.3", "yaml@2.1.0"],
    unresolved: [],
  });
});

Deno.test("modules of Python are found by packages, relative imports and a src folder", async () => {
  const found = await analyse({
    "pyproject.toml": "[project]\nname = 'x'\n",
    "poetry.lock": '[[package]]\nname = "Requests-Toolbelt"\nversion = "1.0.0"\n',
    "requirements.txt": "numpy==2.1.0\nother>=1\n",
    "src/app/__init__.py": "",
    "src/app/main.py": `import os, json.decoder
from . import helper, VALUE
from .sub import deep
from .sub.deep import thing
from ..app import late
import app.sub.deep as d
from app import helper
import numpy as np
import requests_toolbelt
from .gone import x
import app.missing
def f():
    import app.late
`,
    "src/app/helper.py": "from app.main import f\n",
    "src/app/late.py": "",
    "src/app/sub/__init__.py": "",
    "src/app/sub/deep.py": "",
    "tests/test_main.py": "from app.main import f\nimport conftest\n",
    "tests/conftest.py": "",
  });
  assertEquals(said(found), {
    edges: [
      "src/app/helper.py:1 import src/app/main.py",
      "src/app/main.py:2 import src/app/__init__.py",
      "src/app/main.py:2 import src/app/helper.py",
      "src/app/main.py:3 import src/app/sub/deep.py",
      "src/app/main.py:5 import src/app/late.py",
      "tests/test_main.py:1 import src/app/main.py",
      "tests/test_main.py:2 import tests/conftest.py",
    ],
    external: ["json (own)", "numpy@2.1.0", "os (own)", "requests_toolbelt@1.0.0"],
    unresolved: ["src/app/main.py:10 .gone", "src/app/main.py:11 app.missing"],
  });
  assertEquals(found.cycles, [["src/app/helper.py", "src/app/main.py"]]);
});

Deno.test("packages of Go are folders of a module", async () => {
  const found = await analyse({
    "go.mod":
      "module example.com/app // the app\n\nrequire (\n\tgithub.com/a/b v1.2.3\n\tgithub.com/a/b/v2 v2.0.0 // indirect\n)\nreplace example.com/local => ./local\n",
    "main.go":
      'package main\nimport (\n "fmt"\n "example.com/app/internal/x"\n "github.com/a/b/v2/deep"\n "github.com/a/b/other"\n "example.com/local"\n "example.com/app/gone"\n)\n',
    "internal/x/x.go": 'package x\nimport "net/http"\n',
    "internal/x/y.go": 'package x\nimport "example.com/app/internal/z"\n',
    "internal/z/z.go": "package z\n",
    "internal/z/z_test.go": 'package z_test\nimport "example.com/app/internal/x"\n',
    "local/l.go": "package local\n",
  });
  assertEquals(said(found), {
    edges: [
      ".:4 import internal/x",
      ".:7 import local",
      "internal/x:2 import internal/z",
      "internal/z:2 test internal/x",
    ],
    external: [
      "fmt (own)",
      "github.com/a/b/v2@v2.0.0",
      "github.com/a/b@v1.2.3",
      "net/http (own)",
    ],
    unresolved: ["main.go:8 example.com/app/gone"],
  });
  assertEquals([found.nodes, found.cycles], [[".", "internal/x", "internal/z", "local"], []]);
});

Deno.test("modules of Rust are files that mod names, and paths of use lead into them", async () => {
  const found = await analyse({
    "Cargo.toml":
      '[package]\nname = "my-app"\n[dependencies]\nserde = "1"\nother = { path = "other" }\n',
    "Cargo.lock": '[[package]]\nname = "serde"\nversion = "1.0.200"\n',
    "src/main.rs":
      "mod a;\nmod b;\nmod gone;\nuse crate::a::inner::Thing;\nuse serde::Serialize;\nuse std::io;\nuse other::deep::X;\nuse self::b::*;\n",
    "src/a/mod.rs": "pub mod inner;\nuse super::b;\n",
    "src/a/inner.rs": "use super::super::b::Y;\nuse crate::b;\nenum E {} use E::*;\n",
    "src/b.rs": "mod c;\n",
    "src/b/c.rs": "use my_app::nothing;\n",
    "other/Cargo.toml": '[package]\nname = "other"\n',
    "other/src/lib.rs": "pub mod deep;\n",
    "other/src/deep.rs": "",
  });
  assertEquals(said(found), {
    edges: [
      "other/src/lib.rs:1 module other/src/deep.rs",
      "src/a/inner.rs:1 import src/b.rs",
      "src/a/mod.rs:1 module src/a/inner.rs",
      "src/a/mod.rs:2 import src/b.rs",
      "src/b.rs:1 module src/b/c.rs",
      "src/main.rs:1 module src/a/mod.rs",
      "src/main.rs:2 module src/b.rs",
      "src/main.rs:4 import src/a/inner.rs",
      "src/main.rs:7 import other/src/deep.rs",
      "src/main.rs:8 import src/b.rs",
    ],
    external: ["serde@1.0.200", "std (own)"],
    unresolved: ["src/b/c.rs:1 my_app::nothing", "src/main.rs:3 gone"],
  });
});

Deno.test("crates of Rust that code names by a path are imported, by the names of their registry", async () => {
  const found = await analyse({
    "Cargo.toml": '[workspace]\nmembers = ["a", "b"]\n' +
      '[workspace.dependencies]\nshared = { package = "shared-crate", version = "1" }\n',
    "Cargo.lock": '[[package]]\nname = "memmap2"\nversion = "0.9.0"\n',
    "a/Cargo.toml": '[package]\nname = "a"\n[dependencies]\n' +
      'memmap = { package = "memmap2", version = "0.9" }\nregex-syntax = "0.8"\nlog = "0.4"\n' +
      'shared = { workspace = true }\nb-crate = { path = "../b" }\n',
    "a/src/lib.rs": "mod inner;\nuse memmap::Mmap;\nuse regex_syntax::hir;\n" +
      'fn f() { log::debug!("x"); shared::g(); b_crate::h(); inner::i(); unknown::j(); hir::k(); }\n' +
      "fn g(a: std::io::Error) { log::warn!(); }\n",
    "a/src/inner.rs": "",
    "b/Cargo.toml": '[package]\nname = "b-crate"\n',
    "b/src/lib.rs": "",
  });
  assertEquals(said(found), {
    edges: ["a/src/lib.rs:1 module a/src/inner.rs", "a/src/lib.rs:4 path b/src/lib.rs"],
    external: ["log", "memmap2@0.9.0", "regex-syntax", "shared-crate", "std (own)"],
    unresolved: [],
  });
});

Deno.test("headers, classes and scripts are found by path and package", async () => {
  const found = await analyse({
    "src/a.c":
      '#include <stdio.h>\n#include "a.h"\n#include "util/b.h"\n#include "gone.h"\n#include <proj/c.h>\n',
    "src/a.h": "",
    "include/util/b.h": "",
    "include/proj/c.h": "",
    "java/a/b/C.java":
      "package a.b;\nimport a.d.E;\nimport static a.d.E.f;\nimport a.d.*;\nimport java.util.List;\nimport org.x.y.Z;\n",
    "java/a/d/E.java": "package a.d;\nclass E {}\n",
    "bin/run.sh": '. ./lib.sh\nsource "$(dirname "$0")/lib.sh"\nsource $X/no.sh\n. /etc/profile\n',
    "bin/lib.sh": "",
  });
  assertEquals(said(found), {
    edges: [
      "bin/run.sh:1 include bin/lib.sh",
      "java/a/b/C.java:2 import java/a/d/E.java",
      "src/a.c:2 include src/a.h",
      "src/a.c:3 include include/util/b.h",
      "src/a.c:5 include include/proj/c.h",
    ],
    external: ["/etc/profile (own)", "<stdio.h> (own)", "java.util (own)", "org.x.y"],
    unresolved: ["bin/run.sh:3 $X/no.sh", 'src/a.c:4 "gone.h"'],
  });
});

/** Files that import the named others. */
function modules(graph: Readonly<Record<string, readonly string[]>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(graph).map(([name, others]) => [
      `${name}.ts`,
      others.map((other) => `import "./${other}.ts";\n`).join(""),
    ]),
  );
}

Deno.test("each set of modules that import one another gives its shortest circle", async () => {
  const cycles = async (graph: Readonly<Record<string, readonly string[]>>) =>
    (await analyse(modules(graph))).cycles.map((cycle) =>
      cycle.map((path) => path.replace(".ts", "")).join(" ")
    );
  assertEquals(await cycles({ a: ["b"], b: ["c"], c: [] }), []);
  assertEquals(await cycles({ a: ["b"], b: ["a"], c: ["a"] }), ["a b"]);
  assertEquals(await cycles({ a: ["b"], b: ["c"], c: ["d"], d: ["a", "c"] }), ["c d"]);
  assertEquals(await cycles({ a: ["b"], b: ["c"], c: ["a"], x: ["y"], y: ["x", "a"] }), [
    "x y",
    "a b c",
  ]);
  // As deep as a stack would not go.
  const chain = Object.fromEntries(
    Array.from({ length: 3_000 }, (_, at) => [`m${at}`, [`m${(at + 1) % 3_000}`]]),
  );
  assertEquals((await analyse(modules(chain))).cycles.map(({ length }) => length), [3_000]);
});

Deno.test("graphs are drawn, whatever files are called", async () => {
  const files = {
    'a"<&>.ts': 'import "./b.ts";\n',
    "b.ts": 'import "./c.ts";\n',
    "c.ts": 'import "./b.ts";\n',
  };
  const graph = async (format: string) => (await analyse(files, { format })).graph ?? "";
  assertEquals((await analyse(files)).graph, undefined);
  const dot = await graph("dot");
  assert(dot.includes('"a\\"<&>.ts" -> "b.ts";') && dot.includes('"b.ts" -> "c.ts" [color=red];'));
  const mermaid = await graph("mermaid");
  assert(mermaid.includes('n0["a#34;#60;#38;#62;.ts"]') && mermaid.includes("n0 --> n1"));
  const svg = await graph("svg");
  assert(svg.startsWith("<svg") && svg.includes("a&#34;&#60;&#38;&#62;.ts"));
  assert(!/<script|href|onload|url\(|@import/.test(svg));
});

Deno.test("settings above the path count; denied files are not named", async () => {
  await inWorkspace(async ({ root, call }) => {
    for (const folder of ["closed", "src"]) Deno.mkdirSync(`${root}/${folder}`);
    const paths = '{ "compilerOptions": { "paths": { "~/*": ["./src/*"] } } }';
    Deno.writeTextFileSync(`${root}/tsconfig.json`, paths);
    Deno.writeTextFileSync(`${root}/src/a.ts`, 'import "~/b.ts";\nimport "../closed/secret.ts";\n');
    Deno.writeTextFileSync(`${root}/src/b.ts`, "");
    Deno.writeTextFileSync(`${root}/closed/secret.ts`, 'import "sentinel";\n');
    for (const path of ["src", "."]) {
      const found = await call("analyze_dependencies", { path }) as unknown as Found;
      assertEquals(said(found), {
        edges: ["src/a.ts:1 import src/b.ts"],
        external: [],
        unresolved: ["src/a.ts:2 ../closed/secret.ts"],
      });
      assertEquals(found.nodes, ["src/a.ts", "src/b.ts"]);
    }
    await assertRejects(() => call("analyze_dependencies", { path: "closed" }), ToolError);
  });
});

Deno.test("files that are no code are there wherever they may be seen, and nowhere else", async () => {
  const paths = [pathRule("allow", ["**"]), pathRule("deny", ["barred", "closed/**"], ["read"])];
  await inWorkspace(async ({ root, call }) => {
    for (const folder of ["src", "barred", "closed", "src/real"]) {
      Deno.mkdirSync(`${root}/${folder}`);
      Deno.writeTextFileSync(`${root}/${folder}/data.json`, "{}");
    }
    Deno.writeTextFileSync(`${root}/data.json`, "{}");
    Deno.symlinkSync("real", `${root}/src/linked`);
    Deno.writeTextFileSync(
      `${root}/src/a.ts`,
      ["../data", "./data", "../barred/data", "../closed/data", "./linked/data", "./none/data"]
        .concat("./none/data", "./real").map((name) => `import "${name}.json";\n`).join(""),
    );
    Deno.writeTextFileSync(`${root}/b.ts`, 'import "./data.json";\nimport "./gone.json";\n');
    const found = said(await call("analyze_dependencies", {}) as unknown as Found);
    const inTree = said(await call("analyze_dependencies", { path: "src" }) as unknown as Found);
    const unresolved = [
      "src/a.ts:3 ../barred/data.json",
      "src/a.ts:4 ../closed/data.json",
      // Links are not followed: what they lead to has a name of its own.
      "src/a.ts:5 ./linked/data.json",
      "src/a.ts:6 ./none/data.json",
      "src/a.ts:7 ./none/data.json",
      "src/a.ts:8 ./real.json",
    ];
    assertEquals(found, {
      edges: [
        "b.ts:1 import data.json",
        "src/a.ts:1 import data.json",
        "src/a.ts:2 import src/data.json",
      ],
      external: [],
      unresolved: ["b.ts:2 ./gone.json", ...unresolved],
    });
    assertEquals(inTree.edges, ["src/a.ts:2 import src/data.json"]);
  }, { paths });
});

Deno.test("settings that are broken, or that extend themselves, say nothing", async () => {
  const found = await analyse({
    "tsconfig.json":
      '{ "extends": "./tsconfig.json", "compilerOptions": { "paths": { "x/*": "no list", "y": [1] } } }',
    "package.json": "{ broken",
    "deno.json": "[]",
    "Cargo.toml": "= broken",
    "go.mod": "\0",
    "a.ts": 'import "x/b"; import "y"; import "__proto__"; import "constructor";',
    "a.rs": "use crate::x; use super::super::y;",
    "a.go": 'package a\nimport "../../.."\n',
  });
  assertEquals(found.nodes.length, 3);
});

Deno.test("time that runs out leaves the graph of what was read until then", async () => {
  let looks = 0;
  const memory = createMemory({
    files: Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`${at}.ts`, `import "./${at + 1}.ts";\n`.repeat(800)]),
    ),
    checkpoint() {
      if (++looks > 120) throw new ToolError("TIMEOUT", "over");
    },
  });
  const error = await assertRejects(
    () => call(dependencies as unknown as Tool, {}, memory),
    ToolError,
    "over",
  );
  const { nodes } = error.output as Found;
  assert(nodes.length > 0 && nodes.length < 40);
});
