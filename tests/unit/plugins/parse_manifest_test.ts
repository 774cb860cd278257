import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { PluginManifest } from "../../../src/plugins/manifest.ts";
import { parseManifest } from "../../../src/plugins/parse_manifest.ts";
import { Random } from "../../random.ts";
import { manifest, manifestText } from "./_manifests.ts";

const WHOLE = `version: 1
name: find_text
description: |
  Finds a text in files.
  Answers each line.
category: analysis
risk: moderate
permission: file_read
parameters:
  type: object
  properties:
    text: { type: string, minLength: 1, maxLength: 100, description: What is sought. }
    files: { type: array, items: { type: string }, minItems: 1, maxItems: 9 }
    mode: { enum: [plain, words], default: plain }
    most: { type: integer, minimum: 1, maximum: 50 }
    nested: { type: object, properties: { a: { oneOf: [{ type: string }, { type: integer }] } } }
  required: [text]
command:
  - grep
  - { when: mode, is: words, words: [-w] }
  - { when: most, words: [-m, "{most}"] }
  - "--regexp={text}"
  - "{{literal}}"
  - --
  - "{files...}"
cwd: "sub/{text}"
stdin: "{*}"
env: [LANG, LC_ALL]
timeout: 5s
output: { format: json, schema: { type: array, items: { type: string } } }
success: [0, 1]
examples:
  - { note: a text, args: { text: x, files: [a.txt] } }
`;

Deno.test("parseManifest() reads the whole language", () => {
  const parsed = parseManifest(WHOLE, "find_text.yaml");
  const slot = (parameter: string, each = false) => ({ parameter, each, dash: false });
  const expected: PluginManifest = {
    version: 1,
    name: "find_text",
    description: "Finds a text in files.\nAnswers each line.\n",
    category: "analysis",
    risk: "moderate",
    permission: "file_read",
    parameters: {
      type: "object",
      properties: {
        text: { type: "string", minLength: 1, maxLength: 100, description: "What is sought." },
        files: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 9 },
        mode: { enum: ["plain", "words"], default: "plain" },
        most: { type: "integer", minimum: 1, maximum: 50 },
        nested: {
          type: "object",
          properties: { a: { oneOf: [{ type: "string" }, { type: "integer" }] } },
        },
      },
      required: ["text"],
    },
    command: [
      ["grep"],
      { when: "mode", is: "words", words: [["-w"]] },
      { when: "most", words: [["-m"], [slot("most")]] },
      ["--regexp=", slot("text")],
      ["{literal}"],
      ["--"],
      [slot("files", true)],
    ],
    cwd: ["sub/", slot("text")],
    stdin: { all: true },
    env: ["LANG", "LC_ALL"],
    timeoutMs: 5_000,
    output: { format: "json", schema: { type: "array", items: { type: "string" } } },
    success: [0, 1],
    examples: [{ note: "a text", args: { text: "x", files: ["a.txt"] } }],
  };
  assert("manifest" in parsed, JSON.stringify(parsed));
  assertEquals(parsed.manifest, expected);
  // It is plain data: threads are sent it, and binaries carry it.
  assertEquals(structuredClone(parsed.manifest), expected);
  assertEquals(JSON.parse(JSON.stringify(parsed.manifest)), expected);
});

Deno.test("parseManifest() fills in what is left out", () => {
  const { category, permission, parameters, cwd, stdin, env, timeoutMs, output, success } =
    manifest();
  assertEquals(
    { category, permission, parameters, cwd, stdin, env, timeoutMs, output, success },
    {
      category: "custom",
      permission: "code_execution",
      parameters: { type: "object", properties: {}, required: [] },
      cwd: null,
      stdin: null,
      env: [],
      timeoutMs: null,
      output: { format: "text", schema: null },
      success: [0],
    },
  );
});

