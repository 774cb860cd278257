import { assertEquals, assertRejects } from "@std/assert";
import { ToolError } from "../../../../../src/core/errors.ts";
import tool from "../../../../../src/tools/web/fetch_api_docs.ts";
import { call, createMemory } from "../../_memory_context.ts";
import {
  type Answers,
  type Files,
  integrity,
  REGISTRIES,
  registryOf,
  tarball,
} from "./_packages.ts";

const BASE = "https://npm.example.org";

/** Names and signatures of what a package of these files exports. */
async function exported(files: Files, library = "lib"): Promise<readonly (readonly string[])[]> {
  const { symbols } = await docs(
    Object.fromEntries(Object.entries(files).map(([path, text]) => [`package/${path}`, text])),
    {},
    library,
  );
  return symbols.map(({ name, signature }) => [name, signature]);
}

interface Docs {
  readonly version: string;
  readonly symbols: readonly Record<"name" | "kind" | "signature" | "summary", string>[];
  readonly source: string;
  readonly notes: readonly string[];
  readonly [key: string]: unknown;
}

async function docs(files: Files, more: Answers = {}, library = "lib", args = {}): Promise<Docs> {
  const packed = tarball(files);
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(library)?.[0] ?? library;
  const { fetch } = registryOf({
    [`${BASE}/${name.replace("/", "%2f")}/latest`]: {
      name,
      version: "1.2.3",
      description: "does it",
      repository: { url: "git+ssh://git@github.com/a/b.git" },
      dist: { tarball: `${BASE}/lib.tgz`, integrity: await integrity(packed) },
    },
    [`${BASE}/lib.tgz`]: packed,
    ...more,
  });
  const memory = createMemory({ fetch, web: REGISTRIES });
  return await call(
    tool,
    { library, ecosystem: "npm", limit: 1000, ...args },
    memory,
  ) as unknown as Docs;
}

