/** Custom tools that are modules: what they do, and what no module can do, whatever it tries. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { inTime } from "../../in_time.ts";
import { comesToBe } from "../../until.ts";
import { ERRNO } from "../../../src/sandbox/kernel/errno.ts";
import { syscallsOf } from "../../../src/sandbox/kernel/_syscalls.ts";
import { running, stillRunning, untilRunning } from "../_processes.ts";
import {
  type Answer,
  BINARY,
  call,
  Pipe,
  sealedBinary,
  SENTINEL,
  serveAll,
  start,
  Workspace,
} from "../toolgate.ts";

/** The word on the command line of a module's process. */
const PROCESS = "module-process";

const POLICY = `version: 1
risk: { allow: moderate, ask: dangerous }
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [read, write], match: [secret.txt, "**/*.key"] }
environment: { set: { GREETING: hello, OTHER: unseen } }
plugins: [./plugins/*.yaml]
timeouts: { default: 1h, kill_grace: 5s }
`;

interface Tool {
  readonly name: string;
  /** The module's text. */
  readonly code: string;
  readonly file?: string;
  readonly [key: string]: unknown;
}

const text = { type: "string" };
const PATH = { properties: { path: text }, required: ["path"] };

/** JSON is YAML. */
function manifestOf({ name, code: _, file = `${name}.js`, ...keys }: Tool) {
  return {
    version: 1,
    name,
    description: "A test.",
    risk: "safe",
    module: `./${file}`,
    ...keys,
  };
}

interface Opened {
  readonly workspace: Workspace;
  readonly args: readonly string[];
  readonly options: { readonly cwd: string };
}

/** A workspace with a policy beside it that names these tools. */
function open(
  tools: readonly Tool[],
  { files = {}, policy = POLICY }: {
    readonly files?: Readonly<Record<string, string>>;
    readonly policy?: string;
  } = {},
): Opened {
  const workspace = new Workspace({ "secret.txt": SENTINEL, "other.txt": SENTINEL, ...files });
  Deno.mkdirSync(join(workspace.base, "plugins"));
  for (const tool of tools) {
    workspace.policy(JSON.stringify(manifestOf(tool)), `plugins/${tool.name}.yaml`);
    workspace.policy(tool.code, `plugins/${tool.file ?? `${tool.name}.js`}`);
  }
  return {
    workspace,
    args: ["--policy", workspace.policy(policy)],
    options: { cwd: workspace.root },
  };
}

/** Calls each at once over one pipe: answers by tool. */
async function callAll(
  { args, options }: Opened,
  calls: readonly { readonly tool: string; readonly args?: Record<string, unknown> }[],
): Promise<ReadonlyMap<string, Answer>> {
  const lines = calls.map((one, id) => ({ id, ...one }));
  const { answers } = await serveAll(lines, args, options);
  assertEquals(answers.length, calls.length);
  return new Map(answers.map((answer) => [calls[Number(answer.id)]?.tool ?? "?", answer]));
}

const COUNT: Tool = {
  name: "count",
  file: "count.ts",
  code: `interface Args { readonly path: string }
type Context = { env: Record<string, string>; signal: AbortSignal; tool: string; preview: boolean };
export default async function count({ path }: Args, { env, tool }: Context): Promise<unknown> {
  const text: string = await Deno.readTextFile(path);
  console.log(tool, env.GREETING, Object.keys(env).length);
  return { lines: text.split("\\n").length - 1 } satisfies { lines: number };
}
export const preview = ({ path }: Args, { preview }: Context) => ({ counts: path, preview });
`,
  parameters: PATH,
  needs: { read: ["{path}"] },
  env: ["GREETING"],
  output: {
    schema: { type: "object", properties: { lines: { type: "integer" } }, required: ["lines"] },
  },
};

const PUT: Tool = {
  name: "put",
  code: `export default async ({ path, text, fail }) => {
  await Deno.writeTextFile(path, text);
  if (fail) throw new Error("no");
  return (await Deno.readTextFile(path)).length;
};`,
  parameters: {
    properties: { path: text, text, fail: { type: "boolean", default: false } },
    required: ["path", "text"],
  },
  needs: { write: ["{path}"] },
};

