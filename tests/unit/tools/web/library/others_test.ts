import { assertEquals } from "@std/assert";
import { gzipSync } from "node:zlib";
import { ToolError } from "../../../../../src/core/errors.ts";
import tool from "../../../../../src/tools/web/fetch_api_docs.ts";
import { failure } from "../../_failure.ts";
import { call, createMemory } from "../../_memory_context.ts";
import { type Answers, type Files, REGISTRIES, registryOf, tarball, zip } from "./_packages.ts";

interface Docs {
  readonly [key: string]: unknown;
  readonly symbols: readonly Record<"name" | "kind" | "signature" | "summary", string>[];
  readonly notes: readonly string[];
}

async function docs(args: Record<string, unknown>, answers: Answers): Promise<Docs> {
  const { fetch } = registryOf(answers);
  return await call(
    tool,
    { limit: 1000, ...args },
    createMemory({ fetch, web: REGISTRIES }),
  ) as unknown as Docs;
}

/** As kind, name, signature and summary. */
const shown = ({ symbols }: Docs) =>
  symbols.map(({ kind, name, signature, summary }) => [kind, name, signature, summary].join(" | "));

const PYPI = "https://pypi.example.org/pypi/lib";

async function python(files: Files, kind: "wheel" | "sdist" = "wheel") {
  const bytes = kind === "wheel" ? zip(files) : tarball(files);
  const hash = await crypto.subtle.digest("SHA-256", bytes.slice());
  return {
    [`${PYPI}/json`]: {
      info: {
        version: "1.2",
        summary: "does\nit",
        project_urls: {
          Documentation: "https://lib.example/docs",
          "Source Code": "https://github.com/a/lib",
        },
      },
      releases: { "1.2": [{}], "1.1.1": [{}], "0.9": [] },
      urls: [{
        packagetype: kind === "wheel" ? "bdist_wheel" : "sdist",
        filename: kind === "wheel" ? "lib-1.2-py3-none-any.whl" : "lib-1.2.tar.gz",
        url: "https://files.example.org/lib",
        digests: { sha256: new Uint8Array(hash).toHex() },
        size: bytes.length,
      }],
    },
    "https://files.example.org/lib": bytes,
  };
}

const PACKAGE = {
  "lib/__init__.py":
    'from .api import (\n    get,  # all of it\n    Client as C,\n)\nfrom ._inner import *\nfrom . import api\nimport os\n\ndef own(a, b=1):\n    """Own it.\n\n    :param a: x"""\n    def within(): pass\n\ndef _hidden(): pass\n',
  "lib/api.py":
    'def get(url: str) -> bytes:\n    """Gets it."""\n\nclass Client:\n    """A client."""\n    def send(self, x): ...\n    def _secret(self): ...\nother = 1\n',
  "lib/_inner.py": '__all__ = ["shown"]\ndef shown(): pass\ndef kept(): pass\n',
  "lib/tests/test_a.py": "def test_a(): pass\n",
  "lib-1.2.dist-info/METADATA": "x",
};
const EXPECTED = [
  "function | lib.get | def get(url: str) -> bytes | Gets it.",
  "class | lib.C | class Client | A client.",
  "method | lib.C.send | def send(self, x) | ",
  "function | lib.shown | def shown() | ",
  "function | lib.own | def own(a, b=1) | Own it.",
  "variable | lib.api.other | other = 1 | ",
];

Deno.test("PyPI: what modules declare, and what a package hands on", async () => {
  const args = { library: "lib", ecosystem: "pypi" };
  const found = await docs(args, await python(PACKAGE));
  assertEquals(shown(found), EXPECTED);
  assertEquals(
    [found.version, found.summary, found.source, found.documentation_url, found.repository],
    ["1.2", "does it", "docstrings", "https://lib.example/docs", "https://github.com/a/lib"],
  );
  const below = (folder: string) =>
    Object.fromEntries(Object.entries(PACKAGE).map(([path, text]) => [folder + path, text]));
  for (const folder of ["lib-1.2/", "lib-1.2/src/"]) {
    const sdist = {
      ...below(folder),
      "lib-1.2/setup.py": "def no(): pass",
      "lib-1.2/docs/x.py": "y = 1",
    };
    assertEquals(shown(await docs(args, await python(sdist, "sdist"))), EXPECTED, folder);
  }
  const stubs = await docs(
    args,
    await python({
      "lib/__init__.py": 'def f(a):\n    """Does f."""\n',
      "lib/__init__.pyi": "def f(a: int) -> str: ...\n",
    }),
  );
  assertEquals([shown(stubs), stubs.source], [
    ["function | lib.f | def f(a: int) -> str | Does f."],
    "stubs",
  ]);
  const listed = await docs(
    args,
    await python({ "lib/__init__.py": '__all__ = ["a"]\na = 1\nb = 2\n' }),
  );
  assertEquals(shown(listed), ["variable | lib.a | a = 1 | "]);
});