/** Files of a package, and the names with the signatures that it exports. */
const EXPORTS: readonly (readonly [string, Files, readonly (readonly string[])[]])[] = [
  ["declarations", {
    "index.d.ts":
      "export declare function f(a: string): void;\nexport function f(a: number): void;\n" +
      "declare const hidden: 1;\nexport interface I<T> { a: T; b?(): void }\nexport type T = 1 | 2;\n" +
      "export declare class C { private p: 1; #q: 2; static s: 3; m(): void }",
  }, [
    ["f", "function f(a: string): void"],
    ["f", "function f(a: number): void"],
    ["I", "interface I<T>"],
    ["I.a", "a: T"],
    ["I.b", "b?(): void"],
    ["T", "type T = 1 | 2"],
    ["C", "class C"],
    ["C.s", "static s: 3"],
    ["C.m", "m(): void"],
  ]],
  ["lists with other names", {
    "index.d.ts": "declare const a: 1, b: 2;\nexport { a as c, type b };\n",
  }, [["c", "const a: 1"], ["b", "const b: 2"]]],
  ["other files", {
    "index.d.ts":
      'export * from "./a.js";\nexport { x as y } from "./sub";\nexport * as n from "./m.mjs";',
    "a.d.ts": "export declare const one: 1;",
    "sub/index.d.ts": "export declare const x: 2, z: 3;",
    "m.d.mts": "export declare const three: 3;",
  }, [["one", "const one: 1"], ["y", "const x: 2"], ["n.three", "const three: 3"]]],
  ["imported and handed on", {
    "index.d.ts":
      'import D, { a as b } from "./a";\nimport * as all from "./a";\nexport { b, D, all };',
    "a.d.ts": "export declare const a: 1;\ndeclare function dd(): void;\nexport default dd;",
  }, [
    ["b", "const a: 1"],
    ["D", "function dd(): void"],
    ["all.a", "const a: 1"],
    ["all.default", "function dd(): void"],
  ]],
  ["what is the module's usual", {
    "index.d.ts": 'export { default as K } from "./a";\nexport { default } from "./b";',
    "a.d.ts": "export default class Kind { m(): void }",
    "b.d.ts": "declare const b: 1;\nexport { b as default };",
  }, [["K", "class Kind"], ["K.m", "m(): void"], ["default", "const b: 1"]]],
  ["all through all", {
    "index.d.ts": 'export * from "./a";',
    "a.d.ts": 'export { deep } from "./b";',
    "b.d.ts": 'export * from "./c";',
    "c.d.ts": "export declare const deep: 1;",
  }, [["deep", "const deep: 1"]]],
  ["files that lead in circles", {
    "index.d.ts": 'export * from "./a";\nexport * as n from "./index";',
    "a.d.ts": 'export * from "./index";\nexport { q } from "./index";\nexport declare const a: 1;',
  }, [["a", "const a: 1"], ["n", ""]]],
  ["a whole module that is one thing", {
    "index.d.ts":
      "declare function e(): e.App;\ndeclare namespace e { interface App { use(): void } }\nexport = e;",
  }, [["e", "function e(): e.App"], ["App", "interface App"], ["App.use", "use(): void"]]],
  ["another package's", {
    "index.d.ts":
      'export * from "other";\nexport { a as b } from "@x/y";\nexport * as z from "zed";',
  }, [
    ["*", 'export * from "other"'],
    ["b", 'export { a } from "@x/y"'],
    ["z", 'export * as z from "zed"'],
  ]],
  ["modules declared by name", {
    "index.d.ts":
      '/// <reference path="more.d.ts" />\ndeclare module "lib" { function f(): void; }',
    "more.d.ts": 'declare module "node:fs" { function open(): void; }',
  }, [["f", "function f(): void"], ["node:fs.open", "function open(): void"]]],
  ["additions of other files", {
    "index.d.ts": '/// <reference path="./more/a.d.ts" />\nexport interface S { a: 1 }',
    "more/a.d.ts":
      'declare module "../index" { interface S { b(): void } }\ndeclare module "../../../etc" { interface X {} }',
  }, [["S", "interface S"], ["S.a", "a: 1"], ["S", "interface S"], ["S.b", "b(): void"]]],
  ["the file that exports names", {
    "package.json":
      '{"exports":{".":{"import":{"types":"./t/m.d.mts","default":"./m.mjs"}}},"types":"x.d.ts"}',
    "t/m.d.mts": "export declare const a: 1;",
    "x.d.ts": "export declare const wrong: 1;",
  }, [["a", "const a: 1"]]],
  ["the file that types names", {
    "package.json": '{"types":"./t","main":"index.js"}',
    "t.d.ts": "export declare const a: 1;",
  }, [["a", "const a: 1"]]],
  ["beside the program", {
    "package.json": '{"main":"./dist/x.cjs"}',
    "dist/x.d.cts": "export declare const a: 1;",
  }, [["a", "const a: 1"]]],
  ["paths that lead out", {
    "package.json": '{"types":"../../../etc/passwd","main":"/etc/passwd"}',
    "index.d.ts": 'export * from "../../../../etc/passwd";\nexport declare const a: 1;',
  }, [["a", "const a: 1"], ["*", 'export * from "../../../../etc/passwd"']]],
];

Deno.test("npm: what a package's own declarations export", async () => {
  for (const [name, files, expected] of EXPORTS) {
    const found = await exported(files);
    assertEquals(found.toSorted(), expected.toSorted(), name);
  }
  const inner = {
    "package.json": '{"exports":{".":"./i.js","./s":{"types":"./s.d.ts"},"./f/*":"./d/*.js"}}',
    "s.d.ts": "export declare const s: 1;",
    "d/x.d.ts": "export declare const x: 1;",
  };
  assertEquals(await exported(inner, "lib/s"), [["s", "const s: 1"]]);
  assertEquals(await exported(inner, "lib/f/x"), [["x", "const x: 1"]]);
  assertEquals(await exported(inner, "lib/none"), []);
  assertEquals(await exported({ "index.d.ts": "export const a: 1" }, "@s/lib"), [[
    "a",
    "const a: 1",
  ]]);
});

