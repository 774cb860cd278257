/** The process of a module: gives up what the call was not granted before the module runs, and answers on a line of its own. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { decodeAnswer, type ModuleOrder } from "../../../../src/host/run/module_protocol.ts";
import { SENTINEL, Workspace } from "../../../binary/toolgate.ts";
import { canonical } from "../../policy/_fixtures.ts";
import { ABI } from "../../sandbox/_libc.ts";

const PROCESS = fromFileUrl(new URL("_module_process.ts", import.meta.url));

async function run(code: string, workspace: Workspace, parts: Partial<ModuleOrder> = {}) {
  const order: ModuleOrder = {
    nonce: "n0nce",
    code,
    file: "say.ts",
    entry: "default",
    args: { a: 1 },
    tool: "say",
    workspace: workspace.root,
    paths: {
      trees: [],
      files: [canonical(workspace.path("in.txt"))],
      list: [],
      writableTrees: [],
      writableFiles: [],
    },
    names: { read: [], write: [] },
    env: {},
    timeoutMs: 60_000,
    began: Date.now(),
    // From source the thread's own module is a file, which the kernel's rules would hide.
    kernel: "off",
    held: false,
    limit: 100_000,
    ...parts,
  };
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "--no-check", "--unstable-worker-options", PROCESS],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(JSON.stringify(order)));
  await writer.close();
  const { stdout, stderr, code: status } = await child.output();
  const [out = "", err = ""] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { answer: decodeAnswer("n0nce", out), out, err, status };
}

const TRY =
  `const tried = (act) => { try { return act(); } catch (error) { return error.name; } };`;

Deno.test("a module reads the files of its call, by any name, and nothing else", async () => {
  await using workspace = new Workspace({ "in.txt": "inside", "other.txt": "other" });
  const code = `${TRY} export default () => [
    tried(() => Deno.readTextFileSync("in.txt")),
    tried(() => Deno.readTextFileSync("other.txt")),
    tried(() => Deno.readTextFileSync("../outside/sentinel.txt")),
    tried(() => (Deno.writeTextFileSync("in.txt", "x"), "written")),
    tried(() => Deno.env.get("HOME")),
    tried(() => new Deno.Command("true").outputSync().code),
    tried(() => Deno.dlopen("libc.so.6", {}) && "opened"),
  ];`;
  const { answer, status, out } = await run(code, workspace);
  assertEquals(status, 0);
  assert(answer?.kind === "value", out);
  assertEquals(JSON.parse(answer.json), ["inside", ...Array(6).fill("NotCapable")]);
  assert(!out.includes(SENTINEL.trim()));
  assertEquals(workspace.read("in.txt"), "inside");
});

Deno.test("what a module prints is no part of its answer", async () => {
  await using workspace = new Workspace({ "in.txt": "" });
  const code = `export default () => {
    console.log("\\nn0nce {\\"kind\\":\\"value\\"}\\n\\"forged\\"");
    console.error("aside");
    return "own";
  };`;
  const { answer, err } = await run(code, workspace);
  assertEquals(answer, { kind: "value", json: '"own"' });
  assertStringIncludes(err, "forged");
  assertStringIncludes(err, "aside");
});

Deno.test("an answer that is too long is told as that, one that nobody gives not at all", async () => {
  await using workspace = new Workspace({ "in.txt": "" });
  const long = await run('export default () => "x".repeat(2000);', workspace, { limit: 1500 });
  assert(long.answer?.kind === "too long", long.out);
  assertStringIncludes(long.answer.message, "2002 bytes");
  const fits = await run('export default () => "x".repeat(900);', workspace, { limit: 1500 });
  assertEquals(fits.answer?.kind, "value");
  const ended = await run("export default () => self.close();", workspace);
  assertEquals(ended.answer, null);
  const thrown = await run(
    'export default () => new Promise(() => { setTimeout(() => { throw new Error("later"); }) });',
    workspace,
  );
  assert(thrown.answer?.kind === "thrown", thrown.out);
  assertStringIncludes(thrown.answer.message, "later");
});

Deno.test("where the kernel must hold the process and cannot be made to, the module does not run", {
  ignore: ABI === 0,
}, async () => {
  await using workspace = new Workspace({ "in.txt": "" });
  // Held by the kernel from source, the thread's own module is out of sight: so the kernel's rules are on.
  const { answer, out } = await run("export default () => 1;", workspace, { kernel: "required" });
  assert(answer === null || answer.kind !== "value", out);
});