Deno.test("a module in TypeScript is a tool: called, previewed, explained, found", async () => {
  const opened = open([COUNT, PUT], { files: { "a.txt": "1\n2\n" } });
  await using _ = opened.workspace;
  const { args, options } = opened;
  const called = await call(["custom.count", "path=a.txt", ...args], options);
  assertEquals([called.status, called.answer.tool, called.answer.output], [0, "count", {
    value: { lines: 2 },
    log: "count hello 1\n",
    truncated: false,
  }]);
  for (const layer of ["runtime", "landlock", "seccomp"]) {
    assertStringIncludes(JSON.stringify(called.answer.usage["layers"]), layer);
  }
  const preview = await call(["count", "path=a.txt", "--preview", ...args], options);
  assertEquals(preview.answer.output.preview, { counts: "a.txt", preview: true });
  assertEquals(preview.answer.output.grants.read, ["a.txt"]);
  const unshown = await call(["put", "path=new.txt", "text=x", "--preview", ...args], options);
  assertEquals(unshown.answer.output.grants.write, ["new.txt"]);
  assertEquals([...Deno.readDirSync(opened.workspace.root)].map(({ name }) => name).sort(), [
    "a.txt",
    "other.txt",
    "secret.txt",
  ]);
  const denied = await call(["count", "path=secret.txt", ...args], options);
  assertEquals([denied.status, denied.answer.error?.code], [3, "PATH_DENIED"]);
  const outside = await call(["count", "path=../outside/sentinel.txt", ...args], options);
  assertEquals(outside.answer.error?.code, "PATH_OUTSIDE_WORKSPACE");
  const explained = await start(
    ["policy", "explain", "put", "path=x", "text=y", "--format", "json", ...args],
    options,
  );
  assertEquals([JSON.parse(explained.stdout).effect, JSON.parse(explained.stdout).risk], [
    "allow",
    "moderate",
  ]);
  const help = await call(["get_help", "tool=count", ...args], options);
  assertEquals(help.answer.output.aliases, ["custom.count"]);
});

Deno.test("what a module writes: new files, files that are there, and nothing where it fails", async () => {
  const opened = open([PUT], { files: { "old.txt": "old" } });
  await using workspace = opened.workspace;
  const { args, options } = opened;
  const made = await call(["put", "path=a/b/new.txt", "text=new", ...args], options);
  assertEquals([made.answer.output.value, workspace.read("a/b/new.txt")], [3, "new"]);
  assertEquals(made.answer.risk, "moderate");
  const changed = await call(["put", "path=old.txt", "text=newer", ...args], options);
  assertEquals([changed.answer.output.value, workspace.read("old.txt")], [5, "newer"]);
  const failed = await call(["put", "path=none.txt", "text=", "fail=true", ...args], options);
  assertEquals([failed.status, failed.answer.error?.code], [1, "COMMAND_FAILED"]);
  assertMatch(failed.answer.error?.message ?? "", /^put: Error: no \(put\.js:3:\d+\)$/);
  assert(![...Deno.readDirSync(workspace.root)].some(({ name }) => name === "none.txt"));
});

