/** A small bundle for the tests of scripts that are compiled ahead. */

import { assert } from "@std/assert";
import { join } from "@std/path";

/** A bundle as `deno bundle --code-splitting --minify` writes them: parts with hashes, names shortened. */
export const BUNDLE: Readonly<Record<string, string>> = {
  "main.js": 'import{a as x,b as y}from"./chunk-00000001.js";import"./chunk-00000002.js";' +
    'const{c}=await import("./hot_tool-00000003.js"),d=await import("./cold_tool-00000004.js");' +
    "console.log(JSON.stringify([x(),new y instanceof y,c(),d.default(),d.same(new y),globalThis.order]));",
  "chunk-00000001.js":
    'import{a as f}from"./chunk-00000002.js";import{createHash as h}from"node:crypto";' +
    'function g(){return f+h("sha256").update("x").digest("hex").slice(0,4)}class K{}export{g as a,K as b};',
  "chunk-00000002.js": '(globalThis.order??=[]).push("two");var v="v";export{v as a};',
  "hot_tool-00000003.js": 'import{b as k}from"./chunk-00000001.js";' +
    'async function q(){const m=await import("./cold_tool-00000004.js");' +
    'const n=await import("./chunk-00000002.js");' +
    'return[m.default(),n.a,m.same(new k),import.meta.resolve("./x.js").endsWith("/x.js")]}' +
    "var r=()=>typeof q;export{r as c,q as ask};",
  "cold_tool-00000004.js":
    'import{a as z,b as w}from"./chunk-00000001.js";export{a as again}from"./chunk-00000002.js";' +
    'globalThis.order.push("cold");function p(){return"cold "+z()}function s(o){return o instanceof w}' +
    "export{p as default,s as same};",
};

/** Calls `body` with a folder that holds the bundle. */
export async function withBundle(body: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "toolgate-hot-" });
  try {
    for (const [name, text] of Object.entries(BUNDLE)) {
      await Deno.writeTextFile(join(folder, name), text);
    }
    await body(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Runs a module as a compiled binary would: what it printed. `flags`: further ones of the runtime. */
export async function runModule(
  flags: readonly string[],
  main: string,
  ...args: string[]
): Promise<string> {
  const { stdout, stderr, success } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      ...flags,
      "--quiet",
      "-A",
      "--no-check",
      "--no-config",
      "--unstable-raw-imports",
      main,
      ...args,
    ],
    env: { NO_COLOR: "1" },
  }).output();
  const text = new TextDecoder();
  assert(success, text.decode(stderr));
  return text.decode(stdout);
}
