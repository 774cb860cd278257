/** Sealed builds: a binary that can do what one policy allows, and nothing else. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { sealed } from "../../../scripts/build.ts";
import { bakedSettings } from "./baked_settings.ts";
import { buildProbe } from "../probe.ts";
import { call, Pipe, sealedBinary, SENTINEL, serveAll, start, Workspace } from "../toolgate.ts";

const ROOT = fromFileUrl(new URL("../../..", import.meta.url));

const WHOLE = `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [read, write], match: ["closed/**"], reason: closed }
commands: [{ allow: [cat, printenv] }]
environment: { pass: [LANG, GREETING], set: {} }
`;
const NARROW = `version: 1
paths:
  - { allow: [read], match: ["src/**"] }
  - { allow: [write], match: ["out/**"] }
agents: { "*": { permissions: [file_read, file_write] } }
environment: { pass: [], set: {} }
`;
/** Nothing is denied below what is allowed: with such a denial threads inherit, and would prove less. */
const PLAIN = `version: 1
paths: [{ allow: [read, write], match: ["**"] }]
commands: [{ allow: [cat] }]
sandbox: { kernel: off }
`;

interface Built {
  readonly status: number;
  readonly stderr: string;
}

/** As one would, by the script. */
async function buildSealed(policy: string, output: string): Promise<Built> {
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "scripts/build.ts", "--policy", policy, "--output", output],
    cwd: ROOT,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  return { status: code, stderr: new TextDecoder().decode(stderr) };
}

async function sealedForTests(name: string, policy: string): Promise<string> {
  await using workspace = new Workspace();
  return await sealedBinary(`sealed-${name}`, workspace.policy(policy, `${name}.yaml`));
}

const whole = await sealedForTests("whole", WHOLE);
const narrow = await sealedForTests("narrow", NARROW);

function openWorkspace(): Workspace {
  const workspace = new Workspace({
    "a.txt": "needle\n",
    "src/b.txt": "needle\n",
    "closed/c.txt": "needle\n",
  });
  Deno.symlinkSync(workspace.outside, workspace.path("link"));
  return workspace;
}

for (const [name, binary, text] of [["whole", whole, WHOLE], ["narrow", narrow, NARROW]] as const) {
  Deno.test(`what is baked is what "policy flags" says: ${name}`, async () => {
    await using workspace = new Workspace();
    const { stdout } = await start(["policy", "flags", "--policy", workspace.policy(text)], {
      cwd: workspace.root,
    });
    const { flags } = JSON.parse(stdout) as { readonly flags: readonly string[] };
    const expected = Object.fromEntries(flags.map((flag) => {
      const [, kind = "", values] = /^--([a-z-]+)(?:=(.*))?$/.exec(flag) ?? [];
      return [kind.replace("-", "_"), values?.split(",") ?? []];
    }));
    const { permissions } = bakedSettings(binary);
    const baked = Object.entries(permissions).filter(([kind, values]) =>
      // Modules of hosts: Deno's own list, all of it denied.
      Array.isArray(values) && kind !== "allow_import" && kind !== "deny_import"
    );
    assertEquals(Object.fromEntries(baked), expected);
    assertEquals([permissions["deny_import"], permissions["prompt"]], [[], false]);
  });
}

Deno.test("each tool works, held by all layers, in call and in serve", async () => {
  const held = ["policy", "runtime", "landlock"];
  const calls = [
    ["read_file", { path: "a.txt" }, held],
    ["write_file", { path: "new/b.txt", content: "x" }, held],
    ["write_file", { path: "a2.txt", content: "x" }, held],
    ["list_directory", { recursive: true }, held],
    ["search_files", { pattern: "needle" }, held],
    ["get_file_info", { path: "a.txt" }, held],
    ["run_command", { argv: ["cat", "a.txt", "src/b.txt"] }, [...held, "seccomp"]],
  ] as const;
  await using workspace = openWorkspace();
  const options = { cwd: workspace.root, binary: whole };
  const pipe = new Pipe([], options);
  for (const [tool, args, layers] of calls) {
    const once = await call([tool, "--json", JSON.stringify(args)], options);
    const served = await pipe.ask({ id: 1, tool, args });
    for (const { success, output, usage, error } of [once.answer, served]) {
      assert(success, `${tool}: ${error?.message}`);
      assertEquals(usage["layers"], layers, tool);
      assert(!JSON.stringify(output).includes("closed"), `${tool}: ${JSON.stringify(output)}`);
      if (tool === "search_files") assertEquals(output.total_matches, 2);
      if (tool === "run_command") assertEquals(output.stdout, "needle\nneedle\n");
    }
  }
  assertEquals((await pipe.close()).status, 0);
  assertEquals(workspace.read("new/b.txt"), "x");
});

