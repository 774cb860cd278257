/** Machines that do not give what is asked for: rights, room, a place for temporary files, or time to finish. */

import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { Random } from "../../random.ts";
import { BINARY, call, Pipe, start, type StartOptions, Workspace } from "../toolgate.ts";

const POLICY = `version: 1
paths: [{ allow: [read, write], match: ["**"] }]
commands: [{ allow: [cat, printenv] }]
`;

const IS_ROOT = Deno.uid() === 0;
/** "nobody", where the tests are run by root; else whoever runs them, who is no root either. */
const NOBODY = 65_534;
const UNPRIVILEGED: Pick<StartOptions, "user"> = IS_ROOT
  ? { user: { uid: NOBODY, gid: NOBODY } }
  : {};

/** A workspace that belongs to the unprivileged user, and a binary that this user reaches. */
function openUnprivileged(files: Readonly<Record<string, string>>): {
  readonly workspace: Workspace;
  readonly options: StartOptions;
} {
  const workspace = new Workspace(files);
  const binary = `${workspace.base}/toolgate`;
  Deno.copyFileSync(BINARY, binary);
  if (IS_ROOT) {
    for (const path of everything(workspace.base)) {
      Deno.chownSync(path, NOBODY, NOBODY);
    }
  }
  return { workspace, options: { cwd: workspace.root, binary, ...UNPRIVILEGED } };
}

function everything(path: string): string[] {
  if (!Deno.lstatSync(path).isDirectory) return [path];
  return [
    path,
    ...[...Deno.readDirSync(path)].flatMap(({ name }) => everything(`${path}/${name}`)),
  ];
}

Deno.test("permission bits that refuse are NATIVE_DENIED, and change nothing", async () => {
  const { workspace, options } = openUnprivileged({
    "open.txt": "needle\n",
    "closed.txt": "needle\n",
    "read-only.txt": "needle\n",
    "fixed/a.txt": "needle\n",
    "hidden/a.txt": "needle\n",
    "blocked/a.txt": "needle\n",
  });
  await using _ = workspace;
  const modes = {
    "closed.txt": 0o000,
    "read-only.txt": 0o444,
    fixed: 0o555,
    hidden: 0o333,
    blocked: 0o000,
  };
  for (const [path, mode] of Object.entries(modes)) Deno.chmodSync(workspace.path(path), mode);
  const pipe = new Pipe(["--policy", workspace.policy(POLICY)], options);
  const refused = [
    ["read_file", { path: "closed.txt" }],
    ["write_file", { path: "closed.txt", content: "x" }],
    ["write_file", { path: "read-only.txt", content: "x" }],
    ["write_file", { path: "fixed/new.txt", content: "x" }],
    ["write_file", { path: "fixed/new/new.txt", content: "x" }],
    ["write_file", { path: "fixed/a.txt", content: "x" }],
    ["list_directory", { path: "hidden" }],
    ["list_directory", { path: "blocked" }],
    ["read_file", { path: "blocked/a.txt" }],
    ["write_file", { path: "blocked/a.txt", content: "x" }],
    ["get_file_info", { path: "blocked/a.txt" }],
  ] as const;
  for (const [tool, args] of refused) {
    const { error } = await pipe.ask({ id: 1, tool, args });
    assertEquals(error?.code, "NATIVE_DENIED", `${tool} ${JSON.stringify(args)}`);
    assert(!error?.message.includes(workspace.base), error?.message);
    const once = await call([tool, "--json", JSON.stringify(args)], options);
    assertEquals([once.status, once.answer.error?.code], [3, "NATIVE_DENIED"], tool);
  }
  // What may not be read is passed over, what lies beside it is not.
  const found = await pipe.ask({ id: 1, tool: "search_files", args: { pattern: "needle" } });
  assertEquals(
    found.output?.matches.map(({ file }: { readonly file: string }) => file),
    ["fixed/a.txt", "open.txt", "read-only.txt"],
  );
  const listed = await pipe.ask({ id: 1, tool: "list_directory", args: { recursive: true } });
  assertEquals(listed.output?.total, 7);
  // A file that may be read where nothing may be listed.
  const known = await pipe.ask({ id: 1, tool: "read_file", args: { path: "hidden/a.txt" } });
  assertEquals(known.output?.content, "needle\n");
  assertEquals((await pipe.close()).status, 0);
  for (const path of Object.keys(modes)) Deno.chmodSync(workspace.path(path), 0o755);
  for (const path of ["closed.txt", "read-only.txt", "fixed/a.txt", "blocked/a.txt"]) {
    assertEquals(workspace.read(path), "needle\n");
  }
  assertEquals([...Deno.readDirSync(workspace.path("fixed"))].length, 1);
});

