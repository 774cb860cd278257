/** The shims of `src/std/` say what the modules hold: no more, and of the right kind. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";

const ROOT = fromFileUrl(new URL("../../..", import.meta.url));

const SHIMS: [name: string, declarations: readonly string[], load: () => Promise<object>][] = [
  ["assert", ["assert.d.ts"], () => import("@std/assert")],
  ["cli", ["_cli_parse_args.d.ts", "_cli_prompt_secret.d.ts"], () => import("@std/cli")],
  ["path", ["path.d.ts"], () => import("@std/path")],
  ["toml", ["toml.d.ts"], () => import("@std/toml")],
  ["yaml", ["yaml.d.ts"], () => import("@std/yaml")],
];

/** Values that the declarations promise, with what `typeof` says of each; null for any. */
function declared(text: string): Map<string, string | null> {
  const names = new Map<string, string | null>();
  for (const [, kind, name = ""] of text.matchAll(/^export (function|class|const) (\w+)/gm)) {
    names.set(name, kind === "const" ? null : "function");
  }
  return names;
}

for (const [shim, declarations, load] of SHIMS) {
  Deno.test(`@std/${shim} holds what its types declare, and nothing else`, async () => {
    const texts = declarations.map((file) => Deno.readTextFileSync(join(ROOT, "src/std", file)));
    const names = declared(texts.join("\n"));
    const module = new Map<string, unknown>(Object.entries(await load()));
    assertEquals([...names.keys()].sort(), [...module.keys()].sort());
    for (const [name, kind] of names) {
      if (kind !== null) assertEquals(typeof module.get(name), kind, name);
    }
  });
}

/** What `deno check` says of each module under the settings of the repository; empty where all is well. */
async function check(texts: readonly string[]): Promise<readonly string[]> {
  const folder = await Deno.makeTempDir();
  try {
    const paths = texts.map((_, index) => join(folder, `module_${index}.ts`));
    for (const [index, path] of paths.entries()) await Deno.writeTextFile(path, texts[index] ?? "");
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["check", "--quiet", "--no-lock", "--config", join(ROOT, "deno.json"), ...paths],
      cwd: ROOT,
      env: { NO_COLOR: "1" },
    }).output();
    // One error a block, with its place; what names no module is said of all.
    const blocks = success ? [] : new TextDecoder().decode(stderr).split("\n\n");
    const isOf = (block: string, path: string) => block.includes(`${path}:`);
    return paths.map((path) =>
      blocks.filter((block) => isOf(block, path) || !paths.some((one) => isOf(block, one)))
        .join("\n\n")
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("deno check takes right calls of @std", async () => {
  const said = await check([`
    import { parseArgs } from "@std/cli";
    import { join } from "@std/path";
    import { parse, YamlSyntaxError } from "@std/yaml";
    import { assertExists, assertThrows } from "@std/assert";
    const options = parseArgs(["--name", "x"], {
      boolean: ["force"],
      string: ["name", "file", "_"],
      collect: ["file"],
      default: { name: "y" },
    });
    export const force: boolean = options.force;
    export const name: string = options.name;
    export const files: string[] = options.file;
    export const words: string[] = options._;
    export const other: unknown = options.other;
    export const maybe: string | undefined = parseArgs([], { string: ["a"] }).a;
    export const path: string = join(new URL("file:///a"), "b");
    export const value: unknown = parse("a: 1");
    export const line: number = assertThrows(() => parse("["), YamlSyntaxError).line;
    const home = Deno.env.get("HOME");
    assertExists(home);
    export const length: number = home.length;
  `]);
  assertEquals(said, [""]);
});

const wrong: [string, string, RegExp][] = [
  [
    "a function that @std/path does not have",
    'import { glue } from "@std/path"; glue("a");',
    /glue/,
  ],
  [
    "a function that @std/yaml does not have",
    'import { load } from "@std/yaml"; load("a");',
    /load/,
  ],
  [
    "a function that @std/toml does not have",
    'import { load } from "@std/toml"; load("a");',
    /load/,
  ],
  [
    "a function that @std/cli does not have",
    'import { parse } from "@std/cli"; parse([]);',
    /parse/,
  ],
  [
    "a function that @std/assert does not have",
    'import { same } from "@std/assert"; same();',
    /same/,
  ],
  ["a wrong argument", 'import { join } from "@std/path"; join("a", 1);', /TS2345/],
  [
    "a result of the wrong type",
    'import { parse } from "@std/yaml"; parse("a").b;',
    /TS2339|TS18046|TS2571/,
  ],
  [
    "an option that may be missing",
    'import { parseArgs } from "@std/cli"; parseArgs([], { string: ["a"] }).a.length;',
    /TS18048|TS2532/,
  ],
];

Deno.test("deno check refuses wrong calls of @std", async (test) => {
  const said = await check(wrong.map(([, text]) => text));
  for (const [index, [name, , message]] of wrong.entries()) {
    await test.step(name, () => assertMatch(said[index] ?? "", message));
  }
});

Deno.test("parseArgs() and parse() do at run time what their types say", async () => {
  const { parseArgs } = await import("@std/cli");
  const { parse, parseAll, stringify } = await import("@std/yaml");
  const options = parseArgs(["--file", "a", "--file=b", "7"], {
    boolean: ["force"],
    string: ["file", "_"],
    collect: ["file"],
    "--": true,
  });
  assertEquals(options.force, false);
  assertEquals(options.file, ["a", "b"]);
  assertEquals(options._, ["7"]);
  assertEquals(options["--"], []);
  assertEquals(parseArgs([], { string: ["a"] }).a, undefined);
  assertEquals(parseArgs([], { string: ["a"], collect: ["a"] }).a, []);
  assertEquals(parseArgs([], { boolean: ["a"], collect: ["a"] }).a, []);
  assertEquals(parse(""), null);
  assertEquals(parseAll("--- 1\n--- 2\n"), [1, 2]);
  assert(stringify({ a: 1 }).length > 0);
  const { parse: parseToml } = await import("@std/toml");
  assertStringIncludes(JSON.stringify(parseToml("a = 1")), '"a":1');
});
