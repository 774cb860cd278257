/** What is built: real sources of packages, as large as projects are that somebody waits for. */

import { type EverydayProject, TWO_COMMITS } from "../everyday/_project.ts";
import { CLICK } from "../everyday/_click.ts";
import { PFLAG } from "../everyday/_pflag.ts";
import { TREE_SITTER } from "../everyday/_treesitter.ts";

const PACKAGES = {
  eslint: "9.39.5",
  express: "5.1.0",
  jest: "30.2.0",
  lodash: "4.17.21",
  rxjs: "7.8.2",
  typescript: "5.9.3",
  webpack: "5.102.1",
  "webpack-cli": "6.0.1",
} as const;

const TSCONFIG = {
  compilerOptions: {
    target: "es2020",
    module: "commonjs",
    moduleResolution: "node10",
    strict: true,
    noImplicitAny: false,
    skipLibCheck: true,
    declaration: true,
    lib: ["es2020", "dom"],
    types: [],
    outDir: "out",
  },
  include: ["src"],
};

/** RxJS's own sources, and 500 packages beside them. */
export const NODE: EverydayProject = {
  name: "builds-node",
  npm: PACKAGES,
  debian: {},
  sources: [["rxjs/src", "src"]],
  files: {
    "package.json": `${
      JSON.stringify({ name: "builds", version: "1.0.0", private: true, dependencies: PACKAGES })
    }\n`,
    "tsconfig.json": `${JSON.stringify(TSCONFIG, null, 2)}\n`,
    "webpack.config.js": `module.exports = {
  mode: "production",
  entry: "./page.js",
  output: { path: __dirname + "/bundle" },
};
`,
    "page.js":
      `const _ = require("lodash");\nconst rxjs = require("rxjs");\nrequire("rxjs/operators");\nconsole.log(_.chunk([1, 2, 3], 2), rxjs.of(1));\n`,
    ".gitignore": "node_modules\nout\nbundle\n.npm-cache\n.env\n",
    "NOTES": "An agent works here.\n",
  },
  history: TWO_COMMITS,
};

/** Many tests that leave files behind, beside those of the everyday project. */
export const PYTHON: EverydayProject = {
  ...CLICK,
  name: "builds-python",
  files: {
    ...CLICK.files,
    "tests/test_many.py": `import click
import pytest
from click.testing import CliRunner

@pytest.mark.parametrize("number", range(600))
def test_copies(tmp_path, number):
    source = tmp_path / "source.txt"
    source.write_text("line\\n" * number)

    @click.command()
    @click.argument("source", type=click.File("r"))
    @click.argument("target", type=click.File("w"))
    def copy(source, target):
        target.write(source.read())

    result = CliRunner().invoke(copy, [str(source), str(tmp_path / "target.txt")])
    assert result.exit_code == 0
    assert (tmp_path / "target.txt").read_text() == source.read_text()
`,
  },
};

export const GO: EverydayProject = { ...PFLAG, name: "builds-go" };

/** Each file of the library is an object of its own, so that two are compiled at a time. */
export const C: EverydayProject = {
  ...TREE_SITTER,
  name: "builds-c",
  files: {
    ...TREE_SITTER.files,
    "Makefile":
      `SOURCES = $(filter-out lib/src/lib.c lib/src/wasm_store.c,$(wildcard lib/src/*.c)) json/parser.c
OBJECTS = $(patsubst %.c,build/%.o,$(SOURCES))

all: build/libparse.a
build/libparse.a: $(OBJECTS)
	ar rcs $@ $^
build/%.o: %.c
	mkdir -p $(dir $@)
	gcc -O2 -std=gnu11 -D_GNU_SOURCE -Ilib/include -Ilib/src -Ijson -c $< -o $@
.PHONY: all
`,
  },
};

/** 20,000 files under version control. */
export const FILES: EverydayProject = {
  name: "builds-files",
  npm: {},
  debian: {},
  sources: [],
  files: { ".gitignore": ".env\n" },
  history: `for folder in $(seq 200); do
  mkdir folder$folder
  for file in $(seq 100); do echo $folder $file > folder$folder/file$file.txt; done
done
git init -q -b main
git add -A
git commit -q -m "Begin"
`,
};