/** The problems of a manifest with these keys, as `key: message`. */
function problemsOf(keys: Readonly<Record<string, unknown>>): readonly string[] {
  const parsed = parseManifest(manifestText(keys), "test.yaml");
  return "problems" in parsed
    ? parsed.problems.map(({ key, message }) => `${key}: ${message}`)
    : [];
}

const text = { type: "string" };
const withText = (command: unknown) => ({
  parameters: {
    properties: { text, optional: text, list: { type: "array", items: text } },
    required: ["text"],
  },
  command,
});

const REFUSED: readonly (readonly [
  what: string,
  keys: Readonly<Record<string, unknown>>,
  problem: string,
])[] = [
  [
    "an unknown key",
    { comand: ["a"] },
    "comand: is no key that is known here; did you mean command?",
  ],
  [
    "more unknown keys than are slips",
    Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`x${at}`, at])),
    ": has 5 more keys that are not known here",
  ],
  [
    "more than is read of a tool",
    { success: Array(33_000).fill(0) },
    ": is too long: ",
  ],
  ["another version", { version: 2 }, "version: found the number 2; this Toolgate reads 1"],
  ["a name with a dash", { name: "a-b" }, 'name: the text "a-b" is no name of a tool'],
  ["a name with capitals", { name: "Ab" }, "name: "],
  ["a name with a dot", { name: "custom.a" }, "name: "],
  ["a name in two lines", { name: "a\nb" }, "name: "],
  ["a name that objects have", { name: "constructor" }, "name: "],
  ["a long name", { name: "a".repeat(65) }, "name: "],
  ["a name of another script", { name: "\u0430bc" }, "name: "],
  ["no description", { description: "" }, "description: found an empty text"],
  ["a description that steers", { description: "a\x1b[2J" }, "description: "],
  ["a long description", { description: "a".repeat(1_001) }, "description: "],
  [
    "another risk",
    { risk: "none" },
    'risk: found the text "none"; write safe, moderate or dangerous',
  ],
  ["another group", { permission: "all" }, "permission: "],
  ["another category", { category: "none" }, "category: "],
  ["no command", { command: [] }, "command: found an empty list"],
  ["a command line", { command: "ls -l" }, "command: found the text"],
  ["a program to choose", withText(["{text}"]), "command[0]: must be the program, as it stands"],
  ["a program in part", withText(["x{text}"]), "command[0]: must be the program"],
  ["a program in a group", withText([{ when: "text", words: ["a"] }]), "command[0]: "],
  ["an empty program", { command: [""] }, "command[0]: is empty"],
  ["a NUL", { command: ["a", "b\0c"] }, "command[1]: "],
  [
    "an open brace",
    { command: ["a", "{x"] },
    'command[1]: the text "{x" has a { that nothing closes',
  ],
  [
    "a closing brace",
    { command: ["a", "x}"] },
    'command[1]: the text "x}" has a } that nothing opens',
  ],
  ["an empty placeholder", { command: ["a", "{}"] }, "command[1]: "],
  ["a shell's placeholder", { command: ["a", "{$(id)}"] }, "command[1]: "],
  ["a blank in a placeholder", withText(["a", "{ text }"]), "command[1]: "],
  [
    "an unknown parameter",
    withText(["a", "{txt}"]),
    'command[1]: there is no parameter "txt"; did you mean text?',
  ],
  [
    "a method of objects",
    withText(["a", "{toString}"]),
    'command[1]: there is no parameter "toString"',
  ],
  [
    "what may be missing",
    withText(["a", "{optional}"]),
    "command[1]: optional may be left out; require it",
  ],
  [
    "what may be missing in the group of another",
    withText(["a", { when: "text", words: ["{optional}"] }]),
    "command[1].words[0]: optional may be left out",
  ],
  ["a list as one word", withText(["a", "{list}"]), "command[1]: list is a list; write {list...}"],
  [
    "a text as many words",
    withText(["a", "{text...}"]),
    "command[1]: text is no list; write {text}",
  ],
  ["a list beside another", withText(["a", "{text}{list...}"]), "command[1]: "],
  ["a group of nothing", withText(["a", { when: "text", words: [] }]), "command[1].words: "],
  [
    "a group of an unknown parameter",
    withText(["a", { when: "txt", words: ["b"] }]),
    "command[1].when: there is no parameter",
  ],
  [
    "a group that can never be",
    withText(["a", { when: "text", is: 5, words: ["b"] }]),
    "command[1].is: the number 5 is no value that text can have",
  ],
  [
    "a group in a group",
    withText(["a", { when: "text", words: [{ when: "text", words: ["b"] }] }]),
    "command[1].words[0]: found a mapping",
  ],
  ["an object as a word", {
    parameters: { properties: { o: { type: "object" } }, required: ["o"] },
    command: ["a", "{o}"],
  }, "command[1]: o is no text, number or boolean"],
  ["a list of objects", {
    parameters: { properties: { o: { type: "array", items: { type: "object" } } } },
    command: ["a", "{o...}"],
  }, "command[1]: the items of o"],
  ["many words", { command: Array(257).fill("a") }, "command: has 257 words; at most 256"],
  [
    "a parameter's odd name",
    { parameters: { properties: { "a b": text } } },
    'parameters.properties["a b"]: is no name of a parameter',
  ],
  [
    "a parameter that objects have",
    { parameters: { properties: { constructor: text } } },
    "parameters.properties.constructor: cannot be used as a name",
  ],
  ["a keyword that is not read", {
    parameters: { properties: { a: { type: "string", pattern: "x" } } },
  }, "parameters.properties.a.pattern: is no key that is known here"],
  [
    "a reference",
    { parameters: { properties: { a: { $ref: "#" } } } },
    `parameters.properties.a["$ref"]: is no key that is known here`,
  ],
  ["a keyword of another type", {
    parameters: { properties: { a: { type: "string", minimum: 1 } } },
  }, "parameters.properties.a.minimum: speaks of number or integer"],
  ["bounds that cross", {
    parameters: { properties: { a: { type: "string", minLength: 3, maxLength: 2 } } },
  }, "parameters.properties.a.maxLength: 2 is below minLength, 3"],
  ["a default that does not fit", {
    parameters: { properties: { a: { type: "integer", default: "x" } } },
  }, "parameters.properties.a.default: does not fit its own schema"],
  ["a default outside its enum", {
    parameters: { properties: { a: { enum: ["x"], default: "y" } } },
  }, "parameters.properties.a.default: "],
  ["a member of an enum that does not fit", {
    parameters: { properties: { a: { type: "string", enum: ["x", 1] } } },
  }, "parameters.properties.a.enum[1]: "],
  [
    "what is required and unknown",
    { parameters: { properties: {}, required: ["a"] } },
    'parameters.required: "a" is none of the properties',
  ],
  ["what is required inside and unknown", {
    parameters: { properties: { a: { type: "object", required: ["b"] } } },
  }, "parameters.properties.a.required: "],
  ["parameters of another type", { parameters: { type: "array" } }, "parameters.type: "],
  [
    "open parameters",
    { parameters: { additionalProperties: true } },
    "parameters.additionalProperties: is no key",
  ],
  ["an empty folder", { cwd: "" }, "cwd: is empty"],
  ["folders", { ...withText(["a"]), cwd: "{list...}" }, "cwd: is one folder"],
  ["an input that is no parameter", { stdin: "text" }, 'stdin: the text "text" is no input'],
  ["an input that is unknown", { stdin: "{text}" }, 'stdin: there is no parameter "text"'],
  [
    "a variable with its value",
    { env: ["A=b"] },
    'env[0]: the text "A=b" is no name of a variable',
  ],
  ["a time without a unit", { timeout: 5 }, "timeout: found the number 5 without a unit"],
  ["another output", { output: "xml" }, 'output: found the text "xml"; write text, lines or json'],
  ["a schema of text", { output: { format: "text", schema: {} } }, "output.schema: speaks of JSON"],
  ["a status out of range", { success: [256] }, "success[0]: found the number 256"],
  ["no status", { success: [] }, "success: found an empty list"],
  ["an example that does not fit", {
    ...withText(["a", "{text}"]),
    examples: [{ note: "x", args: {} }],
  }, "examples[0].args: text: missing"],
  ["an example that is refused", {
    ...withText(["a", "{text}"]),
    examples: [{ note: "x", args: { text: "-x" } }],
  }, 'examples[0].args: text: "-x" begins with "-"'],
];