/** Each way out that there is, by name: what came of it. */
const ESCAPES = `
const outside = OUTSIDE, root = ROOT;
const attempts = {
  read: () => Deno.readTextFile(outside + "/sentinel.txt"),
  readSync: () => Deno.readTextFileSync("other.txt"),
  readDenied: () => Deno.readTextFile("secret.txt"),
  readDots: () => Deno.readTextFile("data/../other.txt"),
  readLink: () => Deno.readTextFile("data/link"),
  list: () => [...Deno.readDirSync(outside)].length + "",
  listRoot: () => [...Deno.readDirSync("/")].length + "",
  open: () => Deno.openSync("other.txt"),
  nodeRead: async () => (await import("node:fs")).readFileSync(outside + "/sentinel.txt", "utf8"),
  nodePromises: async () => (await import("node:fs/promises")).readFile(root + "/other.txt", "utf8"),
  nodeWrite: async () => (await import("node:fs")).writeFileSync(outside + "/made", "x"),
  write: () => Deno.writeTextFile(outside + "/made", "x").then(() => "made"),
  writeInside: () => Deno.writeTextFile("made.txt", "x").then(() => "made"),
  writeRead: () => Deno.writeTextFile("data/a.txt", "x").then(() => "made"),
  remove: () => Deno.remove("other.txt").then(() => "gone"),
  rename: () => Deno.rename("other.txt", "data/x").then(() => "moved"),
  symlink: () => Deno.symlink(outside, "out/l").then(() => "linked"),
  hardLink: () => Deno.link("other.txt", "out/l").then(() => "linked"),
  chmod: () => Deno.chmod("other.txt", 0o777).then(() => "changed"),
  makeTemp: () => Deno.makeTempDir(),
  ffi: () => Deno.dlopen("libc.so.6", { getpid: { parameters: [], result: "i32" } }).symbols.getpid(),
  command: () => new Deno.Command("/bin/sh", { args: ["-c", "id"] }).output(),
  self: () => new Deno.Command("/proc/self/exe", { args: ["--version"] }).output(),
  child: async () => (await import("node:child_process")).execSync("id").toString(),
  fork: async () => (await import("node:child_process")).spawnSync("/bin/true").status,
  environ: () => Deno.readTextFileSync("/proc/self/environ"),
  memory: () => Deno.openSync("/proc/self/mem", { read: true, write: true }),
  descriptors: () => [...Deno.readDirSync("/proc/self/fd")].length,
  standardOut: () => Deno.writeTextFileSync("/dev/fd/3", "forged"),
  cwd: () => Deno.readTextFileSync("/proc/self/cwd/other.txt"),
  rootLink: () => Deno.readTextFileSync("/proc/self/root" + outside + "/sentinel.txt"),
  env: () => Deno.env.get("OTHER"),
  allEnv: () => Deno.env.toObject(),
  nodeEnv: () => { const e = globalThis.process?.env ?? {}; if (e.OTHER) return e.OTHER; throw new Error("none"); },
  net: () => Deno.connect({ hostname: "127.0.0.1", port: PORT }),
  fetch: () => fetch("http://127.0.0.1:" + PORT),
  listen: () => Deno.listen({ port: 0 }),
  unix: () => Deno.connect({ transport: "unix", path: outside + "/s" }),
  udp: () => Deno.listenDatagram({ transport: "udp", port: 0 }),
  nodeNet: async () => { const net = await import("node:net"); return await new Promise((ok, no) => { const s = net.connect(PORT, "127.0.0.1", () => ok("in")); s.on("error", no); }); },
  imported: () => import("file://" + root + "/data.json", { with: { type: "json" } }),
  importedCode: () => import("file://" + outside + "/x.js"),
  remote: () => import("https://example.com/x.js"),
  worker: () => new Promise((ok, no) => { const w = new Worker("data:text/javascript," + encodeURIComponent("try { postMessage(Deno.readTextFileSync('other.txt')) } catch (e) { postMessage(0) }"), { type: "module" }); w.onmessage = ({ data }) => data ? ok(data) : no(0); w.onerror = (e) => { e.preventDefault(); no(0); }; }),
  widerWorker: () => { new Worker("data:text/javascript,", { type: "module", deno: { permissions: { read: true } } }); return "wider"; },
  kill: () => Deno.kill(Deno.ppid, "SIGKILL"),
  hostname: () => Deno.hostname(),
  request: async () => { const s = await Deno.permissions.request({ name: "read" }); if (s.state === "granted") return "granted"; throw 0; },
  chdir: () => { Deno.chdir(outside); return Deno.readTextFileSync("sentinel.txt"); },
  stdin: () => { const n = Deno.stdin.readSync(new Uint8Array(9)); if (n !== null) return "read"; throw 0; },
};
export default async () => {
  const done = {};
  for (const [name, attempt] of Object.entries(attempts)) {
    try { done[name] = String(await attempt()).slice(0, 80); } catch {}
  }
  return { done, tried: Object.keys(attempts).length, granted: await Deno.readTextFile("data/a.txt") };
};
`;

Deno.test("no module reads, writes, starts or reaches anything but its needs", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  let connections = 0;
  const accepting = (async () => {
    for await (const connection of listener) {
      connections++;
      connection.close();
    }
  })().catch(() => {});
  const { port } = listener.addr as Deno.NetAddr;
  const base = open([]);
  await using workspace = base.workspace;
  const code = ESCAPES.replace("OUTSIDE,", `${JSON.stringify(workspace.outside)},`)
    .replace("ROOT;", `${JSON.stringify(workspace.root)};`).replaceAll("PORT", String(port));
  const tool = { name: "escape", code, needs: { read: ["data/**"], write: ["out/**"] } };
  workspace.policy(JSON.stringify(manifestOf(tool)), "plugins/escape.yaml");
  workspace.policy(code, "plugins/escape.js");
  workspace.write("data/a.txt", "granted");
  workspace.write("data.json", '"json"');
  Deno.symlinkSync("../other.txt", workspace.path("data/link"));
  const once = await call(["escape", ...base.args], { ...base.options, env: { OTHER: "unseen" } });
  const piped = await callAll(base, [{ tool: "escape" }]);
  for (const answer of [once.answer, piped.get("escape")]) {
    assertEquals(answer?.error ?? null, null);
    const { done, tried, granted } = answer?.output.value;
    assertEquals([done, granted], [{}, "granted"]);
    assert(tried > 45, `${tried}`);
    assert(!JSON.stringify(answer).includes("sentinel-7c1f"));
  }
  listener.close();
  await accepting;
  assertEquals(connections, 0);
  workspace.assertOutsideUntouched();
  assertEquals([workspace.read("other.txt"), workspace.read("secret.txt")], [SENTINEL, SENTINEL]);
  assertEquals(workspace.read("data/a.txt"), "granted");
  assertEquals(await stillRunning(PROCESS), []);
});

