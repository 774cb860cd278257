import { assert, assertEquals } from "@std/assert";
import { parsePluginCases } from "../../../src/plugins/parse_cases.ts";
import { parseManifest, wrongToolName } from "../../../src/plugins/parse_manifest.ts";
import { reviewManifest } from "../../../src/plugins/review.ts";
import { casesFileOf, manifestFilesOf, scaffold } from "../../../src/plugins/scaffold.ts";
import { templateText } from "../../../src/plugins/template_text.ts";
import { manifest, required } from "./_manifests.ts";

Deno.test("what plugin new writes is right as it stands, and nothing about it is odd", () => {
  const files = scaffold("my_tool");
  assertEquals(Object.keys(files), ["my_tool.yaml", "my_tool.cases.yaml"]);
  const parsed = parseManifest(files["my_tool.yaml"] ?? "", "my_tool.yaml");
  assert("manifest" in parsed, JSON.stringify(parsed));
  assertEquals([parsed.manifest.name, reviewManifest(parsed.manifest)], ["my_tool", []]);
  const cases = parsePluginCases(files["my_tool.cases.yaml"] ?? "", "my_tool.cases.yaml");
  assert("cases" in cases, JSON.stringify(cases));
});

Deno.test("manifests and cases find each other by their names", () => {
  assertEquals(casesFileOf("a/b.yaml"), "a/b.cases.yaml");
  assertEquals(casesFileOf("b.yml"), "b.cases.yaml");
  assertEquals(manifestFilesOf("a/b.cases.yaml"), ["a/b.yaml", "a/b.yml"]);
  assertEquals(manifestFilesOf("b.yaml"), []);
});

Deno.test("names of custom tools", () => {
  for (const name of ["a", "a1", "count_words", "a".repeat(64)]) {
    assertEquals(wrongToolName(name), null);
  }
  for (
    const name of [
      "",
      "A",
      "_a",
      "a_",
      "a__b",
      "1a",
      "a-b",
      "a.b",
      "a b",
      "é",
      "a\n",
      "a".repeat(65),
    ]
  ) {
    assert(wrongToolName(name) !== null, name);
  }
});

Deno.test("reviewManifest() tells what a manifest may not mean", () => {
  const text = { type: "string" };
  const cases: readonly (readonly [Record<string, unknown>, readonly string[]])[] = [
    [{ command: ["wc", "-l"] }, []],
    [{ command: ["rm", "x"] }, ["risk"]],
    [{ command: ["rm", "x"], risk: "dangerous" }, []],
    [{ command: ["python3", "-c", "{-text}"], risk: "dangerous" }, ["command[2]"]],
    [{ command: ["python3", "-c", "x{text}"] }, ["risk"]],
    [{ command: ["./tool"], risk: "dangerous" }, ["command[0]"]],
    [{ command: ["wc", { when: "text", words: ["{-text}"] }] }, ["command[1].words[0]"]],
  ];
  for (const [keys, warned] of cases) {
    const warnings = reviewManifest(manifest({ parameters: required({ text }), ...keys }));
    assertEquals(warnings.map(({ key }) => key), warned, JSON.stringify([keys, warnings]));
  }
});

Deno.test("templateText() shows a command as people read it", () => {
  const { command } = manifest({
    parameters: {
      properties: {
        files: { type: "array", items: { type: "string" } },
        flag: { type: "boolean" },
        text: { type: "string", default: "" },
      },
    },
    command: [
      "prog",
      { when: "flag", words: ["-f"] },
      { when: "text", is: "x", words: ["--x", "a b"] },
      "--t={text}",
      "{files...}",
    ],
  });
  assertEquals(
    templateText(command),
    'prog [if flag: -f] [if text is x: --x "a b"] --t=<text> <files...>',
  );
});
