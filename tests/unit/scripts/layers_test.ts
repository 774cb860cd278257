import { assertEquals, assertStringIncludes } from "@std/assert";
import { type Import, layerOf, mayTouch, refusal } from "../../../scripts/_layers.ts";

const ORDER = ["core", "policy", "sandbox", "host", "engine", "cli"];

for (const [at, from] of ORDER.entries()) {
  for (const [below, to] of ORDER.entries()) {
    const allowed = below <= at;
    Deno.test(`refusal(): ${from} ${allowed ? "may" : "must not"} import ${to}`, () => {
      const reason = refusal({ from: `src/${from}/a.ts`, to: `src/${to}/b.ts`, dynamic: false });
      assertEquals(reason === null, allowed);
    });
  }
}

const allowed: [string, string, boolean?][] = [
  ["main.ts", "src/cli/run.ts"],
  ["scripts/build.ts", "src/policy/parse/parse.ts"],
  ["src/core/a.ts", "npm:acorn@8.15.0"],
  ["src/core/a.ts", "src/std/path.ts"],
  ["src/core/sha256.ts", "node:crypto"],
  ["src/host/a.ts", "node:fs"],
  ["src/tools/fs/read_file.ts", "src/core/tool.ts"],
  ["src/tools/fs/read_file.ts", "src/syntax/json.ts"],
  ["src/tools/exec/run_command.ts", "src/shell/parse.ts"],
  ["src/tools/fs/read_file.ts", "src/tools/fs/_encoding.ts"],
  ["src/tools/registry.ts", "src/tools/fs/read_file.ts", true],
  ["src/tools/registry.ts", "src/tools/_search.ts"],
  ["src/engine/pool/worker.ts", "src/tools/registry.ts"],
  ["src/plugins/a.ts", "src/config/field.ts"],
  ["src/engine/a.ts", "src/plugins/b.ts"],
  ["src/policy/parse/parse.ts", "src/policy/parse/_document.ts"],
  ["src/policy/parse/a.ts", "src/policy/parse/_b.ts"],
  ["tests/unit/core/a_test.ts", "src/core/_wording.ts"],
];

for (const [from, to, dynamic = false] of allowed) {
  Deno.test(`refusal(): ${from} may import ${to}`, () => {
    assertEquals(refusal({ from, to, dynamic }), null);
  });
}

const refused: [Import["from"], Import["to"], boolean, string][] = [
  [
    "src/policy/a.ts",
    "src/shell/b.ts",
    false,
    "policy may import itself, core, config, programs only, not shell",
  ],
  ["src/audit/a.ts", "src/policy/b.ts", false, "audit may import itself, core only, not policy"],
  ["src/tools/fs/a.ts", "src/host/b.ts", false, "not host"],
  ["src/tools/fs/a.ts", "src/policy/b.ts", false, "not policy"],
  ["src/tools/registry.ts", "src/engine/b.ts", false, "not engine"],
  ["src/sandbox/a.ts", "src/tools/registry.ts", false, "not tools"],
  ["src/plugins/a.ts", "src/tools/registry.ts", false, "not tools"],
  ["src/plugins/a.ts", "src/host/b.ts", false, "not host"],
  ["src/policy/a.ts", "src/plugins/b.ts", false, "not plugins"],
  ["src/plugins/a.ts", "node:fs", false, "touches the machine"],
  ["src/tools/fs/a.ts", "src/tools/exec/b.ts", false, "its own category only"],
  ["src/tools/fs/a.ts", "src/tools/exec/b.ts", true, "its own category only"],
  ["src/tools/fs/a.ts", "src/tools/registry.ts", false, "what they need is handed to them"],
  ["src/tools/registry.ts", "src/tools/fs/read_file.ts", false, "lazily, with import()"],
  ["src/engine/a.ts", "src/tools/fs/read_file.ts", true, "imported by src/tools/registry.ts"],
  ["src/cli/a.ts", "src/tools/fs/read_file.ts", false, "imported by src/tools/registry.ts"],
  ["src/core/a.ts", "node:fs", false, "node:fs touches the machine"],
  ["src/core/a.ts", "node:child_process", true, "touches the machine"],
  ["src/audit/record.ts", "node:fs/promises", false, "touches the machine"],
  ["src/tools/fs/a.ts", "node:net", false, "touches the machine"],
  ["src/toolkit/a.ts", "src/tools/fs/b.ts", false, "not tools"],
  ["src/toolkit/a.ts", "src/policy/b.ts", false, "not policy"],
  ["src/config/a.ts", "src/policy/b.ts", false, "not policy"],
  ["src/programs/a.ts", "src/policy/b.ts", false, "not policy"],
  ["src/serve/a.ts", "src/cli/b.ts", false, "not cli"],
  ["src/engine/a.ts", "src/serve/b.ts", false, "not serve"],
  ["src/core/a.ts", "main.ts", false, "nothing from outside"],
  ["src/core/a.ts", "scripts/build.ts", false, "nothing from outside"],
  ["src/core/a.ts", "tests/unit/a.ts", false, "nothing from outside"],
  ["src/utils/a.ts", "src/core/b.ts", false, "utils is no layer"],
  ["src/cli/a.ts", "src/policy/_b.ts", false, "private to src/policy/"],
  ["src/policy/a.ts", "src/policy/parse/_b.ts", false, "private to src/policy/parse/"],
  ["src/tools/exec/a.ts", "src/tools/fs/_encoding.ts", false, "private to src/tools/fs/"],
];

for (const [from, to, dynamic, reason] of refused) {
  Deno.test(`refusal(): ${from} must not ${dynamic ? "import()" : "import"} ${to}`, () => {
    assertStringIncludes(refusal({ from, to, dynamic }) ?? "allowed", reason);
  });
}

Deno.test("layerOf() knows the layers of src/ alone", () => {
  assertEquals(layerOf("src/core/errors.ts"), "core");
  assertEquals(layerOf("src/tools/fs/read_file.ts"), "tools");
  for (
    const path of ["main.ts", "scripts/build.ts", "tests/unit/src/core/a.ts", "src/std/path.ts"]
  ) {
    assertEquals(layerOf(path), null);
  }
});

Deno.test("mayTouch() is for the layers that do, and no other", () => {
  for (const path of ["main.ts", "src/host/a.ts", "src/sandbox/a.ts", "src/serve/a.ts"]) {
    assertEquals(mayTouch(path), true, path);
  }
  for (
    const path of ["src/core/a.ts", "src/tools/fs/a.ts", "src/audit/log.ts", "src/policy/log.ts"]
  ) {
    assertEquals(mayTouch(path), false, path);
  }
});
