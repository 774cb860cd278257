import { assertEquals, assertThrows } from "@std/assert";
import { ToolError } from "../../../../../src/core/errors.ts";
import tool from "../../../../../src/tools/web/fetch_api_docs.ts";
import { createMemory, surveyed } from "../../_memory_context.ts";

const npmLock = (...names: readonly (readonly [string, string])[]) =>
  JSON.stringify({
    packages: Object.fromEntries(
      names.map(([path, version]) => [`node_modules/${path}`, { version }]),
    ),
  });

type Files = Readonly<Record<string, string>>;

const ARGS = { offset: 0, limit: 1, timeout: 1 };

/** Files of a project, the library that is asked for, and what is found: ecosystem, version, file. */
const PROJECTS: readonly (readonly [string, Files, string, readonly (string | null)[]])[] = [
  [
    "package-lock.json",
    {
      "package-lock.json": npmLock(["zod", "3.22.4"], ["a/node_modules/zod", "1.0.0"]),
    },
    "zod",
    ["npm", "3.22.4", "package-lock.json"],
  ],
  ["a module of a package", { "package-lock.json": npmLock(["@s/x", "2.0.0"]) }, "@s/x/sub", [
    "npm",
    "2.0.0",
    "package-lock.json",
  ]],
  [
    "pnpm, the project's own of several",
    {
      "pnpm-lock.yaml":
        "lockfileVersion: '9.0'\n\nimporters:\n\n  .:\n    dependencies:\n      chalk:\n        specifier: ^5\n        version: 5.3.0(x@1)\n\npackages:\n\n  chalk@5.3.0:\n    resolution: {}\n\n  chalk@2.4.2:\n    resolution: {}\n",
    },
    "chalk",
    ["npm", "5.3.0", "pnpm-lock.yaml"],
  ],
  [
    "yarn, the project's own of several",
    {
      "package.json": '{"dependencies":{"chalk":"^5.0.0"}}',
      "yarn.lock":
        '# yarn lockfile v1\n\nchalk@^4.0.0, chalk@^5.0.0:\n  version "5.3.0"\n\n"chalk@^2.0.0":\n  version "2.4.2"\n',
    },
    "chalk",
    ["npm", "5.3.0", "yarn.lock"],
  ],
  [
    "yarn of now",
    {
      "package.json": '{"devDependencies":{"@s/x":"^1.0.0"}}',
      "yarn.lock": '"@s/x@npm:^1.0.0":\n  version: 1.4.0\n\n"@s/x@npm:^0.1.0":\n  version: 0.1.2\n',
    },
    "@s/x",
    ["npm", "1.4.0", "yarn.lock"],
  ],
  [
    "deno.lock",
    {
      "deno.lock":
        '{"version":"5","specifiers":{"npm:zod@3":"3.22.4"},"npm":{"zod@3.22.4":{},"zod@4.0.0":{}}}',
    },
    "zod",
    ["npm", "3.22.4", "deno.lock"],
  ],
  [
    "deno.lock of before",
    {
      "deno.lock":
        '{"version":"3","packages":{"specifiers":{"npm:zod@3":"npm:zod@3.22.4"},"npm":{"zod@3.22.4":{},"zod@4.0.0":{}}}}',
    },
    "zod",
    ["npm", "3.22.4", "deno.lock"],
  ],
  [
    "poetry.lock",
    { "poetry.lock": '[[package]]\nname = "Some-Lib"\nversion = "1.2"\n' },
    "some_lib",
    [
      "pypi",
      "1.2",
      "poetry.lock",
    ],
  ],
  ["uv.lock", { "uv.lock": '[[package]]\nname = "requests"\nversion = "2.31.0"\n' }, "requests", [
    "pypi",
    "2.31.0",
    "uv.lock",
  ]],
  ["requirements.txt", { "requirements.txt": "a==1\nrequests[socks]==2.31.0 ; x\n" }, "requests", [
    "pypi",
    "2.31.0",
    "requirements.txt",
  ]],
  ["a range is no version", { "requirements.txt": "requests>=2\n" }, "requests", [
    "pypi",
    null,
    "",
  ]],
  [
    "Cargo.lock, the project's own of several",
    {
      "Cargo.lock":
        '[[package]]\nname = "me"\nversion = "0.1.0"\ndependencies = [\n "rand 0.8.5",\n]\n\n[[package]]\nname = "rand"\nversion = "0.8.5"\nsource = "r"\n\n[[package]]\nname = "rand"\nversion = "0.9.0"\nsource = "r"\n',
    },
    "rand",
    ["crates", "0.8.5", "Cargo.lock"],
  ],
  [
    "go.mod",
    { "go.mod": "module m\nrequire golang.org/x/text v0.3.0\n" },
    "golang.org/x/text/cases",
    [
      "go",
      "v0.3.0",
      "go.mod",
    ],
  ],
  [
    "go.sum",
    {
      "go.mod": "module m\n",
      "go.sum": "golang.org/x/text v0.3.0 h1:a=\ngolang.org/x/text v0.3.0/go.mod h1:b=\n",
    },
    "golang.org/x/text",
    ["go", "v0.3.0", "go.sum"],
  ],
  ["a path of Go without files", {}, "github.com/a/b", ["go", null, ""]],
  ["a scope without files", {}, "@s/x", ["npm", null, ""]],
  [
    "who locks it before who is there",
    {
      "package.json": "{}",
      "Cargo.lock": '[[package]]\nname = "rand"\nversion = "0.8.5"\nsource = "r"\n',
    },
    "rand",
    ["crates", "0.8.5", "Cargo.lock"],
  ],
  [
    "who names it before who is there",
    {
      "package.json": '{"dependencies":{"attrs":"1"}}',
      "pyproject.toml": "[project]\n",
    },
    "attrs",
    ["npm", null, ""],
  ],
  ["the only one", { "pyproject.toml": "[project]\n" }, "attrs", ["pypi", null, ""]],
  ["broken files", { "package-lock.json": "{", "uv.lock": "[[", "package.json": '"zod"' }, "zod", [
    "npm",
    null,
    "",
  ]],
  [
    "a file that may not be read",
    { "package-lock.json": "<denied>", "package.json": "{}" },
    "zod",
    [
      "npm",
      null,
      "",
    ],
  ],
];

Deno.test("a library's ecosystem and version come from the project's files", () => {
  for (const [name, files, library, expected] of PROJECTS) {
    const memory = createMemory({ files: files as Record<string, never> });
    const [way] = surveyed(tool, { ...ARGS, library }, memory) as unknown as [
      { found: { ecosystem: string; version: string | null; file: string } },
    ];
    assertEquals([way.found.ecosystem, way.found.version, way.found.file], expected, name);
  }
});

Deno.test("what could be anybody's is asked back, and what is no name refused", () => {
  for (const files of [{}, { "package.json": "{}", "Cargo.toml": "" }]) {
    const error = assertThrows(
      () => surveyed(tool, { ...ARGS, library: "requests" }, createMemory({ files })),
      ToolError,
    );
    assertEquals(error.code, "INVALID_ARGUMENTS");
  }
  for (const library of ["../x", "a b", "/etc/passwd", "@x", "x/../../y", "http://x/y", "a\0b"]) {
    const error = assertThrows(() => tool.check?.({ library } as never), ToolError);
    assertEquals(error.code, "INVALID_ARGUMENTS", library);
  }
  assertThrows(() => tool.check?.({ library: "@s/x", ecosystem: "pypi" } as never), ToolError);
});
