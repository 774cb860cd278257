/** What must hold for every tool of the registry, whatever it does. */

import type { WebAnswer, WebRequest } from "../../../src/core/network.ts";
import { assert, assertEquals } from "@std/assert";
import { Ajv } from "ajv";
import { ToolError } from "../../../src/core/errors.ts";
import { parseArguments } from "../../../src/core/parse_arguments.ts";
import { type JsonSchema, toStandardSchema } from "../../../src/core/schema.ts";
import { CATEGORIES, PERMISSION_GROUPS, RISKS, type Tool } from "../../../src/core/tool.ts";
import { createRegistry, TOOLS } from "../../../src/tools/registry.ts";
import { call, createMemory, DEFAULT_WEB } from "./_memory_context.ts";
import { inWorkspace } from "./_real_workspace.ts";
import { git } from "./git/_history.ts";
import { Random } from "../../random.ts";

const registry = createRegistry();
const tools = await registry.list();

const KEYWORDS = new Set([
  ..."type description enum default minLength maxLength minimum maximum items minItems maxItems"
    .split(" "),
  ..."properties required additionalProperties oneOf".split(" "),
]);

/** Every schema in a schema, with its place. */
function* within(schema: JsonSchema, place: string): Iterable<readonly [string, JsonSchema]> {
  yield [place, schema];
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    yield* within(property, `${place}.${name}`);
  }
  if (schema.items !== undefined) yield* within(schema.items, `${place}[]`);
  if (typeof schema.additionalProperties === "object") {
    yield* within(schema.additionalProperties, `${place}.*`);
  }
  for (const [index, branch] of (schema.oneOf ?? []).entries()) {
    yield* within(branch, `${place}|${index}`);
  }
}

const BASE = "https://registry.example";
const WEB = {
  search: { provider: "searxng", url: "https://search.example", key: null },
  registries: { npm: BASE, pypi: BASE, crates: BASE, go: BASE },
} as const;
const SCOPE = { cwd: ".", web: { ...DEFAULT_WEB, ...WEB } };
const ITEMS =
  '{"items":[{"full_name":"a/b","title":"t","tags":["x"]}],"results":[{"title":"t","url":"https://t.example/"}],"total_count":1,' +
  '"version":"1.0.0","info":{"version":"1.0.0"}}';

Deno.test("names and aliases are well formed, unique, and agree with the modules", () => {
  const claimed = TOOLS.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  assertEquals(new Set(claimed).size, claimed.length);
  TOOLS.forEach(({ name, aliases = [] }, index) => {
    assert(/^[a-z]+(?:_[a-z]+)*$/.test(name), name);
    for (const alias of aliases) assert(/^[a-z_]+(?:\.[a-z_]+)?$/.test(alias), alias);
    assertEquals(tools[index]?.name, name);
  });
});

Deno.test("every tool says what it is", () => {
  for (const { name, category, risk, permission, description } of tools) {
    assert(CATEGORIES.includes(category), name);
    assert(RISKS.includes(risk), name);
    assert(permission === null || PERMISSION_GROUPS.includes(permission), name);
    assert(
      description.length >= 40 && description.length <= 500 && description.endsWith("."),
      name,
    );
  }
});

Deno.test("schemas use only the keywords that the interpreter knows, and explain every property", () => {
  for (const { name, input, output } of tools) {
    for (const [kind, schema] of [["input", input], ["output", output]] as const) {
      for (const [place, inner] of within(schema, `${name} ${kind}`)) {
        for (const keyword of Object.keys(inner)) {
          assert(KEYWORDS.has(keyword), `${place}: ${keyword}`);
        }
        for (const [property, { description = "" }] of Object.entries(inner.properties ?? {})) {
          assert(
            /^\p{Lu}|^[a-z0-9-]+[,:]/u.test(description) && description.length < 250,
            `${place}.${property}`,
          );
        }
        for (const required of inner.required ?? []) {
          assert(Object.hasOwn(inner.properties ?? {}, required), `${place}: ${required}`);
        }
      }
      new Ajv({ strict: true, allowUnionTypes: false }).compile(toStandardSchema(schema));
    }
  }
});