Deno.test("what the policy denies, and every way out, is refused in call and in serve", async () => {
  const outside = "PATH_OUTSIDE_WORKSPACE";
  await using workspace = openWorkspace();
  const refused = [
    ["read_file", { path: "closed/c.txt" }, "PATH_DENIED"],
    ["write_file", { path: "closed/new.txt", content: "x" }, "PATH_DENIED"],
    ["run_command", { argv: ["cat", "closed/c.txt"] }, "PATH_DENIED"],
    ["run_command", { argv: ["id"] }, "COMMAND_DENIED"],
    ["read_file", { path: "link/sentinel.txt" }, outside],
    ["read_file", { path: "../outside/sentinel.txt" }, outside],
    ["read_file", { path: `${workspace.outside}/sentinel.txt` }, outside],
    ["get_file_info", { path: "link/sentinel.txt" }, outside],
    ["list_directory", { path: "link" }, outside],
    ["search_files", { path: "link", pattern: "sentinel" }, outside],
    ["write_file", { path: "link/new.txt", content: "x" }, outside],
    ["write_file", { path: "link/sentinel.txt", content: "x" }, outside],
    ["run_command", { argv: ["cat", "link/sentinel.txt"] }, outside],
  ] as const;
  const options = { cwd: workspace.root, binary: whole };
  const pipe = new Pipe([], options);
  for (const [tool, args, code] of refused) {
    const once = await call([tool, "--json", JSON.stringify(args)], options);
    const served = await pipe.ask({ id: 1, tool, args });
    assertEquals(once.status, 3);
    for (const answer of [once.answer, served]) {
      assertEquals(answer.error?.code, code, `${tool} ${JSON.stringify(args)}`);
      assert(!JSON.stringify(answer).includes(SENTINEL.trim()));
    }
  }
  assertEquals((await pipe.close()).status, 0);
  workspace.assertOutsideUntouched();
  assertEquals([...Deno.readDirSync(workspace.path("closed"))].length, 1);
});

Deno.test("a policy that allows parts alone: those, though the folder above may not be looked at", async () => {
  const calls = [
    ["read_file", { path: "src/b.txt" }, null],
    ["list_directory", { path: "src" }, null],
    ["write_file", { path: "out/deep/new.txt", content: "x" }, null],
    ["read_file", { path: "a.txt" }, "PATH_DENIED"],
    ["write_file", { path: "src/b.txt", content: "x" }, "PATH_DENIED"],
    ["write_file", { path: "a.txt", content: "x" }, "PATH_DENIED"],
  ] as const;
  for (const life of ["call", "serve"]) {
    await using workspace = openWorkspace();
    const options = { cwd: workspace.root, binary: narrow };
    for (const [tool, args, code] of calls) {
      const [answer] = life === "call"
        ? [(await call([tool, "--json", JSON.stringify(args)], options)).answer]
        : (await serveAll([{ id: 1, tool, args }], [], options)).answers;
      assertEquals(answer?.error?.code ?? null, code, `${life} ${tool} ${JSON.stringify(args)}`);
      if (code === null) assertEquals(answer?.usage["layers"], ["policy", "runtime", "landlock"]);
    }
    assertEquals(workspace.read("out/deep/new.txt"), "x");
    assertEquals(workspace.read("src/b.txt"), "needle\n");
  }
});

Deno.test("programs get the variables that the policy names", async () => {
  await using workspace = new Workspace();
  const { answer } = await call(["run_command", "argv=printenv"], {
    cwd: workspace.root,
    binary: whole,
    env: { SECRET_TOKEN: "abc", GREETING: "hello" },
  });
  const names = answer.output.stdout.trim().split("\n").map((line: string) => line.split("=")[0]);
  // The last is the mark by which what a run leaves behind is found.
  assertEquals(names.sort(), ["GIT_CONFIG_GLOBAL", "GREETING", "LANG", "TOOLGATE_RUN"]);
});

