/** What completions are drawn from, and that nothing in it can speak to the shell that reads them. */

import { assert, assertEquals } from "@std/assert";
import { toBash } from "../../../../src/cli/completions/bash.ts";
import { toFish } from "../../../../src/cli/completions/fish.ts";
import { usageOf } from "../../../../src/cli/completions/_usage.ts";
import { vocabularyOf } from "../../../../src/cli/completions/_vocabulary.ts";
import { toZsh } from "../../../../src/cli/completions/zsh.ts";
import { COMMANDS } from "../../../../src/cli/commands.ts";
import { FLAGS, valuesOf } from "../../../../src/cli/flags.ts";
import type { ToolDescription } from "../../../../src/core/tool.ts";
import { createRegistry } from "../../../../src/tools/registry.ts";

Deno.test("usage lines say what stands behind a command", () => {
  assertEquals(usageOf("serve"), { actions: [], operand: { kind: "none" } });
  assertEquals(usageOf("call TOOL [KEY=VALUE ...]"), { actions: [], operand: { kind: "call" } });
  assertEquals(usageOf("completions bash|zsh|fish"), {
    actions: [],
    operand: { kind: "words", words: ["bash", "zsh", "fish"] },
  });
  assertEquals(
    usageOf("x [list|show TOOL|search TEXT|explain TOOL KEY=VALUE ...|test [FILE ...]]"),
    {
      actions: [
        { word: "list", operand: { kind: "none" } },
        { word: "show", operand: { kind: "tool" } },
        { word: "search", operand: { kind: "free" } },
        { word: "explain", operand: { kind: "call" } },
        { word: "test", operand: { kind: "file" } },
      ],
      operand: { kind: "none" },
    },
  );
});

Deno.test("each command's usage begins with its name and names its actions in words", () => {
  for (const [name, { usage }] of Object.entries(COMMANDS)) {
    assertEquals(usage.split(" ")[0], name);
    for (const { word } of usageOf(usage).actions) {
      assert(/^[a-z]+$/.test(word), `${name}: ${word}`);
    }
  }
});

Deno.test("values of flags are known where they are a list", () => {
  const known = Object.fromEntries(FLAGS.map((flag) => [flag.name, valuesOf(flag)]));
  assertEquals(known["format"], ["json", "text"]);
  assertEquals(known["sandbox"], ["auto", "required", "off"]);
  assert(known["for"]?.includes("anthropic") && known["for"].includes("man"));
  assertEquals([known["policy"], known["quiet"], known["json"]], [null, null, null]);
});

Deno.test("every argument that is a path is completed by files", async () => {
  const { tools } = vocabularyOf(await createRegistry().catalogue.all(), COMMANDS);
  for (const tool of tools) {
    for (const { word, values } of tool.arguments) {
      if (["path", "src", "dst", "cwd"].includes(word)) {
        assertEquals(values.kind, "file", `${tool.word} ${word}`);
      }
    }
  }
});

const HOSTILE: ToolDescription = {
  name: "probe",
  aliases: ["p.q", "$(touch pwned)"],
  category: "util",
  description:
    "$(touch pwned) `touch pwned` '; touch pwned; ' \\'; touch pwned; \n touch pwned \x1b[2J. More.",
  risk: "safe",
  changes: false,
  permission: null,
  input: {
    type: "object",
    properties: {
      "ok": {
        type: "string",
        enum: ["fine", "$(touch pwned)", "`touch pwned`", "a b", "'", "*", "~", "a:b", ""],
        description: "') touch pwned ('",
      },
      "$(touch pwned)": { type: "string" },
      "a'b": { type: "boolean" },
    },
  },
  output: { type: "object" },
  examples: [],
};

Deno.test("whatever a custom tool is called and says, the scripts only complete", async () => {
  const vocabulary = vocabularyOf([HOSTILE, { ...HOSTILE, name: "x;touch pwned" }], COMMANDS);
  assertEquals(vocabulary.tools.map(({ word, aliases }) => [word, ...aliases]), [["probe", "p.q"]]);
  const [tool] = vocabulary.tools;
  assertEquals(tool?.arguments.map(({ word, values }) => [word, values]), [
    ["ok", { kind: "words", words: ["fine", "a b"] }],
  ]);
  const folder = Deno.makeTempDirSync({ prefix: "toolgate-test-" });
  try {
    const ask = (script: string, lookup: string) =>
      `complete() { :; }\n${script}\n${lookup} tools; ${lookup} 'arguments probe'; ${lookup} 'value probe ok'`;
    const { success, stderr } = await new Deno.Command("bash", {
      args: ["-u", "-c", ask(toBash(vocabulary), "_toolgate_lookup")],
      cwd: folder,
    }).output();
    assert(success, new TextDecoder().decode(stderr));
    assertEquals([...Deno.readDirSync(folder)], []);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
  // In the other two every text stands in single quotes, in which nothing is read.
  for (const line of [...toZsh(vocabulary).split("\n"), ...toFish(vocabulary).split("\n")]) {
    if (!line.includes("touch pwned")) continue;
    const unquoted = line.replaceAll(/'(?:[^'\\]|\\.)*'|\\'/g, "");
    assert(!unquoted.includes("touch"), line);
    assert(!line.includes("\x1b"));
  }
});