Deno.test("npm: what it says of itself, and what is missing", async () => {
  const found = await docs({
    "package/index.d.ts":
      "/** Adds {@link Two|two} numbers.\n *\n * More.\n * @param a one */\nexport function add(a: number): number;",
  });
  const { symbols: [symbol], version, source, repository, is_requested, requested_by } = found;
  assertEquals([version, source, repository], [
    "1.2.3",
    "type declarations",
    "https://github.com/a/b",
  ]);
  assertEquals([is_requested, requested_by], [true, "latest"]);
  assertEquals(symbol?.summary.startsWith("Adds two numbers."), true);
  assertEquals(symbol?.summary.includes("@param"), false);
  const bare = await docs({ "package/index.js": "" });
  assertEquals([bare.source, bare.symbols, bare.notes.length], ["metadata", [], 1]);

  const types = tarball({ "react/index.d.ts": "export declare const a: 1;" });
  const typed = await docs({ "package/index.js": "" }, {
    [`${BASE}/@types%2flib/latest`]: { version: "9.0.0", dist: { tarball: `${BASE}/t9.tgz` } },
    [`${BASE}/@types%2flib`]: { versions: { "1.0.0": {}, "1.4.0": {}, "9.0.0": {} } },
    [`${BASE}/@types%2flib/1.4.0`]: { version: "1.4.0", dist: { tarball: `${BASE}/t1.tgz` } },
    [`${BASE}/t1.tgz`]: types,
  });
  assertEquals([typed.source, typed.symbols[0]?.name], ["DefinitelyTyped", "a"]);
  assertEquals(typed.notes[0]?.includes("@types/lib 1.4.0"), true);
});

Deno.test("npm: a version that is there, one that it stands for, and none", async () => {
  const of = (version: string) => ({ version, description: version, dist: {} });
  const versions = {
    [`${BASE}/lib`]: { versions: { "1.2.0": {}, "1.10.0": {}, "1.11.0-rc.1": {}, "2.0.0": {} } },
    [`${BASE}/lib/1.10.0`]: of("1.10.0"),
    [`${BASE}/lib/1.2.0`]: of("1.2.0"),
  };
  for (
    const [asked, served, same] of [
      ["1.2.0", "1.2.0", true],
      ["1", "1.10.0", true],
      ["1.x", "1.10.0", false],
      ["^1.2", "1.2.0", false],
      ["7.7.7", "1.2.3", false],
    ] as const
  ) {
    const found = await docs({}, versions, "lib", { version: asked });
    assertEquals([found.version, found.is_requested, found.requested_version], [
      served,
      same,
      asked,
    ]);
  }
});

Deno.test("npm: another package than the registry describes is not read", async () => {
  const error = await assertRejects(
    () =>
      docs({ "package/index.d.ts": "export const a: 1" }, {
        [`${BASE}/lib.tgz`]: tarball({ x: "y" }),
      }),
    ToolError,
  );
  assertEquals([error.code, error.details?.reason], ["NETWORK_ERROR", "digest"]);
  const { fetch } = registryOf({});
  const missing = await assertRejects(
    () =>
      call(tool, { library: "none", ecosystem: "npm" }, createMemory({ fetch, web: REGISTRIES })),
    ToolError,
  );
  assertEquals([missing.code, missing.details?.status], ["HTTP_ERROR", 404]);
});

Deno.test("npm: what the policy names is asked for packages, and any other origin is a host like all others", async () => {
  const packed = tarball({ "package/index.d.ts": "export declare const a: 1;" });
  const base = "http://10.0.0.9:4873/npm/";
  const { fetch, asked } = registryOf({
    [`${base}lib/latest`]: { version: "1.0.0", dist: { tarball: `${base}lib/-/lib-1.0.0.tgz` } },
    [`${base}lib/-/lib-1.0.0.tgz`]: packed,
  });
  const memory = createMemory({ fetch, web: { registries: { npm: base } } });
  const found = await call(tool, { library: "lib", ecosystem: "npm" }, memory);
  assertEquals(found.total_symbols, 1);
  assertEquals(asked.map(({ provider }) => provider), [true, true]);
  const elsewhere = registryOf({
    [`${base}lib/latest`]: { version: "1.0.0", dist: { tarball: "http://169.254.169.254/x.tgz" } },
  });
  await call(
    tool,
    { library: "lib", ecosystem: "npm" },
    createMemory({
      fetch: elsewhere.fetch,
      web: { registries: { npm: base } },
    }),
  );
  assertEquals(elsewhere.asked.map(({ url, provider = false }) => [url, provider]).slice(0, 2), [
    [`${base}lib/latest`, true],
    ["http://169.254.169.254/x.tgz", false],
  ]);
});