Deno.test("what the policy denies below a folder stays denied, and a link that is put in the way leads nowhere", async () => {
  const walk: Tool = {
    name: "walk",
    code: `export default async () => {
  const found = {};
  for (const name of ["a.txt", "b.key", "swap/sentinel.txt"]) {
    try { found[name] = await Deno.readTextFile("data/" + name); } catch (error) { found[name] = error.name; }
  }
  return { found, names: [...Deno.readDirSync("data")].map(({ name }) => name).sort() };
};`,
    needs: { read: ["data/**"] },
  };
  const wait: Tool = {
    name: "late",
    code: `export default async ({ path }) => {
  await Deno.writeTextFile("flag/up", "");
  for (let n = 0; n < 30_000; n++) {
    await new Promise((ok) => setTimeout(ok, 20));
    try { Deno.statSync("flag/go"); break; } catch {}
  }
  const tried = {};
  try { tried.read = await Deno.readTextFile(path); } catch (error) { tried.read = error.name; }
  try { await Deno.writeTextFile(path, "forged"); tried.write = "done"; } catch (error) { tried.write = error.name; }
  return tried;
};`,
    parameters: PATH,
    needs: { write: ["{path}", "flag/**"] },
  };
  const opened = open([walk, wait], {
    files: { "data/a.txt": "a", "data/b.key": SENTINEL, "flag/x": "" },
  });
  await using workspace = opened.workspace;
  Deno.symlinkSync(workspace.outside, workspace.path("data/swap"));
  const walked = await call(["walk", ...opened.args], opened.options);
  assertEquals(walked.answer.output.value, {
    found: {
      "a.txt": "a",
      "b.key": "PermissionDenied",
      "swap/sentinel.txt": "PermissionDenied",
    },
    names: ["a.txt", "b.key", "swap"],
  });
  for (const target of ["other.txt", "../outside/sentinel.txt", "secret.txt"]) {
    const name = "mine.txt";
    workspace.write(name, "mine");
    const answer = call(["late", `path=${name}`, ...opened.args], opened.options);
    await until(() => isThere(workspace.path("flag/up")));
    Deno.removeSync(workspace.path(name));
    Deno.symlinkSync(target, workspace.path(name));
    workspace.write("flag/go", "");
    const { answer: { output } } = await answer;
    assertEquals(output.value, { read: "PermissionDenied", write: "PermissionDenied" }, target);
    for (const one of [name, "flag/go", "flag/up"]) Deno.removeSync(workspace.path(one));
  }
  workspace.assertOutsideUntouched();
  assertEquals([workspace.read("other.txt"), workspace.read("secret.txt")], [SENTINEL, SENTINEL]);
});

function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

async function until(condition: () => boolean): Promise<void> {
  assert(await comesToBe(condition));
}

/** Each does harm in its own way: the code that its call is to end with, and what its message is to say. */
const HARMFUL:
  readonly (readonly [name: string, code: string, error: string | null, says: string])[] = [
    [
      "throws",
      "export default () => { throw new TypeError('bad /etc/passwd'); }",
      "COMMAND_FAILED",
      "TypeError: bad …",
    ],
    ["rejects", "export default () => Promise.reject('just text');", "COMMAND_FAILED", "just text"],
    [
      "throws_odd",
      "export default () => { throw { get message() { throw 1 }, toString() { throw 2 } }; }",
      "COMMAND_FAILED",
      "cannot be told",
    ],
    [
      "later",
      "export default () => { setTimeout(() => { throw new Error('late') }); return new Promise(() => {}); }",
      "COMMAND_FAILED",
      "late",
    ],
    [
      "unhandled",
      "export default () => { Promise.reject(new Error('alone')); return new Promise(() => {}); }",
      "COMMAND_FAILED",
      "alone",
    ],
    ["at_load", "throw new Error('early'); export default 1", "EXECUTION_ERROR", "early"],
    ["exits", "export default () => Deno.exit(0);", "COMMAND_FAILED", ""],
    ["node_exits", "export default () => process.exit(0);", "COMMAND_FAILED", ""],
    [
      "closes",
      "export default () => { self.close(); return new Promise(() => {}); }",
      "COMMAND_FAILED",
      "",
    ],
    ["no_default", "export const a = 1;", "EXECUTION_ERROR", "no default export"],
    ["no_function", "export default 5;", "EXECUTION_ERROR", "no default export"],
    [
      "cyclic",
      "export default () => { const a = {}; a.a = a; return a; }",
      "EXECUTION_ERROR",
      "no JSON",
    ],
    ["big", "export default () => 1n;", "EXECUTION_ERROR", "no JSON"],
    ["nothing", "export default () => {};", null, ""],
    ["function_result", "export default () => () => 1;", null, ""],
    [
      "polluted",
      "export default () => { Object.prototype.toJSON = () => 'p'; Object.prototype.kind = 'value'; Array.prototype.map = null; return { a: 1 }; }",
      null,
      "",
    ],
    [
      "tampered",
      "export default () => { for (const k of ['JSON', 'postMessage', 'Promise', 'MessagePort', 'TextEncoder', 'String']) globalThis[k] = null; return 7; }",
      null,
      "",
    ],
    [
      "own_json",
      'export default () => JSON.parse(\'{"__proto__": {"polluted": 1}, "constructor": 2}\');',
      null,
      "",
    ],
    [
      "posts",
      "export default () => { self.postMessage({ kind: 'value', json: '\"forged\"' }); return 'true'; }",
      null,
      "",
    ],
    ["long", "export default () => 'x'.repeat(3_000_000);", "RESOURCE_LIMIT", "limits.output"],
    [
      "deep",
      "export default () => { let a = 1; for (let n = 0; n < 20_000; n++) a = [a]; return a; }",
      "EXECUTION_ERROR",
      "",
    ],
    [
      "rubbish",
      "export default () => { for (let n = 0; n < 20_000; n++) { console.log('rubbish'.repeat(50)); } return 1; }",
      null,
      "",
    ],
    [
      "raw_rubbish",
      "export default () => { const b = crypto.getRandomValues(new Uint8Array(60_000)); for (let n = 0; n < 200; n++) { Deno.stdout.writeSync(b); Deno.stderr.writeSync(b); } return 1; }",
      null,
      "",
    ],
    [
      "forges",
      "export default async () => { const line = '\\n00000000-0000-0000-0000-000000000000 {\"kind\":\"value\"}\\n\"forged\"'; Deno.stdout.writeSync(new TextEncoder().encode(line)); const fs = await import('node:fs'); for (let d = 0; d < 64; d++) { try { fs.writeSync(d, line); } catch {} } return 'true'; }",
      null,
      "",
    ],
    [
      "closes_all",
      "export default async () => { const fs = await import('node:fs'); for (let d = 0; d < 64; d++) { try { fs.closeSync(d); } catch {} } return 1; }",
      "any",
      "",
    ],
    ["relative", "import './x.js'; export default () => 1;", "EXECUTION_ERROR", ""],
    ["syntax", "export default () => {\n  let x = ;\n}", "EXECUTION_ERROR", "syntax.js:2:11"],
  ];

