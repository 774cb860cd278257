/**
 * Requests that are made to keep everybody else waiting: a ping that comes behind one of them is answered before it, or
 * it is refused without being read through; over `serve` and `mcp`, and by `call` alone. Whoever runs it reads alike: the
 * pipe is root's where root can be had, the others an ordinary user's.
 */

import { assert, assertEquals } from "@std/assert";
import { Session } from "../binary/_mcp_session.ts";
import { call, Pipe, Workspace } from "../binary/toolgate.ts";
import { USERS } from "./_users.ts";

const POLICY = `version: 1
paths: [{ allow: [read, write], match: ["**"] }, { deny: [read], match: ["**/*.pem"] }]
commands: [{ allow: ["*"] }]
risk: { allow: dangerous, ask: dangerous }
timeouts: { default: 1h }
`;

interface Attack {
  readonly name: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** What it is answered by `serve`; anything where it may run after all. */
  readonly code?: string;
  /** The work is long whatever is done: others have their turns while it goes on. */
  readonly long?: true;
}

/** 39 links, one through the other, each over 570 folders and back. */
function layLinks(workspace: Workspace): void {
  Deno.mkdirSync(workspace.path("src"));
  Deno.writeTextFileSync(workspace.path("src/end"), "x");
  for (let at = 0; at < 39; at++) {
    const next = at === 38 ? "end" : `l${at + 1}`;
    Deno.symlinkSync(`${"../src/".repeat(570)}${next}`, workspace.path(`src/l${at}`));
  }
}

const argv = (...words: string[]) => ({ tool: "run_command", args: { argv: words } });
const UNPARSABLE = { code: "COMMAND_UNPARSABLE" } as const;

/** `length`: characters of the long ones; `paths`: of those that lead over many links. */
const attacks = (length: number, paths: number): readonly Attack[] => [
  {
    name: "paths over links that lead over tens of thousands of folders",
    ...argv("cat", ...Array.from({ length: paths }, (_, at) => `${"./".repeat(at)}src/l0`)),
    long: true,
  },
  {
    name: "the same path a thousand times, of a program that opens none of them",
    ...argv("sort", "-c", ...Array.from({ length: 1000 }, () => "src/l0")),
  },
  {
    name: "options of a program that is not known, over such links",
    ...argv("ls", ...Array.from({ length: 4 }, (_, at) => `--x${at}=${"./".repeat(at)}src/l0`)),
    long: true,
  },
  {
    name: "texts of env -S, one in the other",
    ...argv("env", ...Array<string>(9_000).fill("-S"), "ls"),
    code: "COMMAND_UNPARSABLE",
  },
  {
    name: "options that are longer than any name",
    ...argv("git", "-c", ...Array<string>(Math.ceil(length / 125_000)).fill("-a".repeat(62_500))),
    code: "COMMAND_UNPARSABLE",
  },
  { name: "awk: a long text", ...argv("awk", "a|".repeat(length / 2)), ...UNPARSABLE },
  { name: "awk: quotes", ...argv("awk", '"'.repeat(length / 2)), ...UNPARSABLE },
  { name: "sed: a long text", ...argv("sed", "s/a/b/;".repeat(length / 8)), ...UNPARSABLE },
  { name: "python3: a long text", ...argv("python3", "-c", "x".repeat(length)), ...UNPARSABLE },
  { name: "a word that is all equals", ...argv("foo", "=".repeat(length)), ...UNPARSABLE },
  {
    name: "more words than can be judged",
    ...argv("cat", ...Array(50_000).fill("f")),
    code: "INVALID_ARGUMENTS",
  },
  {
    name: "a line of blanks",
    tool: "run_command",
    args: { command: " ".repeat(length) },
    ...UNPARSABLE,
  },
  {
    name: "a line of backslashes",
    tool: "run_command",
    args: { command: "\\".repeat(length / 2) },
    ...UNPARSABLE,
  },
  {
    name: "a path",
    tool: "read_file",
    args: { path: "a/".repeat(length / 2) },
    code: "INVALID_ARGUMENTS",
  },
  { name: "a tool", tool: "x".repeat(length), args: {}, code: "INVALID_REQUEST" },
  {
    name: "an argument that is not known",
    tool: "read_file",
    args: { path: "a", ["x".repeat(length)]: 1 },
    code: "INVALID_ARGUMENTS",
  },
  {
    name: "content that is all escapes",
    tool: "write_file",
    args: { path: "b.txt", content: "\n".repeat(length / 2) },
    long: true,
  },
  {
    name: "lines of a patch",
    tool: "apply_patch",
    args: { patch: `*** Begin Patch\n*** Add File: q\n${"+\n".repeat(length / 4)}` },
    code: "PATCH_FAILED",
  },
  {
    name: "variables",
    tool: "run_command",
    args: {
      argv: ["ls"],
      env: Object.fromEntries(Array.from({ length: 15_000 }, (_, at) => [`A${at}`, ""])),
    },
    code: "INVALID_ARGUMENTS",
  },
  {
    name: "a path that must be looked at, thousands of times",
    ...argv("cat", ...Array(9_000).fill("a.txt")),
  },
  {
    name: "content that is halves of letters",
    tool: "write_file",
    args: { path: "b.txt", content: "\ud83e".repeat(length / 6) },
    long: true,
  },
  {
    name: "an old text that is all escapes",
    tool: "edit_file",
    args: { path: "a.txt", edits: [{ old: "\n".repeat(length / 2), new: "b" }] },
    code: "TEXT_NOT_FOUND",
    long: true,
  },
  {
    name: "standard input that is all escapes",
    tool: "run_command",
    args: { argv: ["sort", "-c"], stdin: "\n".repeat(length / 2) },
    long: true,
  },
  {
    name: "names without end",
    tool: "read_file",
    args: Object.fromEntries(Array.from({ length: 25_000 }, (_, at) => [`a${at}`, 0])),
    code: "INVALID_JSON",
  },
  {
    name: "thousands of paths that are there",
    ...argv("cat", ...Array.from({ length: 5_000 }, (_, at) => `${"./".repeat(at % 9)}a.txt`)),
    long: true,
  },
  {
    name: "values without end",
    tool: "read_file",
    args: { path: Array(200_000).fill(0) },
    code: "INVALID_JSON",
  },
];

