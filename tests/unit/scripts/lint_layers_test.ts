import { assertArrayIncludes, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import plugin from "../../../scripts/lint_layers.ts";

const ROOT = fromFileUrl(new URL("../../..", import.meta.url));

function rulesHit(path: string, text: string): string[] {
  return Deno.lint.runPlugin(plugin, `${ROOT}${path}`, text).map(({ id }) =>
    id.replace("layers/", "")
  );
}

const caught: [rule: string, path: string, text: string][] = [
  ["touch", "src/core/a.ts", 'Deno.readTextFileSync("x");'],
  ["touch", "src/core/a.ts", "const { cwd } = Deno;"],
  ["touch", "src/core/a.ts", "export const a = `${Deno.cwd()}`;"],
  ["touch", "src/core/a.ts", "export type A = Deno.FileInfo;"],
  ["touch", "src/core/a.ts", "export type A = typeof Deno;"],
  ["touch", "src/core/a.ts", "export const a = { Deno };"],
  ["touch", "src/tools/fs/a.ts", 'await fetch("http://x");'],
  ["touch", "src/tools/fs/a.ts", "const get = fetch;"],
  ["touch", "src/tools/fs/a.ts", 'globalThis["De" + "no"].cwd();'],
  ["touch", "src/policy/a.ts", "process.cwd();"],
  ["touch", "src/policy/a.ts", 'new Worker("x");'],
  ["touch", "src/audit/chain.ts", "Deno.cwd();"],
  ["exit", "src/cli/a.ts", "Deno.exit(1);"],
  ["exit", "src/cli/a.ts", 'Deno["exit"](1);'],
  ["exit", "src/cli/a.ts", 'const name = "exit"; Deno[name](1);'],
  ["exit", "src/cli/a.ts", "const { exit } = Deno;"],
  ["exit", "src/cli/a.ts", "process.exit(1);"],
  ["exit", "scripts/a.ts", "Deno.exit(1);"],
  ["print", "src/engine/a.ts", "console.log(1);"],
  ["print", "src/host/a.ts", "console.error(1);"],
  ["dynamic", "src/engine/a.ts", "await import(name);"],
  ["dynamic", "src/engine/a.ts", "await import(`./${name}.ts`);"],
  ["dynamic", "src/engine/a.ts", 'eval("1");'],
  ["dynamic", "src/engine/a.ts", 'new Function("1");'],
  ["dynamic", "src/cli/a.ts", "(0, eval)(text);"],
  ["documented", "src/core/a.ts", "export const a = 1;"],
  ["documented", "src/core/a.ts", "export async function a() {}"],
  ["documented", "src/core/_a.ts", "/** Of the file. */\n\nexport class A {}"],
  ["documented", "src/core/a.ts", "// No docstring.\nexport interface A {}"],
  ["documented", "src/core/a.ts", "/* Neither. */\nexport type A = 1;"],
  ["documented", "src/cli/a.ts", "/** Of a. */\nexport const a = 1;\nexport const b = 2;"],
];

for (const [rule, path, text] of caught) {
  Deno.test(`lint: ${rule} catches ${JSON.stringify(text)} in ${path}`, () => {
    assertArrayIncludes(rulesHit(path, text), [rule]);
  });
}

const harmless: [path: string, text: string][] = [
  ["src/core/a.ts", "/** Of the file. */\n\n/** Of it. */\nexport const a = 1;"],
  ["src/core/a.ts", "/**\n * Of it.\n * @param b What else.\n */\nexport function a(b) {}"],
  ["src/core/a.ts", "const a = 1;\nexport { a };\nexport default a;"],
  ["src/core/a.ts", 'export * from "./b.ts";'],
  ["scripts/a.ts", "export const a = 1;"],
  ["main.ts", "Deno.exit(1);"],
  ["src/host/a.ts", 'Deno.readTextFileSync("x");'],
  ["src/serve/a.ts", 'Deno.openSync("x");'],
  ["src/cli/a.ts", "console.log(1);"],
  ["scripts/a.ts", "console.log(Deno.cwd()); await import(name);"],
  ["tests/binary/a.ts", "Deno.exit(1);"],
  ["src/core/a.ts", '// Deno.exit(1)\n/** A. */\nexport const a = "Deno.cwd() fetch eval";'],
  ["src/core/a.ts", "/** A. */\nexport const a = /Deno.cwd|fetch/;"],
  ["src/core/a.ts", "/** A. */\nexport const a = { fetch: 1, Deno: 2 }.fetch;"],
  ["src/core/a.ts", "/** A. */\nexport interface A { fetch(): void; readonly process: string }"],
  ["src/core/a.ts", "context.files.process;"],
  ["src/core/a.ts", 'export { a as fetch } from "./b.ts";'],
  ["src/core/a.ts", "/** A. */\nexport type A = Function;"],
  ["src/engine/a.ts", 'await import("./b.ts");'],
  ["src/engine/a.ts", "Deno.exitCode = 1;"],
];

for (const [path, text] of harmless) {
  Deno.test(`lint: nothing is wrong with ${JSON.stringify(text)} in ${path}`, () => {
    assertEquals(rulesHit(path, text), []);
  });
}