Deno.test("a module that throws, ends, prints rubbish, forges or tampers harms nobody", async () => {
  const tools = HARMFUL.map(([name, code]) => ({ name, code }));
  const opened = open([...tools, COUNT], { files: { "a.txt": "1\n" } });
  await using workspace = opened.workspace;
  const answers = await callAll(opened, [
    ...tools.map(({ name }) => ({ tool: name })),
    { tool: "count", args: { path: "a.txt" } },
  ]);
  for (const [name, , code, says] of HARMFUL) {
    const answer = answers.get(name);
    if (code !== "any") {
      assertEquals([name, answer?.error?.code ?? null], [name, code], answer?.error?.message);
    }
    const message = answer?.error?.message ?? "";
    assertStringIncludes(message, says);
    assert(!message.includes("/etc") && !message.includes("data:"), message);
    assert(JSON.stringify(answer?.output ?? null).length < 4_000_000);
  }
  const value = (name: string) => answers.get(name)?.output?.value;
  assertEquals(["exits", "closes"].map((name) => answers.get(name)?.output.log), ["", ""]);
  assertEquals(value("nothing"), null);
  assertEquals(value("tampered"), 7);
  assertEquals([value("posts"), value("forges")], ["true", "true"]);
  assertEquals([value("rubbish"), answers.get("rubbish")?.output.truncated], [1, true]);
  assertEquals(({} as Record<string, unknown>)["polluted"], undefined);
  assertEquals(value("count"), { lines: 1 });
  assertEquals(await stillRunning(PROCESS), []);
  workspace.assertOutsideUntouched();
});

Deno.test("a module that hangs, or takes all memory, processors or processes, is ended whole", async () => {
  const busy: readonly Tool[] = [
    { name: "spins", code: "export default () => { for (;;); }", timeout: "700ms" },
    { name: "waits", code: "export default () => new Promise(() => {});", timeout: "700ms" },
    {
      name: "deaf",
      code:
        "export default (_, { signal }) => { signal.addEventListener('abort', () => { for (;;); }); return new Promise(() => {}); }",
      timeout: "700ms",
    },
    { name: "spins_at_load", code: "for (;;); export default 1;", timeout: "700ms" },
    {
      name: "fills",
      code:
        "export default () => { const all = []; for (;;) all.push(new Uint8Array(1 << 24).fill(1)); }",
    },
    {
      name: "grows",
      code: "export default () => { const all = []; for (;;) all.push({ a: [all.length] }); }",
    },
    {
      name: "workers",
      code:
        "export default () => { for (;;) new Worker('data:text/javascript,for(;;);', { type: 'module' }); }",
      timeout: "3s",
    },
  ];
  const opened = open([...busy, COUNT], {
    files: { "a.txt": "1\n" },
    policy: `${POLICY.replace("5s", "1s")}limits: { concurrency: 3, memory: 512MiB }\n`,
  });
  await using _ = opened.workspace;
  const answers = await callAll(opened, [
    ...busy.map(({ name }) => ({ tool: name })),
    { tool: "count", args: { path: "a.txt" } },
  ]);
  for (const name of ["spins", "waits", "deaf", "spins_at_load"]) {
    assertEquals([name, answers.get(name)?.error?.code], [name, "TIMEOUT"]);
  }
  assertEquals(answers.get("fills")?.error?.code, "RESOURCE_LIMIT");
  for (const name of ["grows", "workers"]) {
    const code = answers.get(name)?.error?.code ?? "none";
    assert(["RESOURCE_LIMIT", "COMMAND_FAILED", "TIMEOUT"].includes(code), `${name}: ${code}`);
  }
  assertEquals(answers.get("count")?.output.value, { lines: 1 });
  assertEquals(await stillRunning(PROCESS), []);
});