Deno.test("defaults pass their own schemas", () => {
  for (const { name, input } of tools) {
    for (const [place, { default: value, ...schema }] of within(input, name)) {
      if (value === undefined) continue;
      const parsed = parseArguments(
        { type: "object", properties: { value: schema } },
        { value: structuredClone(value) },
      );
      assert("value" in parsed, place);
    }
  }
});

Deno.test("examples pass schema and check, and their power can be derived", async () => {
  for (const tool of tools) {
    assert((tool.examples ?? []).length > 0, tool.name);
    for (const { note, args } of tool.examples ?? []) {
      assert(note !== "", tool.name);
      const input = await completed(tool, parsed(tool, args));
      tool.check?.(input);
      assert(Array.isArray(await tool.capabilities(input, SCOPE)), tool.name);
    }
  }
});

Deno.test("deriving capabilities and describing change nothing and touch nothing", async () => {
  for (const tool of tools) {
    for (const { args } of tool.examples ?? []) {
      const input = deepFreeze(await completed(tool, parsed(tool, args)));
      const first = await tool.capabilities(input, SCOPE);
      assertEquals(await tool.capabilities(input, SCOPE), first);
      assertEquals(tool.previewReads?.(input), tool.previewReads?.(input));
      assertEquals(tool.describe(input), tool.describe(input));
    }
  }
});

Deno.test("descriptions are one bounded line whatever the arguments hold", () => {
  const hostile = "\x1b[2J\r\n\u202e\u2028\0" + "x".repeat(100_000);
  for (const tool of tools) {
    for (const { args } of tool.examples ?? []) {
      const input = Object.fromEntries(
        Object.entries(parsed(tool, args) as Record<string, unknown>).map(([name, value]) => [
          name,
          tool.input.properties?.[name]?.enum !== undefined
            ? value
            : typeof value === "string"
            ? hostile
            : Array.isArray(value) && typeof value[0] === "string"
            ? [hostile, hostile]
            : value,
        ]),
      );
      const text = tool.describe(input);
      assert(text.length < 2000, `${tool.name}: ${text.length}`);
      assert(/^[A-Z][^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]*$/u.test(text), tool.name);
    }
  }
});

const FILES = {
  "README.md": "# Title\n\n".repeat(5),
  "a_test.ts": "",
  "build/out.js": "",
  "config.json": "",
  // What the tools that run a project's own programs look for.
  "pyproject.toml": "[tool.pytest.ini_options]\n[tool.ruff]\n[tool.mypy]\n[tool.black]\n",
  "link": { target: "x" },
  "logo.png": Uint8Array.of(0x89, 0x50, 0),
  "notes/old.md": "",
  "src/a_test.ts": "",
  "src/main.ts": "function newError() {}\n" + "newError(a[0]);\n".repeat(15),
  "src/main.ts.bak": "",
} as const;

Deno.test("outputs and previews are JSON, and outputs pass the output schema", async () => {
  for (const tool of tools) {
    const validate = new Ajv({ strict: true }).compile(toStandardSchema(tool.output));
    // A gate answers for these: tests/binary/gate/child_agents_test.ts.
    if (tool.category === "agent") continue;
    for (const [index, { args }] of [...tool.examples ?? [], ...more(tool.name)].entries()) {
      await (REAL.has(tool.category) ? overFiles : inMemory)(tool, args, index, (output) => {
        assert(validate(output), `${tool.name}: ${JSON.stringify(validate.errors)}`);
        assertEquals(JSON.parse(JSON.stringify(output)), output, tool.name);
      });
    }
  }
});

/** The same page for whoever asks, and the same results. */
function answered({ url }: WebRequest): Promise<WebAnswer> {
  const isQuestion = /\/search\b|\/\/(?:registry|pypi)\./.test(url);
  return Promise.resolve({
    status: 200,
    url,
    redirects: [],
    headers: { "content-type": "text/html" },
    body: new TextEncoder().encode(isQuestion ? ITEMS : "<title>T</title><p>x"),
    truncated: false,
    fromCache: false,
  });
}