Deno.test("PyPI: without the host of its files what describes the project is told alone", async () => {
  const denied = new ToolError("NETWORK_DENIED", "no rule names files.example.org");
  const answers = { ...await python(PACKAGE), "https://files.example.org/lib": denied };
  const found = await docs({ library: "lib", ecosystem: "pypi" }, answers);
  assertEquals([found.source, found.summary, found.symbols], ["metadata", "does it", []]);
  assertEquals(found.notes[0]?.includes("files.example.org"), true);
  const older = {
    ...await python(PACKAGE),
    [`${PYPI}/1.1.1/json`]: { info: { version: "1.1.1" }, urls: [] },
  };
  const near = await docs({ library: "lib", ecosystem: "pypi", version: "1.1" }, older);
  assertEquals([near.version, near.is_requested], ["1.1.1", true]);
});

const PROXY = "https://go.example.org";
const GO_FILES = {
  "example.org/!b/m@v1.2.3/x/x.go": "",
  "example.org/B/m@v1.2.3/x/doc.go":
    "// Copyright\n\n// Package x does it.\n// All of it.\npackage x\n",
  "example.org/B/m@v1.2.3/x/x.go":
    "package x\n\n// New makes one.\nfunc New(a int) (*T, error) { return nil, nil }\nfunc hidden() {}\n" +
    "// T is it.\ntype T struct {\n\tA int // the a\n\tb int\n}\n// Do does.\nfunc (t *T) Do(x string) error { return nil }\n" +
    "func (t *u) Lost() {}\ntype I interface { Go() }\nconst Limit = 3\nvar Err = 1\n",
  "example.org/B/m@v1.2.3/x/x_test.go": "package x\nfunc TestX() {}\n",
  "example.org/B/m@v1.2.3/other/o.go": "package other\nfunc Other() {}\n",
};

Deno.test("Go: what a package exports, of the module that has it", async () => {
  const at = `${PROXY}/example.org/!b/m`;
  const answers = {
    [`${at}/@latest`]: { Version: "v1.2.3" },
    [`${at}/@v/v1.2.3.info`]: { Version: "v1.2.3" },
    [`${at}/@v/list`]: "v1.2.3\nv1.1.0\n",
    [`${at}/@v/v1.2.3.zip`]: zip(GO_FILES),
  };
  const found = await docs({ library: "example.org/B/m/x", ecosystem: "go" }, answers);
  assertEquals(
    shown(found),
    [
      "function | New | func New(a int) (*T, error) | New makes one.",
      "struct | T | type T struct | T is it.",
      "property | T.A | A int | ",
      "method | T.Do | func (t *T) Do(x string) error | Do does.",
      "interface | I | type I interface | ",
      "method | I.Go | Go() | ",
      "constant | Limit | const Limit = 3 | ",
      "variable | Err | var Err = 1 | ",
    ].map((line) =>
      line.replace("type T struct |", `${found.symbols[1]?.signature} |`)
        .replace("type I interface |", `${found.symbols[4]?.signature} |`)
        .replace("const Limit = 3 |", `${found.symbols[6]?.signature} |`)
        .replace("var Err = 1 |", `${found.symbols[7]?.signature} |`)
    ),
  );
  assertEquals([found.summary, found.version, found.documentation_url], [
    "Package x does it. All of it.",
    "v1.2.3",
    "https://pkg.go.dev/example.org/B/m@v1.2.3/x",
  ]);
  const files = {
    "go.mod":
      "module a\n\nrequire (\n\texample.org/B v0.1.0\n\texample.org/B/m v1.2.3 // indirect\n)\n",
  };
  const { fetch, urls } = registryOf(answers);
  const locked = await call(
    tool,
    { library: "example.org/B/m/x" },
    createMemory({ fetch, files, web: REGISTRIES }),
  );
  assertEquals([locked.requested_by, locked.requested_version, locked.is_requested], [
    "go.mod",
    "v1.2.3",
    true,
  ]);
  assertEquals(urls(), [`${at}/@v/v1.2.3.info`, `${at}/@v/v1.2.3.zip`]);
  const none = await docs({ library: "example.org/B/m/none", ecosystem: "go" }, answers);
  assertEquals([none.source, none.notes], ["metadata", [
    "example.org/B/m v1.2.3 has no package example.org/B/m/none",
  ]]);
});