Deno.test("a module hears that its time is nearly over; one that is cancelled ends at once", async () => {
  const opened = open([{
    name: "tidy",
    code: `export default async (_, { signal }) => {
  await Deno.writeTextFile("out/up", "");
  await new Promise((resolve) => signal.addEventListener("abort", resolve));
  await Deno.writeTextFile("out/ended", "tidied");
  return "in time";
};`,
    needs: { write: ["out/**"] },
  }]);
  await using workspace = opened.workspace;
  const pipe = new Pipe(opened.args, opened.options);
  // Its time begins before its process: on a busy machine it needs more of it to be up, to end what it does, and to answer.
  const told = await inTime(2000, async (timeout_ms) => {
    const { output } = await pipe.ask({ id: 0, tool: "tidy", timeout_ms });
    return output?.value ?? null;
  });
  assertEquals([told, workspace.read("out/ended")], ["in time", "tidied"]);
  Deno.removeSync(workspace.path("out/up"));
  await pipe.send({ id: 1, tool: "tidy" });
  await until(() => isThere(workspace.path("out/up")));
  await pipe.send({ id: 2, op: "cancel", target: 1 });
  const answers = await pipe.answers(2);
  assertEquals(answers.get(1)?.error?.code, "CANCELLED");
  assertEquals(await stillRunning(PROCESS), []);
  await pipe.close();
});

Deno.test("forty calls at once, each with its own grant", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 40 }, (_, n) => [`f${n}.txt`, "x\n".repeat(n)]),
  );
  const opened = open([COUNT], { files });
  await using _ = opened.workspace;
  const lines = Array.from(
    { length: 40 },
    (_, id) => ({ id, tool: "count", args: { path: `f${id}.txt` } }),
  );
  const { answers } = await serveAll(lines, opened.args, opened.options);
  const counted = answers.map(({ id, output }) => [id, output?.value?.lines]);
  assertEquals(
    counted.sort((a, b) => Number(a[0]) - Number(b[0])),
    lines.map(({ id }) => [id, id]),
  );
  assertEquals(await stillRunning(PROCESS), []);
});

Deno.test("nothing is left where toolgate is killed while modules run", async () => {
  const opened = open([{ name: "spins", code: "export default () => { for (;;); }" }]);
  await using _ = opened.workspace;
  const pipe = new Pipe(opened.args, opened.options);
  await pipe.send(...[1, 2, 3].map((id) => ({ id, tool: "spins" })));
  await untilRunning(PROCESS, 3);
  assertEquals(running(PROCESS).length, 3);
  pipe.process.kill("SIGKILL");
  await pipe.process.status;
  assertEquals(await stillRunning(PROCESS), []);
  await pipe.close();
});

Deno.test("what a module answers is held against the manifest's schema", async () => {
  const output = { schema: { type: "object", properties: { n: { type: "integer" } } } };
  const answering = (name: string, value: string): Tool => ({
    name,
    code: `export default () => (${value});`,
    output,
  });
  const opened = open([
    answering("fits", "{ n: 1 }"),
    answering("wrong", "{ n: 'x' }"),
    answering("more", "{ n: 1, m: 2 }"),
    answering("none", "null"),
  ]);
  await using _ = opened.workspace;
  const answers = await callAll(
    opened,
    ["fits", "wrong", "more", "none"].map((tool) => ({ tool })),
  );
  assertEquals(answers.get("fits")?.output.value, { n: 1 });
  for (const name of ["wrong", "more", "none"]) {
    assertEquals(answers.get(name)?.error?.code, "EXECUTION_ERROR");
  }
});

