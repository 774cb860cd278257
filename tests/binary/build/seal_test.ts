/** `seal`: what the toolchain makes of a policy, made by the binary alone. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { sealed } from "../../../scripts/build.ts";
import { builtForTests } from "../../../scripts/testing/binaries.ts";
import { BINARY, call, Pipe, SENTINEL, serveAll, start, Workspace } from "../toolgate.ts";

const POLICY = `version: 1
paths:
  - { allow: [read], match: ["**"] }
  - { allow: [write], match: ["out/**", "a,b/**"] }
  - { deny: [read, write], match: ["closed/**"], reason: closed }
commands: [{ allow: [cat] }]
plugins: [./plugins/*.yaml]
environment: { pass: [LANG], set: {} }
`;
const PLUGIN = `version: 1
name: shout
description: Says a file's text.
permission: code_execution
risk: safe
parameters: { type: object, properties: { file: { type: string } }, required: [file] }
command: [cat, "{file}"]
`;

function openWorkspace(): Workspace {
  const workspace = new Workspace({ "a.txt": "hello\n", "closed/b.txt": SENTINEL });
  Deno.mkdirSync(`${workspace.base}/plugins`);
  Deno.writeTextFileSync(`${workspace.base}/plugins/shout.yaml`, PLUGIN);
  return workspace;
}

async function seal(workspace: Workspace, policy: string, ...more: string[]) {
  const output = `${workspace.base}/sealed`;
  const done = await start(["seal", "--policy", policy, "-o", output, ...more], {
    cwd: workspace.base,
  });
  return { ...done, output };
}

Deno.test("it is byte for byte what a build with that policy is, custom tools and all", async () => {
  await using workspace = openWorkspace();
  const policy = workspace.policy(POLICY);
  const { status, stderr, output } = await seal(workspace, policy);
  assertEquals(status, 0, stderr);
  const built = await builtForTests("sealed-like", await sealed(policy));
  assertEquals(await digest(output), await digest(built));
  const again = await seal(workspace, policy);
  assertEquals(await digest(again.output), await digest(built), "replaced by the same");
});

Deno.test("the thread that hears a pipe has the permissions of the policy, where others were expected ahead, too", async () => {
  await using workspace = openWorkspace();
  const beside = `${workspace.base}/beside.txt`;
  Deno.writeTextFileSync(beside, "beside\n");
  for (const [match, opens] of [['"**"', false], [`"**", "{${beside},b.txt}"`, true]] as const) {
    const policy = `version: 1\npaths: [{ allow: [read], match: [${match}] }]\n`;
    const { output: binary } = await seal(workspace, workspace.policy(policy));
    const look = (id: number, path: string) => ({ id, tool: "read_file", args: { path } });
    const { answers } = await serveAll([look(1, "a.txt"), look(2, beside)], [], {
      cwd: workspace.root,
      binary,
    });
    const [own, other] = [1, 2].map((id) => answers.find((answer) => answer.id === id));
    assertEquals([own?.success, other?.success], [true, opens]);
    assertEquals(own?.usage["layers"], ["policy", "runtime", "landlock"]);
    assertEquals(other?.error?.code, opens ? undefined : "PATH_OUTSIDE_WORKSPACE");
    if (opens) assertEquals(other?.usage["layers"], own?.usage["layers"]);
  }
});

Deno.test("it does what the policy says and no more, wherever the files of the policy are by then", async () => {
  await using workspace = openWorkspace();
  const agents =
    'agents: { worker: { permissions: [all], worktree: true }, "*": { permissions: [all] } }\n';
  // Open at any port, so that what doctor tries must be another address.
  const network = 'network: [{ allow: ["127.0.0.1"], allow_private: true }]\n';
  const { output: binary } = await seal(workspace, workspace.policy(POLICY + agents + network));
  Deno.removeSync(`${workspace.base}/plugins`, { recursive: true });
  const options = { cwd: workspace.root, binary };
  const { answers } = await serveAll(
    [
      { id: 1, tool: "read_file", args: { path: "a.txt" } },
      { id: 2, tool: "read_file", args: { path: "closed/b.txt" } },
      { id: 3, tool: "write_file", args: { path: "out/c.txt", content: "x" } },
      { id: 4, tool: "write_file", args: { path: "d.txt", content: "x" } },
      { id: 5, tool: "shout", args: { file: "a.txt" } },
      { id: 6, tool: "run_command", args: { argv: ["touch", "e.txt"] } },
      { id: 7, tool: "read_file", args: { path: "a.txt" }, agent: "worker" },
    ],
    [],
    options,
  );
  const codes = [1, 2, 3, 4, 5, 6].map((id) =>
    answers.find((answer) => answer.id === id)?.error?.code ?? null
  );
  assertEquals(codes.slice(0, 5), [null, "PATH_DENIED", null, "PATH_DENIED", null]);
  assert(codes[5] !== null);
  const worker = answers.find(({ id }) => id === 7)?.error;
  assertEquals(worker?.code, "PERMISSION_DENIED");
  assertStringIncludes(worker?.message ?? "", "a sealed binary may use its own folder alone");
  assertEquals(Deno.readTextFileSync(workspace.path("closed/b.txt")), SENTINEL);
  assertEquals([...Deno.readDirSync(workspace.root)].map(({ name }) => name).sort(), [
    "a.txt",
    "closed",
    "out",
  ]);
  const doctor = JSON.parse((await start(["doctor"], options)).stdout);
  assertEquals([doctor.sealed, doctor.healthy], [true, true]);
});

Deno.test("sealed for an agent, it speaks for no other", async () => {
  await using workspace = openWorkspace();
  const policy = workspace.policy(
    POLICY + 'agents: { reader: { permissions: [file_read] }, "*": { permissions: [all] } }\n',
  );
  const { output: binary, status, stderr } = await seal(workspace, policy, "--agent", "reader");
  assertEquals(status, 0, stderr);
  const options = { cwd: workspace.root, binary };
  const write = ["write_file", "path=out/x.txt", "content=x"];
  assertEquals((await call(write, options)).answer.error?.code, "PERMISSION_DENIED");
  for (
    const other of [{ words: ["--agent", "root"], env: {} }, {
      words: [],
      env: { TOOLGATE_AGENT: "root" },
    }]
  ) {
    const { status, stdout, stderr } = await start(["call", ...write, ...other.words], {
      ...options,
      env: other.env,
    });
    assertEquals([status, stdout], [2, ""]);
    assertStringIncludes(stderr, "sealed for agent reader");
  }
  const pipe = new Pipe([], options);
  const asked = { id: 1, tool: "write_file", args: { path: "out/x.txt", content: "x" } };
  for (const more of [{}, { agent: "root" }]) {
    assertEquals((await pipe.ask({ ...asked, ...more })).error?.code, "PERMISSION_DENIED");
  }
  assertEquals((await pipe.close()).status, 0);
  assertEquals([...Deno.readDirSync(workspace.root)].length, 2);
});

Deno.test("what cannot be sealed is refused, and nothing is left", async () => {
  await using workspace = openWorkspace();
  const policy = workspace.policy(POLICY);
  const wide = workspace.policy("version: 1\nworkspace: ..\n", "wide.yaml");
  const wrong = workspace.policy("version: 1\npahts: []\n", "wrong.yaml");
  const apart = workspace.policy(
    "version: 1\nagents: { reader: { permissions: [all] }, 'w-*': { permissions: [all], worktree: true } }\n",
    "apart.yaml",
  );
  const sealed = (await seal(workspace, policy)).output;
  Deno.renameSync(sealed, `${workspace.base}/first`);
  const output = `${workspace.base}/sealed`;
  const refused: readonly (readonly [readonly string[], string, string?])[] = [
    [["--policy", policy], "-o FILE"],
    [["-o", output], "--policy FILE"],
    [["--policy", policy, "-o", output, "more"], "seal takes"],
    [["--policy", policy, "--policy", policy, "-o", output], "one policy"],
    [["--policy", `${workspace.base}/none.yaml`, "-o", output], "no such file"],
    [["--policy", wrong, "-o", output], "pahts"],
    [["--policy", wide, "-o", output], "leads out"],
    [["--policy", policy, "-o", output, "--agent", "a b"], "--agent takes"],
    [["--policy", apart, "-o", output, "--agent", "w-1"], "agent w-1 works in a git worktree"],
    [["--policy", policy, "-o", `${workspace.base}/none/x`], "cannot be written"],
    [["--policy", policy, "-o", workspace.base], "cannot be written"],
    [["--policy", policy, "-o", output], "sealed already", `${workspace.base}/first`],
  ];
  const before = [...Deno.readDirSync(workspace.base)].map(({ name }) => name).sort();
  for (const [words, message, binary = BINARY] of refused) {
    const { status, stderr } = await start(["seal", ...words], { cwd: workspace.base, binary });
    assertEquals(status, 2, stderr);
    assertStringIncludes(stderr, message);
  }
  assertEquals([...Deno.readDirSync(workspace.base)].map(({ name }) => name).sort(), before);
});

async function digest(path: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", await Deno.readFile(path));
  return new Uint8Array(hash).toHex();
}