const item = (id: number, name: string | null, inner: unknown, more = {}) => ({
  [id]: { id, name, inner, visibility: "public", docs: null, deprecation: null, ...more },
});
const generic = { params: [], where_predicates: [] };
const header = { is_const: false, is_unsafe: false, is_async: false };
/** As rustdoc 1.95 writes it (format 57), shortened. */
const RUSTDOC = {
  root: 0,
  crate_version: "1.2.3",
  format_version: 57,
  index: {
    ...item(0, "lib", { module: { is_crate: true, items: [1, 2, 6, 7, 9] } }, {
      docs: "Does it.\n\nMore.",
    }),
    ...item(1, "make", {
      function: {
        sig: {
          inputs: [
            ["a", { borrowed_ref: { lifetime: "'a", is_mutable: true, type: { generic: "T" } } }],
            ["b", {
              resolved_path: {
                path: "Vec",
                args: {
                  angle_bracketed: { args: [{ type: { primitive: "u8" } }], constraints: [] },
                },
              },
            }],
          ],
          output: {
            tuple: [{ slice: { primitive: "u8" } }, {
              array: { type: { generic: "T" }, len: "4" },
            }],
          },
        },
        generics: {
          params: [
            { name: "'a", kind: { lifetime: { outlives: [] } } },
            {
              name: "T",
              kind: {
                type: {
                  bounds: [{
                    trait_bound: { trait: { path: "Clone", args: null }, modifier: "none" },
                  }],
                },
              },
            },
          ],
          where_predicates: [],
        },
        header: { ...header, is_async: true },
      },
    }, { docs: "Makes it." }),
    ...item(2, "Pair", {
      struct: { kind: { plain: { fields: [3, 4] } }, generics: generic, impls: [5] },
    }, {
      deprecation: { since: "1" },
    }),
    ...item(3, "left", { struct_field: { primitive: "u8" } }),
    ...item(4, "right", { struct_field: { primitive: "u8" } }, { visibility: "default" }),
    ...item(5, null, { impl: { trait: null, items: [10, 11] } }),
    ...item(6, "private", { module: { items: [12] } }, { visibility: "crate" }),
    ...item(7, null, { use: { source: "private::Shown", name: "Known", id: 12, is_glob: false } }),
    ...item(9, null, { use: { source: "std::io", name: "io", id: 99, is_glob: false } }),
    ...item(10, "get", {
      function: {
        sig: {
          inputs: [["self", {
            borrowed_ref: { lifetime: null, is_mutable: false, type: { generic: "Self" } },
          }]],
          output: null,
        },
        generics: generic,
        header,
      },
    }),
    ...item(11, "hidden", {
      function: { sig: { inputs: [], output: null }, generics: generic, header },
    }, { visibility: "default" }),
    ...item(12, "Shown", { enum: { generics: generic, variants: [13, 14], impls: [] } }),
    ...item(13, "A", { variant: { kind: "plain" } }, { visibility: "default" }),
    ...item(14, "B", { variant: { kind: { tuple: [3] } } }, { visibility: "default" }),
  },
};