for (const [what, keys, problem] of REFUSED) {
  Deno.test(`parseManifest() refuses ${what}`, () => {
    const problems = problemsOf(keys);
    assert(
      problems.some((one) => one.startsWith(problem)),
      `${problem} not in ${problems.join(" | ")}`,
    );
  });
}

Deno.test("parseManifest() finds all mistakes at once, with their lines", () => {
  const parsed = parseManifest(
    `version: 1
name: Bad
description: x
risk: low
parameters:
  properties:
    text: { type: string }
command:
  - "{text}"
  - "{txt}"
  - - x
timeout: soon
`,
    "bad.yaml",
  );
  assert("problems" in parsed);
  assertEquals(parsed.problems.map(({ source, key, line }) => [source, key, line]), [
    ["bad.yaml", "name", 2],
    ["bad.yaml", "risk", 4],
    ["bad.yaml", "command[0]", 9],
    ["bad.yaml", "command[2]", 11],
    ["bad.yaml", "timeout", 12],
  ]);
  const command = parseManifest(
    manifestText({ risk: "low", parameters: {}, command: ["a", "{txt}"] }),
    "bad.yaml",
  );
  assert("problems" in command);
  assertEquals(command.problems.map(({ key }) => key), ["risk", "command[1]"]);
});

Deno.test("parseManifest() answers whatever the text is, in bounded time and words", () => {
  const bomb = Array.from(
    { length: 9 },
    (_, i) =>
      `a${i}: &a${i} [${i === 0 ? "x" : `*a${i - 1}`}${`, *a${i - 1}`.repeat(i === 0 ? 0 : 8)}]`,
  ).join("\n");
  const many = Object.fromEntries(
    Array.from({ length: 100_000 }, (_, i) => [`p${i}`, { type: "string" }]),
  );
  const deep = `${'{"items": '.repeat(5_000)}{}${"}".repeat(5_000)}`;
  const texts = [
    "",
    "- a",
    "null",
    "version: 1\n\tname: x",
    "%YAML 1.2\n---\nversion: 1\n---\n",
    "a: &a [*a]",
    bomb,
    manifestText({ parameters: { properties: many } }),
    manifestText({ command: Array(100_000).fill("{x}") }),
    manifestText({ examples: Array(1_000).fill({ note: "x" }) }),
    manifestText({}).replace('"prog"', deep),
    `version: 1\nparameters: { properties: { a: ${deep} } }\n`,
    "version: 1\n__proto__: { risk: safe }\n",
  ];
  for (const content of texts) {
    const parsed = parseManifest(content, "x.yaml");
    assert("problems" in parsed, content.slice(0, 80));
    assert(parsed.problems.length <= 1_000, String(parsed.problems.length));
    assert(parsed.problems.every(({ message }) => message.length < 2_000), content.slice(0, 80));
  }
});

Deno.test("parseManifest() never throws: bytes of a manifest changed at random", () => {
  const random = new Random(71);
  const bytes = new TextEncoder().encode(WHOLE);
  for (let round = 0; round < 1_500; round++) {
    const changed = bytes.slice();
    for (let count = 1 + random.below(6); count > 0; count--) {
      changed[random.below(changed.length)] = random.below(128);
    }
    const parsed = parseManifest(new TextDecoder().decode(changed), "x.yaml");
    if ("problems" in parsed) assert(parsed.problems.length > 0);
    else assertStringIncludes(JSON.stringify(parsed.manifest), "version");
  }
});
