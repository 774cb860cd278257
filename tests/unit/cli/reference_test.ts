/** The generated reference: all that the registry says, in forms that cannot be broken by what it says. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { COMMANDS } from "../../../src/cli/commands.ts";
import { EXAMPLES } from "../../../src/cli/examples.ts";
import { FLAGS } from "../../../src/cli/flags.ts";
import { helpText } from "../../../src/cli/_help.ts";
import { callLine, shellWord } from "../../../src/cli/reference/call_line.ts";
import {
  commonErrors,
  errorMeaning,
  errorsOf,
} from "../../../src/cli/reference/_error_reference.ts";
import { toManPage } from "../../../src/cli/reference/_man_page.ts";
import { toMarkdown } from "../../../src/cli/reference/markdown.ts";
import { membersOf } from "../../../src/cli/reference/reference.ts";
import { schemaText } from "../../../src/cli/reference/_schema_text.ts";
import { listPage, toolPage } from "../../../src/cli/tools/_tool_page.ts";
import { textWidth } from "../../../src/cli/render/plain_text.ts";
import { NO_SCREEN } from "../../../src/cli/render/screen.ts";
import { ERROR_CODES, type ErrorCode } from "../../../src/core/errors.ts";
import type { JsonSchema } from "../../../src/core/schema.ts";
import { CATEGORIES, type ToolDescription } from "../../../src/core/tool.ts";
import { typeArguments } from "../../../src/core/type_arguments.ts";
import { createRegistry } from "../../../src/tools/registry.ts";

const tools = await createRegistry().catalogue.all();
const SOURCE = { version: "1.2.3", tools, commands: COMMANDS, flags: FLAGS };

const HOSTILE: ToolDescription = {
  name: "probe",
  aliases: [],
  category: "util",
  description: ".TH \\n[x] | <b> `code` *x* _y_\n## heading\n.so /etc/passwd",
  risk: "safe",
  changes: false,
  permission: null,
  input: {
    type: "object",
    properties: {
      "'sq": { type: "string", enum: ["a|b", "`"], description: '.in \\\\ "x" | y' },
      inner: {
        type: "array",
        items: { type: "object", properties: { old: { type: "string" } }, required: ["old"] },
        default: [],
      },
    },
  },
  output: { type: "object" },
  examples: [{ note: "odd", args: { "'sq": "$(id) 'x'\n", inner: [{ old: "y" }] } }],
};

Deno.test("Markdown tells of every tool, argument, answer, example and error code", () => {
  const text = toMarkdown(SOURCE);
  for (const tool of tools) {
    const section = text.slice(text.indexOf(`### ${tool.name}\n`));
    assert(section.length < text.length, tool.name);
    for (const { path } of [...membersOf(tool.input), ...membersOf(tool.output)]) {
      assertStringIncludes(section, `| \`${path}\``);
    }
    for (const { args } of tool.examples) assertStringIncludes(section, callLine(tool, args));
    for (const alias of tool.aliases) assertStringIncludes(section, `\`${alias}\``);
  }
  for (const [code, status] of Object.entries(ERROR_CODES)) {
    assertStringIncludes(
      text,
      `| \`${code}\` | ${status} | ${errorMeaning(code as ErrorCode).slice(0, 9)}`,
    );
  }
});

Deno.test("no text breaks a table, begins a heading, or is read as HTML", () => {
  const text = toMarkdown({ ...SOURCE, version: "<v>", tools: [HOSTILE] });
  for (const line of text.split("\n").filter((line) => line.startsWith("|"))) {
    const cells = line.replaceAll(/\\\|/g, "").split("|").length;
    assert(cells === 5 || cells === 6, line);
  }
  assert(!/^## heading/m.test(text));
  assert(!/(?<!\\)<b>/.test(text) && !/(?<!\\)<v>/.test(text));
});

Deno.test("every code is one that some call can end with", () => {
  const told = new Set([
    ...commonErrors(),
    ...CATEGORIES.flatMap((category) => errorsOf(category)),
  ]);
  // These are of requests, before there is a call, or a defect.
  const others = [
    "INVALID_JSON",
    "INVALID_REQUEST",
    "REQUEST_TOO_LARGE",
    "UNKNOWN_TOOL",
    "INTERNAL_ERROR",
  ];
  assertEquals(Object.keys(ERROR_CODES).filter((code) => !told.has(code as ErrorCode)), others);
});

Deno.test("the manual page is macros and text that means itself", () => {
  for (const source of [SOURCE, { ...SOURCE, tools: [HOSTILE] }]) {
    const lines = toManPage(source).split("\n");
    assert(lines[0]?.startsWith(".TH TOOLGATE 1 "));
    for (const line of lines) {
      if (/^[.']/.test(line)) {
        assert(/^\.(?:TH|SH|SS|TP|PP|RS|RE|nf|fi|B|I)(?: |$)/.test(line), line);
      }
      for (const [escape] of line.matchAll(/\\(?:\[u[0-9A-F]{4,6}\]|.)/g)) {
        assert(["\\(", "\\-", "\\&"].includes(escape) || escape.startsWith("\\[u"), line);
      }
      // deno-lint-ignore no-control-regex
      assert(/^[\x00-\x7f]*$/.test(line), line);
    }
  }
  const text = toManPage(SOURCE).replaceAll("\\-", "-");
  for (const { usage } of Object.values(COMMANDS)) assertStringIncludes(text, `.B ${usage}\n`);
  for (const { name, environment } of FLAGS) {
    assertStringIncludes(text, `.B --${name}`);
    if (environment !== undefined) assertStringIncludes(text, `.B ${environment}\n`);
  }
  for (const { name } of tools) assertStringIncludes(text, `.SS ${name}\n`);
  for (const code of Object.keys(ERROR_CODES)) assertStringIncludes(text, `.B ${code} (`);
});

Deno.test("examples as they are typed mean the examples", async () => {
  for (const tool of [...tools, HOSTILE]) {
    for (const { args } of tool.examples) {
      const { stdout } = await new Deno.Command("/bin/sh", {
        args: ["-c", `toolgate() { printf '%s\\0' "$@"; }; ${callLine(tool, args)}`],
      }).output();
      const words = new TextDecoder().decode(stdout).split("\0").slice(0, -1);
      assertEquals(words.slice(0, 2), ["call", tool.name]);
      if (words[2] === "--json") assertEquals(JSON.parse(words[3] ?? ""), args);
      else assertEquals(typeArguments(tool.input, words.slice(2)), { value: args });
    }
  }
});

Deno.test("words are quoted for a shell where they need it", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["path=src/a-b.ts", "path=src/a-b.ts"],
    ["", "''"],
    ["a b", "'a b'"],
    ["it's", "'it'\\''s'"],
    ["$(id)", "'$(id)'"],
    ["~", "'~'"],
    ["*", "'*'"],
  ];
  for (const [word, quoted] of cases) assertEquals(shellWord(word), quoted);
});

Deno.test("schemas in a few words", () => {
  const cases: readonly (readonly [JsonSchema, string])[] = [
    [{ type: "string" }, "string"],
    [{ type: "integer", minimum: 1 }, "integer ≥ 1"],
    [{ type: "integer", maximum: 9 }, "integer ≤ 9"],
    [{ type: "number", minimum: 0, maximum: 1 }, "number 0–1"],
    [{ type: "string", enum: ["a", "b"] }, '"a" | "b"'],
    [{ type: "array", items: { type: "string" } }, "list of string"],
    [{ type: "object", additionalProperties: { type: "string" } }, "map to string"],
    [{ oneOf: [{ type: "integer" }, { type: "null" }] }, "integer | null"],
    [{}, "any"],
  ];
  for (const [schema, text] of cases) assertEquals(schemaText(schema), text);
  assertEquals(membersOf(HOSTILE.input).map(({ path }) => path), ["'sq", "inner", "inner[].old"]);
});

Deno.test("every command has help, examples of itself, and lines that fit", () => {
  for (const name of Object.keys(COMMANDS)) {
    const examples = EXAMPLES[name] ?? [];
    assert(examples.length > 0, `${name} has no example`);
    for (const example of examples) assert(example.includes(`toolgate ${name}`), example);
    assertStringIncludes(helpText(name), examples[0] ?? "");
    for (const columns of [30, 60, 80, 120]) {
      const lines = helpText(name, { ...NO_SCREEN, columns }).split("\n");
      const shown = lines.slice(0, lines.indexOf("examples:"));
      for (const line of shown) assert(line.length <= columns, `${columns}: ${line}`);
    }
  }
  for (const line of helpText(undefined, { ...NO_SCREEN, columns: 80 }).split("\n")) {
    assert(line.length <= 80, line);
  }
});

Deno.test("pages of tools fit the screen and show nothing that steers it", () => {
  for (const columns of [40, 80, 200]) {
    const screen = { ...NO_SCREEN, columns };
    for (const line of listPage(tools, screen).split("\n")) {
      assert(textWidth(line) <= columns, line);
    }
    for (const tool of tools) {
      const page = toolPage(tool, screen);
      const body = page.slice(0, page.indexOf("examples:"));
      for (const line of body.split("\n").filter((line) => line.includes(" "))) {
        assert(textWidth(line) <= columns + 20, `${columns}: ${line}`);
      }
      for (const { path } of membersOf(tool.input)) assertStringIncludes(page, `  ${path}  `);
    }
  }
  const hostile = { ...HOSTILE, name: "x\x1b[2J", description: "a\x1b]0;t\x07" };
  for (const page of [toolPage(hostile, NO_SCREEN), listPage([hostile], NO_SCREEN)]) {
    assert(!page.includes("\x1b") && !page.includes("\x07"));
  }
  assertEquals(listPage([], NO_SCREEN), "no tool");
});