Deno.test("crates: the interface by rustdoc, else what the source declares", async () => {
  const rustdoc = new Uint8Array(gzipSync(JSON.stringify(RUSTDOC)));
  const about = {
    crate: {
      description: "d",
      repository: "https://github.com/a/lib",
      max_stable_version: "1.2.3",
    },
  };
  const answers = {
    "https://crates.example.org/crate/lib/latest/json.gz": rustdoc,
    "https://crates.example.org/api/v1/crates/lib": about,
  };
  const found = await docs({ library: "lib", ecosystem: "crates" }, answers);
  assertEquals(shown(found), [
    "function | lib::make | async fn make<'a, T: Clone>(a: &'a mut T, b: Vec<u8>) -> ([u8], [T; 4]) | Makes it.",
    "struct | lib::Pair | struct Pair | Deprecated.",
    "field | lib::Pair::left | left: u8 | ",
    "method | lib::Pair::get | fn get(&self) | ",
    "enum | lib::Known | enum Known | ",
    "variant | lib::Known::A | A | ",
    "variant | lib::Known::B | B(u8) | ",
    "re-export | lib::io | pub use std::io | ",
  ]);
  assertEquals([found.version, found.summary, found.repository, found.source], [
    "1.2.3",
    "d",
    "https://github.com/a/lib",
    "rustdoc",
  ]);
  const denied = new ToolError("NETWORK_DENIED", "a rule denies it");
  const alone = await docs({ library: "lib", ecosystem: "crates" }, {
    ...answers,
    "https://crates.example.org/api/v1/crates/lib": denied,
  });
  assertEquals([alone.summary, alone.symbols.length, alone.notes.length], ["Does it.", 8, 1]);

  const files = {
    "Cargo.lock": 'version = 4\n\n[[package]]\nname = "lib"\nversion = "0.9.0"\nsource = "x"\n',
  };
  const { fetch } = registryOf({
    "https://crates.example.org/api/v1/crates/lib": about,
    "https://crates.example.org/api/v1/crates/lib/0.9.0": { version: {} },
    "https://crates.example.org/api/v1/crates/lib/0.9.0/download": tarball({
      "lib-0.9.0/src/lib.rs": "/// Old one.\npub fn old(a: u8) -> u8 { a }\nfn hidden() {}\n",
      "lib-0.9.0/src/sub/mod.rs": "pub struct S { pub a: u8 }\nimpl S { pub fn m(&self) {} }\n",
      "lib-0.9.0/tests/t.rs": "pub fn test() {}\n",
    }),
  });
  const old = await call(
    tool,
    { library: "lib" },
    createMemory({ fetch, files, web: REGISTRIES }),
  ) as unknown as Docs;
  assertEquals(shown(old).map((line) => line.split(" | ").slice(0, 2).join(" ")), [
    "function lib::old",
    "struct lib::sub::S",
    "property lib::sub::S::a",
    "method lib::sub::S::m",
  ]);
  assertEquals([old.version, old.is_requested, old.source], ["0.9.0", true, "source"]);
});

Deno.test("an answer that says nothing of a library does not count as one, nor as there being none", async () => {
  const places = {
    npm: ["https://npm.example.org/lib/latest"],
    pypi: [`${PYPI}/json`],
    crates: [
      "https://crates.example.org/api/v1/crates/lib",
      "https://crates.example.org/crate/lib/latest/json.gz",
    ],
    go: ["https://go.example.org/example.org/lib/@latest"],
  };
  for (const [ecosystem, urls] of Object.entries(places)) {
    const library = ecosystem === "go" ? "example.org/lib" : "lib";
    const bodies = [{}, { version: 5, info: [], crate: 7, Version: [] }, "<html>log in</html>"];
    for (const body of bodies) {
      const answers = Object.fromEntries(urls.map((url) => [url, body]));
      const error = await failure(() => docs({ library, ecosystem }, answers));
      assertEquals([error.code, error.message, error.details], [
        "HTTP_ERROR",
        `${ecosystem}.example.org: its answer is not the JSON that it should be`,
        { status: 200 },
      ]);
    }
  }
});

Deno.test("a package whose address is none is one that is not there, and no wrong argument", async () => {
  for (
    const url of ["file:///etc/passwd", "http://[", "https://a:b@example.org/x", "data:,x", ""]
  ) {
    const answers = {
      "https://npm.example.org/lib/latest": { version: "1.0.0", dist: { tarball: url } },
      ...await python(PACKAGE),
    };
    const project = answers[`${PYPI}/json`] as { readonly urls: readonly object[] };
    const pypi = { ...project, urls: project.urls.map((one) => ({ ...one, url })) };
    for (const ecosystem of url === "" ? ["npm"] : ["npm", "pypi"]) {
      const found = await docs({ library: "lib", ecosystem }, {
        ...answers,
        [`${PYPI}/json`]: pypi,
      });
      assertEquals([found.source, found.notes[0]], [
        "metadata",
        "the registry does not say where its package is",
      ]);
    }
  }
});