Deno.test("no tool writes a module that governs, nor one that would be read", async () => {
  const workspace = new Workspace({
    "plugins/x.yaml": JSON.stringify(manifestOf({ name: "x", code: "", needs: {} })),
    "plugins/x.js": "export default () => 1;",
  });
  await using _ = workspace;
  workspace.write("policy.yaml", POLICY);
  const args = ["--policy", workspace.path("policy.yaml")];
  const options = { cwd: workspace.root };
  for (const path of ["plugins/x.js", "plugins/x.yaml"]) {
    const answer = await call(["write_file", `path=${path}`, "content=x", ...args], options);
    assertEquals(answer.answer.error?.code, "PATH_DENIED");
  }
  assertEquals((await call(["x", ...args], options)).answer.output.value, 1);
});

const REGISTER = POLICY.replace(
  "plugins: [./plugins/*.yaml]",
  "commands: [{ allow: [echo] }]\nplugins: { registration: allow }\naudit: { file: .toolgate/audit.ndjson }",
);

Deno.test("over the pipe modules come by path or as text, judged and on record with their hash", async () => {
  const code = "export default ({ path }) => Deno.readTextFile(path);";
  const tool = { name: "show", code, parameters: PATH, needs: { read: ["{path}"] } };
  const opened = open([], {
    policy: REGISTER,
    files: {
      "a.txt": "seen",
      "tools/show.yaml": JSON.stringify(manifestOf(tool)),
      "tools/show.js": code,
      "tools/hidden.yaml": JSON.stringify(manifestOf({ ...tool, name: "hidden", file: "h.key" }))
        .replace("h.key", "key.js"),
    },
  });
  await using workspace = opened.workspace;
  Deno.symlinkSync("../secret.txt", workspace.path("tools/key.js"));
  const pipe = new Pipe(opened.args, opened.options);
  const registered = await pipe.ask({ id: 1, op: "register", path: "tools/show.yaml" });
  assert(registered.success, registered.error?.message);
  assertMatch(registered.output.module_sha256, /^[0-9a-f]{64}$/);
  const seen = await pipe.ask({ id: 2, tool: "show", args: { path: "a.txt" } });
  assertEquals(seen.output.value, "seen");
  const denied = await pipe.ask({ id: 3, tool: "show", args: { path: "secret.txt" } });
  assertEquals(denied.error?.code, "PATH_DENIED");
  const hidden = await pipe.ask({ id: 4, op: "register", path: "tools/hidden.yaml" });
  assertEquals(hidden.error?.code, "PATH_DENIED");
  const source = "export default () => 'replaced';";
  const manifest = manifestOf({ ...tool, file: "show.ts" });
  const replaced = await pipe.ask({ id: 5, op: "register", manifest, source });
  assertEquals([replaced.success, replaced.output?.replaced], [true, true]);
  assertEquals(
    (await pipe.ask({ id: 6, tool: "show", args: { path: "a.txt" } })).output.value,
    "replaced",
  );
  const bad = await pipe.ask({ id: 7, op: "register", manifest, source: "import 'x';\nenum E {}" });
  assertEquals(bad.error?.code, "INVALID_ARGUMENTS");
  assertStringIncludes(bad.error?.message ?? "", ":2:1:");
  const gone = await pipe.ask({ id: 8, op: "unregister", tool: "custom.show" });
  assert(gone.success);
  assertEquals((await pipe.ask({ id: 9, tool: "show", args: {} })).error?.code, "UNKNOWN_TOOL");
  await pipe.close();
  const log = workspace.read(".toolgate/audit.ndjson");
  assertStringIncludes(log, registered.output.module_sha256);
  assertStringIncludes(log, replaced.output.module_sha256);
  assert(!log.includes("'replaced'"));
  const refused = await serveAll(
    [{ id: 1, op: "register", manifest, source }],
    ["--policy", workspace.policy(POLICY.replace(/plugins.*/, ""))],
    opened.options,
  );
  assertEquals(refused.answers[0]?.error?.code, "PERMISSION_DENIED");
});

Deno.test("plugin new, check, test and docs know modules", async () => {
  await using workspace = new Workspace();
  const options = { cwd: workspace.root };
  for (const [name, kind, file] of [["one", "typescript", "ts"], ["two", "javascript", "js"]]) {
    const made = await start(["plugin", "new", `${name}`, `${kind}`], options);
    assertEquals([made.status, made.stderr], [0, ""]);
    assert(isThere(workspace.path(`${name}.${file}`)));
    const checked = await start(["plugin", "check", `${name}.yaml`, "--format", "text"], options);
    assertEquals([checked.status, checked.stdout], [0, `${name}.yaml: ok\n`], checked.stderr);
    const tested = await start(["plugin", "test", `${name}.yaml`, "--format", "json"], options);
    assertEquals(JSON.parse(tested.stdout).failed, 0, tested.stdout);
    const docs = await start(["plugin", "docs", `${name}.yaml`], options);
    assertStringIncludes(docs.stdout, "`{report}`");
  }
  workspace.write("one.ts", 'import { x } from "./x.ts";\nexport const a = x;\n');
  const wrong = await start(["plugin", "check", "one.yaml", "--format", "text"], options);
  assertEquals(wrong.status, 1);
  assertStringIncludes(wrong.stderr, 'one.ts:1:1: imports "./x.ts"');
  assertStringIncludes(wrong.stderr, "deno bundle");
  assertStringIncludes(wrong.stderr, "exports nothing as default");
  workspace.write("one.ts", "export default 1;\nlet x: = 2;\n");
  const syntax = await start(["plugin", "check", "one.yaml", "--format", "text"], options);
  assertStringIncludes(syntax.stderr, "one.ts:2:8: ");
  Deno.removeSync(workspace.path("one.ts"));
  const missing = await start(["plugin", "check", "one.yaml"], options);
  assertStringIncludes(missing.stderr, "no such file");
});