Deno.test("a file of another owner is not replaced by one of ours", async () => {
  const { workspace, options } = openUnprivileged({ "theirs.txt": "old\n" });
  await using _ = workspace;
  // Without root there is no other owner to be had: then it is ours, and stays so.
  if (IS_ROOT) Deno.chownSync(workspace.path("theirs.txt"), 0, 0);
  Deno.chmodSync(workspace.path("theirs.txt"), 0o666);
  const { answer } = await call(["write_file", "path=theirs.txt", "content=new\n"], options);
  assertEquals(answer.error?.code ?? null, IS_ROOT ? "NATIVE_DENIED" : null);
  const { uid, mode } = Deno.statSync(workspace.path("theirs.txt"));
  assertEquals([uid, (mode ?? 0) & 0o777], [Deno.uid(), 0o666]);
  assertEquals(workspace.read("theirs.txt"), IS_ROOT ? "old\n" : "new\n");
  assertEquals([...Deno.readDirSync(workspace.root)].length, 1);
});

Deno.test("a read-only system, no environment, no home, no place for temporary files, not root", async () => {
  const { workspace, options } = openUnprivileged({ "a.txt": "text\n" });
  await using _ = workspace;
  const temporary = workspace.policy(`${POLICY}sandbox: { temporary: true }\n`);
  Deno.chmodSync(temporary, 0o644);
  const launcher = fromFileUrl(new URL("../_read_only_system.ts", import.meta.url));
  const run = async (...args: string[]) => {
    const { status, stdout, stderr } = await start([
      ...["run", "--quiet", "-A", launcher, IS_ROOT ? `${NOBODY}` : "", workspace.root],
      ...[options.binary ?? "", "call", ...args, "--root", workspace.root],
    ], { binary: Deno.execPath() });
    return { status, answer: JSON.parse(stdout || "null"), stderr };
  };
  const held = ["policy", "landlock"];
  const read = await run("read_file", "path=a.txt");
  assertEquals([read.status, read.stderr, read.answer.usage.layers], [0, "", held]);
  const written = await run("write_file", "path=new/b.txt", "content=x");
  assertEquals([written.status, workspace.read("new/b.txt")], [0, "x"]);
  const ran = await run("run_command", "argv=cat,a.txt");
  assertEquals([ran.status, ran.answer.output.stdout], [0, "text\n"]);
  const own = await run("run_command", "argv=printenv", "--policy", temporary);
  const variables = own.answer.output?.stdout.replace(/^TOOLGATE_RUN=.*\n/m, "");
  assertEquals([own.status, variables], [0, "GIT_CONFIG_GLOBAL=/dev/null\n"]);
});

const OLD = "old content\n";
const LARGE = JSON.stringify({ path: "a.txt", content: "x".repeat(2 ** 20) });

function names(path: string): string[] {
  return [...Deno.readDirSync(path)].map(({ name }) => name).sort();
}

/** Under a limit of so many blocks of 512 bytes for any file that is written (ulimit(1p)). */
function withFileLimit(prepare: string, args: readonly string[]): readonly string[] {
  return ["-c", `${prepare} ulimit -f 64; exec "$0" "$@"`, BINARY, ...args];
}