async function inMemory(
  tool: Tool,
  args: unknown,
  _index: number,
  check: (output: unknown) => void,
) {
  const limits = { write: 100_000 };
  const memory = () =>
    createMemory({
      files: FILES,
      catalogue: registry.catalogue,
      limits,
      fetch: answered,
      web: WEB,
    });
  check(await call(tool, args, memory()));
  if (tool.preview === undefined) return;
  const before = memory();
  const preview: unknown = await call(tool, args, before, { preview: true });
  assertEquals(JSON.parse(JSON.stringify(preview)), preview, tool.name);
  assertEquals([Object.fromEntries(before.nodes), before.started], [FILES, []], tool.name);
}

/** Categories whose tools need real files. */
const REAL: ReadonlySet<string> = new Set(["fs", "git"]);

const FOLDER = Deno.makeTempDirSync({ prefix: "toolgate-test-" });
addEventListener("unload", () => Deno.removeSync(FOLDER, { recursive: true }));
/** One repository, which each call gets a copy of. */
let repository: Promise<string> | null = null;

/** A repository with one commit of all, a stash, and a change that is staged. */
async function commitAll(root: string): Promise<void> {
  repository ??= makeRepository(`${FOLDER}/repository`);
  const { success } = await new Deno.Command("cp", { args: ["-a", `${await repository}/.`, root] })
    .output();
  assert(success);
  // The copies are other files: git would note that on the way.
  await git(root, ["update-index", "-q", "--refresh"], { good: [0, 1] });
}

async function makeRepository(root: string): Promise<string> {
  layOut(root);
  await git(root, ["init", "--quiet", "--initial-branch=main"]);
  await git(root, ["config", "user.name", "A"]);
  await git(root, ["config", "user.email", "a@example.org"]);
  await git(root, ["add", "--all"]);
  await git(root, ["commit", "--quiet", "--message=one"]);
  await git(root, ["branch", "other"]);
  Deno.writeTextFileSync(`${root}/src/main.ts`, "// aside\n");
  await git(root, ["stash", "push", "--quiet"]);
  await git(root, ["clone", "--quiet", "--bare", ".", ".git/there.git"]);
  await git(root, ["remote", "add", "origin", ".git/there.git"]);
  Deno.writeTextFileSync(`${root}/README.md`, "# Other\n");
  await git(root, ["add", "README.md"]);
  return root;
}

function layOut(root: string): void {
  for (const [path, content] of Object.entries(FILES)) {
    Deno.mkdirSync(`${root}/${path}`.replace(/\/[^/]*$/, ""), { recursive: true });
    if (typeof content === "string") Deno.writeTextFileSync(`${root}/${path}`, content);
    else if (content instanceof Uint8Array) Deno.writeFileSync(`${root}/${path}`, content);
    else Deno.symlinkSync(content.target, `${root}/${path}`);
  }
}

/** What changes files changes real ones. */
async function overFiles(
  tool: Tool,
  args: unknown,
  index: number,
  check: (output: unknown) => void,
) {
  let way = 0;
  await inWorkspace(async ({ root, call }) => {
    // What git answers is the same whichever way it is started; files are another's code.
    if (tool.category === "git" && index % 2 !== way++) return;
    if (tool.category === "git") await commitAll(root);
    else layOut(root);
    if (tool.preview !== undefined) {
      const before = treeOf(root);
      const preview: unknown = await call(tool.name, args, true);
      assertEquals(JSON.parse(JSON.stringify(preview)), preview, tool.name);
      assertEquals(treeOf(root), before, tool.name);
    }
    check(await call(tool.name, args));
  }, { git: { hooks: null, filters: null, protocols: ["file"], worktrees: null, identity: null } });
}