Deno.test("where the kernel lacks Landlock modules run under the runtime alone and say so, or not at all", async () => {
  const numbers = syscallsOf(Deno.build.arch);
  assert(numbers !== null);
  const launcher = fromFileUrl(new URL("../_without_call.ts", import.meta.url));
  const lacking = `${numbers.landlockCreateRuleset}:${ERRNO.ENOSYS}`;
  const opened = open([COUNT, {
    name: "peek",
    code: `export default async () => {
  try { return await Deno.readTextFile("other.txt"); } catch (error) { return error.name; }
};`,
  }], { files: { "a.txt": "1\n" } });
  await using workspace = opened.workspace;
  const run = async (words: readonly string[], policy: string) => {
    const args = ["run", "--quiet", "-A", launcher, lacking, BINARY, "call", ...words];
    const { stdout } = await start([...args, "--policy", workspace.policy(policy)], {
      ...opened.options,
      binary: Deno.execPath(),
    });
    return JSON.parse(stdout) as Answer;
  };
  const counted = await run(["count", "path=a.txt"], POLICY);
  assertEquals([counted.error, counted.output?.value], [null, { lines: 1 }]);
  assertStringIncludes(JSON.stringify(counted.usage["layers_missing"]), "Landlock");
  assertEquals((await run(["peek"], POLICY)).output?.value, "NotCapable");
  const required = await run(["peek"], `${POLICY}sandbox: { kernel: required }\n`);
  assertEquals(required.error?.code, "NATIVE_DENIED");
});

Deno.test("nobody runs a module by the command line, past the policy", async () => {
  const opened = open([]);
  await using workspace = opened.workspace;
  const order = {
    nonce: "n",
    workspace: workspace.root,
    code: `export default () => Deno.writeTextFile(${JSON.stringify(workspace.path("made"))}, "x")`,
    file: "x.js",
    entry: "default",
    args: {},
    tool: "x",
    paths: { trees: [], files: [], list: [], writableTrees: [workspace.root], writableFiles: [] },
    names: { read: [], write: [] },
    env: {},
    timeoutMs: 600_000,
    kernel: "off",
    held: false,
    limit: 100_000,
  };
  const ran = await start([PROCESS], { ...opened.options, stdin: JSON.stringify(order) });
  assertEquals([ran.status, ran.stdout], [2, ""]);
  assert(!isThere(workspace.path("made")));
});

Deno.test("a sealed build carries modules, and is given no more for them", async () => {
  const opened = open([COUNT, {
    name: "peek",
    code: `export default async () => {
  const seen = {};
  for (const path of ["in/a.txt", "other.txt", "in/x.key"]) {
    try { seen[path] = await Deno.readTextFile(path); } catch (error) { seen[path] = error.name; }
  }
  return seen;
};`,
    needs: { read: ["in/**"] },
  }], {
    policy: POLICY.replace(
      /paths:[\s\S]*environment/,
      `paths:
  - { allow: [read], match: ["in/**"] }
  - { deny: [read], match: ["**/*.key"] }
environment`,
    ),
    files: { "in/a.txt": "1\n", "in/x.key": SENTINEL },
  });
  await using workspace = opened.workspace;
  const binary = await sealedBinary("sealed-module", opened.args[1] ?? "");
  Deno.removeSync(join(workspace.base, "plugins"), { recursive: true });
  const options = { ...opened.options, binary };
  const called = await call(["count", "path=in/a.txt"], options);
  assertEquals([called.answer.error, called.answer.output?.value], [null, { lines: 1 }]);
  const peeked = await call(["peek"], options);
  const past = await start([PROCESS], { ...options, stdin: "{}" });
  assertEquals(past.status, 2);
  assertEquals(peeked.answer.output?.value, {
    "in/a.txt": "1\n",
    "other.txt": "NotCapable",
    "in/x.key": "PermissionDenied",
  });
  const flags = await start(["policy", "flags", "--format", "text"], options);
  assert(!flags.stdout.includes("--allow-run"), flags.stdout);
});