/** Near the 16 MiB that a line may have. */
const LONGEST = 15_000_000;
/** Far beyond what is read through: for the ways that differ in how a request comes in alone. */
const SHORTER = 1_000_000;
/** `call` is given it as an argument: MAX_ARG_STRLEN (include/uapi/linux/binfmts.h). */
const LONGEST_TOOL = 100_000;

function lay(): Workspace {
  const workspace = new Workspace({ "a.txt": "x\n" });
  layLinks(workspace);
  for (const path of [workspace.base, workspace.root]) Deno.chmodSync(path, 0o755);
  return workspace;
}

const [[first, ofPipe] = ["", {}]] = USERS;
const [[who, user] = ["", {}]] = USERS.slice(-1);

Deno.test(`others are answered meanwhile, serve, ${first}`, async () => {
  await using workspace = lay();
  const policy = workspace.policy(POLICY);
  const pipe = new Pipe(["--policy", policy], { cwd: workspace.root, ...ofPipe });
  for (const { name, tool, args, code, long } of attacks(LONGEST, 300)) {
    await pipe.send({ id: 1, tool, args }, { id: 2, op: "ping" });
    const said = [await pipe.next(), await pipe.next()];
    const answer = said.find((one) => one?.op !== "ping");
    const text = JSON.stringify(answer);
    if (long === true) assertEquals(said[0]?.op, "ping", `${name}: ${text.slice(0, 300)}`);
    if (code !== undefined) {
      assertEquals(answer?.error?.code, code, `${name}: ${text.slice(0, 300)}`);
    }
    assert(text.length < 200_000, name);
  }
  await pipe.close();
});

Deno.test(`others are answered meanwhile, mcp, ${who}`, async () => {
  await using workspace = lay();
  const session = new Session(workspace, POLICY, user);
  await session.initialize("2025-06-18");
  for (const { name, tool, args, code, long } of attacks(SHORTER, 4)) {
    session.said.length = 0;
    const [id, ping] = [`asks: ${name}`, `meanwhile: ${name}`];
    // In one go: on a busy machine the first is answered before a second one is written.
    await session.pipe.send(
      { jsonrpc: "2.0", id, method: "tools/call", params: { name: tool, arguments: args } },
      { jsonrpc: "2.0", id: ping, method: "ping" },
    );
    // What could not be read has no id.
    while (!session.said.some((one) => one.id === ping) || session.said.length < 2) {
      await session.next();
    }
    const answer = session.said.find((one) => one.id !== ping);
    const text = JSON.stringify(answer);
    if (long === true) assertEquals(session.said[0].id, ping, `${name}: ${text.slice(0, 300)}`);
    if (code !== undefined) {
      const found = answer.error === undefined
        ? answer.result._meta["toolgate/error"].code
        : answer.id === id
        ? "INVALID_REQUEST"
        : "INVALID_JSON";
      assertEquals(found, code, `${name}: ${text.slice(0, 300)}`);
    }
    assert(text.length < 400_000, name);
  }
  await session.close();
});

Deno.test(`a call alone is answered shortly, ${who}`, async () => {
  await using workspace = lay();
  const at = { cwd: workspace.root, ...user };
  const policy = workspace.policy(POLICY);
  // It keeps nobody else waiting: some of them do.
  const some = attacks(SHORTER, 2).filter((_, at) => at % 3 === 0);
  for (const { name, tool, args, code } of some) {
    const words = [tool.slice(0, LONGEST_TOOL), "--json", "-", "--policy", policy];
    const { status, stdout, answer } = await call(words, { ...at, stdin: JSON.stringify(args) });
    if (code !== undefined) {
      assert(
        status === 2 || status === 3 || ["PATCH_FAILED", "TEXT_NOT_FOUND"].includes(code),
        `${name}: ${stdout.slice(0, 300)}`,
      );
    }
    if (code === "COMMAND_UNPARSABLE") assertEquals(answer.error?.code, code, name);
    assert(stdout.length < 400_000, name);
  }
});