/** Everything below a directory, by its path: contents, or where a link points. */
function treeOf(directory: string): Record<string, string> {
  return Object.fromEntries(
    [...Deno.readDirSync(directory)].flatMap(({ name, isDirectory, isSymlink }) => {
      const path = `${directory}/${name}`;
      if (isDirectory) return Object.entries(treeOf(path));
      return [[path, isSymlink ? Deno.readLinkSync(path) : Deno.readTextFileSync(path)]];
    }),
  );
}

/** Calls that reach members of the output which the examples do not. */
function more(name: string): readonly { readonly args: Record<string, unknown> }[] {
  switch (name) {
    case "analyze_performance":
      return [
        {
          args: {
            profiling_data:
              "sh 1 1.5: 9 cycles: \n 1 f (/x)\nnone\n\nsh 1 1.6: 9 faults: 1 f (/x)\n",
          },
        },
        { args: { profiling_data: "main (src/main.ts:1) 3\n" } },
      ];
    case "apply_patch":
      return [{
        args: {
          patch:
            "diff --git a/README.md b/notes/README\nrename from README.md\nrename to notes/README\n" +
            "new mode 100755\n--- a/README.md\n+++ b/notes/README\n@@ -3 +3 @@\n-# Title\n+# Other\n",
        },
      }, {
        args: { patch: "--- a/README.md\n+++ b/README.md\n@@ -4,2 +4,2 @@\n # Title\n-\n+x\n" },
      }];
    case "get_file_info":
      return [{ args: { path: "link" } }];
    case "get_timestamp":
      return [{ args: {} }, { args: { format: "human" } }];
    case "get_help":
      return [{ args: {} }, ...TOOLS.map((tool) => ({ args: { tool: tool.name } }))];
    case "search_files":
      return [{ args: { pattern: "Title", context: 3 } }];
    default:
      return [];
  }
}

Deno.test("every tool that changes something has a preview", async () => {
  for (const tool of tools) {
    const needs = await Promise.all(
      (tool.examples ?? []).map(async ({ args }) =>
        await tool.capabilities(await completed(tool, parsed(tool, args)), SCOPE)
      ),
    );
    const writes = needs.flat().some(({ kind }) => kind === "fs.write");
    assertEquals(tool.preview !== undefined, tool.risk !== "safe" || writes, tool.name);
  }
});

Deno.test("whatever the arguments are, the answer is a refusal with a code or a derivation", async () => {
  const values = [
    "",
    "x",
    "\0",
    "../..",
    "/",
    -1,
    0,
    1e9,
    true,
    null,
    [],
    ["a"],
    {},
    { a: "b" },
    "(",
    "[",
    "{",
  ];
  const random = new Random(13);
  for (const tool of tools) {
    const names = [...Object.keys(tool.input.properties ?? {}), "__proto__"];
    for (let round = 0; round < 150; round++) {
      const args = Object.fromEntries(
        names.filter(() => random.below(3) > 0).map((name) => [name, random.pick(values)]),
      );
      const outcome = parseArguments(tool.input, args);
      if ("problems" in outcome) continue;
      try {
        tool.check?.(outcome.value);
        await tool.capabilities(await completed(tool, outcome.value), SCOPE);
        tool.describe(outcome.value);
      } catch (error) {
        assert(error instanceof ToolError, `${tool.name} ${JSON.stringify(args)}: ${error}`);
      }
    }
  }
});

/** The input as it is judged. It crosses to the thread that runs it: as JSON it is the same. */
async function completed(tool: Tool, input: unknown): Promise<unknown> {
  const whole = await tool.complete?.(input) ?? input;
  assertEquals(JSON.parse(JSON.stringify(whole)), whole);
  return whole;
}

function parsed(tool: Tool, args: unknown): unknown {
  const outcome = parseArguments(tool.input, args);
  assert("value" in outcome, `${tool.name} ${JSON.stringify(outcome)}`);
  return outcome.value;
}

function deepFreeze(value: unknown): unknown {
  if (typeof value === "object" && value !== null) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}