Deno.test("no room for a file: RESOURCE_LIMIT, the old content stays, nothing is left behind", async () => {
  await using workspace = new Workspace({ "a.txt": OLD });
  const { status, stdout } = await start(
    withFileLimit("trap '' XFSZ;", ["call", "write_file", "--json", "-"]),
    { cwd: workspace.root, stdin: LARGE, binary: "/bin/sh" },
  );
  assertEquals([status, JSON.parse(stdout).error.code], [1, "RESOURCE_LIMIT"]);
  assertEquals([workspace.read("a.txt"), names(workspace.root)], [OLD, ["a.txt"]]);
});

Deno.test("a write that the kernel ends the process for: the old content stays, and the next call clears up", async () => {
  await using workspace = new Workspace({ "a.txt": OLD });
  const { stdout } = await start(
    withFileLimit("", ["call", "write_file", "--json", "-"]),
    { cwd: workspace.root, stdin: LARGE, binary: "/bin/sh" },
  );
  assertEquals([stdout, workspace.read("a.txt")], ["", OLD]);
  const { answer } = await call(["write_file", "path=b.txt", "content=x"], {
    cwd: workspace.root,
  });
  assert(answer.success, answer.error?.message);
  assertEquals(names(workspace.root), ["a.txt", "b.txt"]);
});

Deno.test("a full disk, where one can be made: the same", async () => {
  await using workspace = new Workspace({ "disk/unmounted": "" });
  const disk = workspace.path("disk");
  const run = (program: string, ...args: string[]) =>
    new Deno.Command(program, { args, stdin: "null", stdout: "null", stderr: "null" }).output();
  // Others than root, and many containers, may mount nothing: the limit above is what they can test.
  const mounted = IS_ROOT &&
    (await run("mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", disk)).success;
  try {
    Deno.writeTextFileSync(`${disk}/a.txt`, OLD);
    const { answer } = await call(["write_file", "--json", "-"], { cwd: disk, stdin: LARGE });
    assertEquals(answer.error?.code ?? null, mounted ? "RESOURCE_LIMIT" : null);
    if (mounted) {
      assertEquals([Deno.readTextFileSync(`${disk}/a.txt`), names(disk)], [OLD, ["a.txt"]]);
    }
    const small = await call(["write_file", "path=b.txt", "content=x"], { cwd: disk });
    assert(small.answer.success, small.answer.error?.message);
  } finally {
    if (mounted) assert((await run("umount", disk)).success);
  }
});

Deno.test("killed at any moment of a write: old or new, never half, and the next write clears up", async () => {
  await using workspace = new Workspace();
  const random = new Random(9);
  const size = 2 ** 20;
  const policy = workspace.policy(POLICY);
  Deno.writeTextFileSync(workspace.path("a.txt"), "a".repeat(size));
  let killedWithin = 0;
  for (let round = 0; round < 25 || killedWithin <= 5; round++) {
    const pipe = new Pipe(["--policy", policy], { cwd: workspace.root });
    await pipe.ask({ id: 0, op: "ping" });
    const letters = ["b", "c", "d", "e"].map((letter) => letter.repeat(size));
    const sent = pipe.send(...letters.map((content, id) => ({
      id,
      tool: "write_file",
      args: { path: "a.txt", content },
    }))).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, random.below(60)));
    pipe.process.kill("SIGKILL");
    await sent;
    const { rest } = await pipe.close();
    if (rest.length < letters.length) killedWithin++;
    const content = workspace.read("a.txt");
    assertEquals(content.length, size);
    assert(content === content.charAt(0).repeat(size), `round ${round}: half a file`);
    // An answer is given once the file is safe.
    for (const { success } of rest) assert(success);
    if (rest.length > 0) assert(content.charAt(0) >= "bcde".charAt(rest.length - 1));
    Deno.writeTextFileSync(workspace.path("a.txt"), "a".repeat(size));
  }
  const { answer } = await call(["write_file", "path=a.txt", "content=whole"], {
    cwd: workspace.root,
  });
  assert(answer.success, answer.error?.message);
  assertEquals([names(workspace.root), workspace.read("a.txt")], [["a.txt"], "whole"]);
});