Deno.test("further policies only tighten, and none is read from where the build may not", async () => {
  await using workspace = openWorkspace();
  workspace.write("wide.yaml", 'version: 1\npaths: [{ allow: [read, write], match: ["/**"] }]\n');
  workspace.write("tight.yaml", 'version: 1\npaths: [{ allow: [read], match: ["src/**"] }]\n');
  const elsewhere = workspace.policy(WHOLE);
  const code = async (args: readonly string[], env: Record<string, string> = {}) => {
    const options = { cwd: workspace.root, binary: whole, env };
    return (await call(args, options)).answer.error?.code ?? null;
  };
  const sentinel = `path=${workspace.outside}/sentinel.txt`;
  const outside = "PATH_OUTSIDE_WORKSPACE";
  assertEquals(await code(["read_file", sentinel, "--policy", "wide.yaml"]), outside);
  assertEquals(await code(["read_file", sentinel], { TOOLGATE_POLICY: "wide.yaml" }), outside);
  assertEquals(await code(["read_file", "path=a.txt", "--policy", "wide.yaml"]), null);
  assertEquals(
    await code(["read_file", "path=closed/c.txt", "--policy", "wide.yaml"]),
    "PATH_DENIED",
  );
  assertEquals(await code(["read_file", "path=a.txt", "--policy", "tight.yaml"]), "PATH_DENIED");
  assertEquals(await code(["read_file", "path=src/b.txt", "--policy", "tight.yaml"]), null);
  const unreadable = await start(["call", "read_file", "path=a.txt", "--policy", elsewhere], {
    cwd: workspace.root,
    binary: whole,
  });
  assertEquals([unreadable.status, unreadable.stdout], [2, ""]);
});

Deno.test("no other root than where it is started, or below", async () => {
  await using workspace = openWorkspace();
  const options = { cwd: workspace.root, binary: whole };
  const read = ["call", "read_file", "path=b.txt"];
  for (const root of [workspace.outside, "..", "link", "/"]) {
    const { status, stdout, stderr } = await start([...read, "--root", root], options);
    assertEquals([status, stdout], [2, ""], root);
    assertStringIncludes(stderr, "--root");
    const variable = await start(read, { ...options, env: { TOOLGATE_ROOT: root } });
    assertEquals([variable.status, variable.stdout], [2, ""], root);
  }
  for (const root of ["src", workspace.path("src")]) {
    const { answer } = await call([...read.slice(1), "--root", root], options);
    assertEquals(answer.output?.content, "needle\n", answer.error?.message);
  }
});

Deno.test("a program of the workspace cannot stand in for one that is named", async () => {
  await using workspace = openWorkspace();
  workspace.write("cat", "#!/bin/sh\necho fake\n");
  Deno.chmodSync(workspace.path("cat"), 0o755);
  const { answer } = await call(["run_command", "argv=cat,a.txt"], {
    cwd: workspace.root,
    binary: whole,
    env: { PATH: `${workspace.root}:.:/usr/bin:/bin` },
  });
  assertEquals(answer.output?.stdout, "needle\n", answer.error?.message);
});

Deno.test("the baked permissions hold alone", async () => {
  await using workspace = new Workspace({ "inside.txt": "inside\n", "policy.yaml": PLAIN });
  const { flags } = await sealed(workspace.path("policy.yaml"));
  const pipe = new Pipe(["policy.yaml", ".", "open-policy", "open-runtime"], {
    binary: await buildProbe("probe-sealed", flags),
    words: [],
    cwd: workspace.root,
  });
  const probe = (action: string, path: string, claim: string) =>
    pipe.ask({ id: 1, tool: "probe", args: { action, path, claim } });
  for (const claim of ["read", "write"]) {
    assertEquals((await probe("read", "inside.txt", claim)).output?.text, "inside\n");
  }
  const sentinel = `${workspace.outside}/sentinel.txt`;
  for (
    const [action, path, claim] of [
      ["read", sentinel, "read"],
      ["read_async", sentinel, "read"],
      ["read", "../outside/sentinel.txt", "write"],
      ["write", sentinel, "write"],
      ["write", `${workspace.outside}/new.txt`, "write"],
      ["start", "/usr/bin/id", "spawn"],
    ] as const
  ) {
    const { error } = await probe(action, path, claim);
    assertEquals(error?.code, "NATIVE_DENIED", `${action} ${path}`);
    assertStringIncludes(error?.message ?? "", "permission set");
  }
  assertEquals((await pipe.close()).status, 0);
  workspace.assertOutsideUntouched();
});

Deno.test("doctor says what it is", async () => {
  await using workspace = openWorkspace();
  const { status, stdout } = await start(["doctor"], { cwd: workspace.root, binary: whole });
  const { sealed, healthy, policies } = JSON.parse(stdout);
  assertEquals([status, sealed, healthy, policies], [0, true, true, ["whole.yaml"]]);
});

Deno.test("nothing is built of a policy that does not load whole, or that leads out", async () => {
  await using workspace = new Workspace();
  for (
    const [text, word] of [
      ["version: 1\npahts: []\n", "pahts"],
      ["", "empty"],
      ['version: 1\nworkspace: ..\npaths: [{ allow: [read], match: ["**"] }]\n', "workspace"],
    ] as const
  ) {
    const output = `${workspace.base}/binary`;
    const { status, stderr } = await buildSealed(workspace.policy(text), output);
    assertEquals(status, 1, text);
    assertStringIncludes(stderr, word);
    assert(![...Deno.readDirSync(workspace.base)].some(({ name }) => name === "binary"));
  }
});
