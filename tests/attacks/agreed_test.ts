/**
 * Between a yes and the deed: whatever somebody agreed to is changed before it runs, while the question is open and while
 * the call waits for a thread. Judged by effect, in `call`, `serve` and `mcp`, as each user that can be had here.
 */

import { lchownSync } from "node:fs";
import { assert, assertEquals } from "@std/assert";
import { Session } from "../binary/_mcp_session.ts";
import {
  type Answer,
  call,
  Pipe,
  start,
  type StartOptions,
  Workspace,
} from "../binary/toolgate.ts";

/** All is asked for but `sleep`; or, by paths, what lies in `guarded`. */
const POLICIES = {
  all: `version: 1
paths: [{ allow: [read, write], match: ["**"] }]
commands: [{ allow: [sleep] }, { ask: [sh, cat, cp] }]
risk: { allow: safe, ask: dangerous }
tools: { run_command: { risk: safe } }
approvals: { expire: 60s, remember: 10m }
`,
  guarded: `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
  - { ask: [read, write], match: ["guarded/**"] }
commands: [{ allow: [sleep, sh, cat] }]
risk: { allow: dangerous, ask: dangerous }
approvals: { expire: 60s }
`,
} as const;

interface Attack {
  readonly name: string;
  readonly policy: keyof typeof POLICIES;
  readonly files: Readonly<Record<string, string>>;
  /** Before the request is sent. */
  readonly lay?: (workspace: Workspace) => void;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly change: (workspace: Workspace) => void;
  /** What was agreed to is untouched by the path that it was found at: once it waits, it may run there. */
  readonly stands?: true;
  /** Whether what nobody agreed to was done. */
  readonly harmed: (workspace: Workspace) => boolean;
}

const EVIL = "echo harm >proof\n";
const GOOD = "echo fine >good\n";
const hasProof = (workspace: Workspace) => exists(workspace, "proof");

function exists(workspace: Workspace, path: string): boolean {
  try {
    Deno.lstatSync(workspace.path(path));
    return true;
  } catch {
    return false;
  }
}

function sh(script: string, more: Readonly<Record<string, unknown>> = {}) {
  return { tool: "run_command", args: { argv: ["sh", script], ...more } } as const;
}

const SCRIPT = { policy: "all", harmed: hasProof } as const;

/** Of programs: tried while they wait for a thread, too. */
const PROGRAMS: readonly Attack[] = [
  {
    name: "the script has another text",
    ...SCRIPT,
    files: { "run.sh": GOOD },
    ...sh("run.sh"),
    change: (at) => at.write("run.sh", EVIL),
  },
  {
    name: "another text of the same length and times",
    ...SCRIPT,
    files: { "run.sh": `${GOOD}#` },
    ...sh("run.sh"),
    change(at) {
      const { mtime, atime } = Deno.statSync(at.path("run.sh"));
      at.write("run.sh", EVIL);
      assertEquals(EVIL.length, GOOD.length + 1);
      if (mtime !== null && atime !== null) Deno.utimeSync(at.path("run.sh"), atime, mtime);
    },
  },
  {
    name: "another file of that name",
    ...SCRIPT,
    files: { "run.sh": GOOD, "evil.sh": EVIL },
    ...sh("run.sh"),
    change: (at) => Deno.renameSync(at.path("evil.sh"), at.path("run.sh")),
  },
  {
    name: "a hard link of that name",
    ...SCRIPT,
    files: { "run.sh": GOOD, "evil.sh": EVIL },
    ...sh("run.sh"),
    change(at) {
      Deno.removeSync(at.path("run.sh"));
      Deno.linkSync(at.path("evil.sh"), at.path("run.sh"));
    },
  },
  {
    name: "a symbolic link of that name",
    ...SCRIPT,
    files: { "run.sh": GOOD, "evil.sh": EVIL },
    ...sh("run.sh"),
    change(at) {
      Deno.removeSync(at.path("run.sh"));
      Deno.symlinkSync("evil.sh", at.path("run.sh"));
    },
  },
  {
    name: "another folder on the way",
    ...SCRIPT,
    files: { "bin/run.sh": GOOD, "evil/run.sh": EVIL },
    ...sh("bin/run.sh"),
    change(at) {
      Deno.renameSync(at.path("bin"), at.path("old"));
      Deno.renameSync(at.path("evil"), at.path("bin"));
    },
  },
  {
    name: "a link on the way leads elsewhere",
    ...SCRIPT,
    files: { "plain/run.sh": GOOD, "evil/run.sh": EVIL },
    lay: (at) => Deno.symlinkSync("plain", at.path("bin")),
    ...sh("bin/run.sh"),
    change(at) {
      Deno.removeSync(at.path("bin"));
      Deno.symlinkSync("evil", at.path("bin"));
    },
  },
  {
    name: "a link on the way leads to a copy with the very same file",
    ...SCRIPT,
    stands: true,
    harmed: (at) => exists(at, "evil/good"),
    files: { "good/run.sh": GOOD, "evil/x": "" },
    lay(at) {
      Deno.linkSync(at.path("good/run.sh"), at.path("evil/run.sh"));
      Deno.symlinkSync("good", at.path("bin"));
    },
    ...sh("run.sh", { cwd: "bin" }),
    change(at) {
      Deno.removeSync(at.path("bin"));
      Deno.symlinkSync("evil", at.path("bin"));
    },
  },
  {
    name: "another folder to start in",
    ...SCRIPT,
    harmed: (at) => exists(at, "sub/proof"),
    files: { "sub/run.sh": GOOD, "evil/run.sh": EVIL },
    ...sh("run.sh", { cwd: "sub" }),
    change(at) {
      Deno.renameSync(at.path("sub"), at.path("old"));
      Deno.renameSync(at.path("evil"), at.path("sub"));
    },
  },
  {
    name: "the script has another mode",
    ...SCRIPT,
    harmed: (at) => exists(at, "good"),
    files: { "run.sh": GOOD },
    ...sh("run.sh"),
    change: (at) => Deno.chmodSync(at.path("run.sh"), 0o777),
  },
  {
    name: "the second of two scripts",
    ...SCRIPT,
    files: { "a.sh": GOOD, "b.sh": GOOD },
    tool: "run_command",
    args: { command: "sh a.sh && sh b.sh" },
    change: (at) => at.write("b.sh", EVIL),
  },
  {
    name: "a file that is redirected from",
    policy: "all",
    harmed: (at) => exists(at, "out") && at.read("out").includes("harm"),
    files: { "in.txt": "fine\n" },
    tool: "run_command",
    args: { command: "cat <in.txt >out" },
    change: (at) => at.write("in.txt", "harm\n"),
  },
  {
    name: "a file that is copied by a program",
    policy: "all",
    harmed: (at) => exists(at, "out") && at.read("out").includes("harm"),
    files: { "in.txt": "fine\n" },
    tool: "run_command",
    args: { argv: ["cp", "in.txt", "out"] },
    change: (at) => at.write("in.txt", "harm\n"),
  },
  {
    name: "the folder of what a program makes",
    policy: "all",
    harmed: (at) => exists(at, "other/out"),
    files: { "in.txt": "fine\n", "d/x": "", "other/x": "" },
    tool: "run_command",
    args: { argv: ["cp", "in.txt", "d/out"] },
    change(at) {
      Deno.renameSync(at.path("d"), at.path("old"));
      Deno.symlinkSync("other", at.path("d"));
    },
  },
];

const WRITE = { tool: "write_file", args: { path: "d/new", content: "text" } } as const;

/** Of the file tools. */
const FILES: readonly Attack[] = [
  {
    name: "the folder is a link to another",
    policy: "all",
    files: { "d/x": "", "e/x": "" },
    ...WRITE,
    change(at) {
      Deno.renameSync(at.path("d"), at.path("old"));
      Deno.symlinkSync("e", at.path("d"));
    },
    harmed: (at) => exists(at, "e/new"),
  },
  {
    name: "the folder is another",
    policy: "all",
    files: { "d/x": "", "e/y": "" },
    ...WRITE,
    change(at) {
      Deno.renameSync(at.path("d"), at.path("old"));
      Deno.renameSync(at.path("e"), at.path("d"));
    },
    harmed: (at) => exists(at, "d/new"),
  },
  {
    name: "a folder above it is another",
    policy: "all",
    files: { "up/d/x": "", "e/d/y": "" },
    tool: "write_file",
    args: { path: "up/d/new", content: "text" },
    change(at) {
      Deno.renameSync(at.path("up"), at.path("old"));
      Deno.renameSync(at.path("e"), at.path("up"));
    },
    harmed: (at) => exists(at, "up/d/new"),
  },
  {
    name: "the folder that was to be made is there, and is a link",
    policy: "all",
    files: { "e/x": "" },
    ...WRITE,
    change: (at) => Deno.symlinkSync("e", at.path("d")),
    harmed: (at) => exists(at, "e/new"),
  },
  {
    name: "the folder that was to be made is there, and is another's",
    policy: "all",
    files: {},
    ...WRITE,
    change: (at) => Deno.mkdirSync(at.path("d")),
    harmed: (at) => exists(at, "d/new"),
  },
  {
    name: "a link leads from where it is asked for to where it is not",
    policy: "guarded",
    files: { "guarded/x": "", "open/x": "" },
    lay: (at) => Deno.symlinkSync("guarded", at.path("l")),
    tool: "write_file",
    args: { path: "l/new", content: "text" },
    change(at) {
      Deno.removeSync(at.path("l"));
      Deno.symlinkSync("open", at.path("l"));
    },
    harmed: (at) => exists(at, "open/new"),
  },
  {
    name: "the folder leads from where it is asked for to where it is not",
    policy: "guarded",
    files: { "guarded/sub/x": "", "open/x": "" },
    tool: "write_file",
    args: { path: "guarded/sub/new", content: "text" },
    change(at) {
      Deno.renameSync(at.path("guarded/sub"), at.path("guarded/old"));
      Deno.symlinkSync("../open", at.path("guarded/sub"));
    },
    harmed: (at) => exists(at, "open/new"),
  },
  {
    name: "a file is there by now",
    policy: "all",
    files: { "d/x": "" },
    ...WRITE,
    change: (at) => at.write("d/new", "somebody else's"),
    harmed: (at) => at.read("d/new") !== "somebody else's",
  },
  {
    name: "the file has another text",
    policy: "all",
    files: { "d/new": "old" },
    ...WRITE,
    change: (at) => at.write("d/new", "somebody else's"),
    harmed: (at) => at.read("d/new") !== "somebody else's",
  },
  {
    name: "the file is a hard link to another",
    policy: "all",
    files: { "d/new": "old", "precious": "precious" },
    ...WRITE,
    change(at) {
      Deno.removeSync(at.path("d/new"));
      Deno.linkSync(at.path("precious"), at.path("d/new"));
    },
    harmed: (at) => at.read("d/new") !== "precious",
  },
  {
    name: "more lies in a tree that is to go",
    policy: "all",
    files: { "d/x": "" },
    tool: "delete_file",
    args: { path: "d", recursive: true },
    change: (at) => at.write("d/deep/precious", "precious"),
    harmed: (at) => !exists(at, "d/deep/precious"),
  },
  {
    name: "a file deep in a tree that is to go has another text",
    policy: "all",
    files: { "d/deep/x": "a", "d/deep/y": "b" },
    tool: "delete_file",
    args: { path: "d", recursive: true },
    change: (at) => at.write("d/deep/x", "precious"),
    harmed: (at) => !exists(at, "d/deep/x"),
  },
  {
    name: "what is copied has another text",
    policy: "all",
    files: { "a": "fine" },
    tool: "copy_file",
    args: { src: "a", dst: "b" },
    change: (at) => at.write("a", "harm"),
    harmed: (at) => exists(at, "b"),
  },
  {
    name: "what is moved is another file",
    policy: "all",
    files: { "a": "fine", "c": "harm" },
    tool: "move_file",
    args: { src: "a", dst: "b" },
    change: (at) => Deno.renameSync(at.path("c"), at.path("a")),
    harmed: (at) => exists(at, "b"),
  },
  {
    name: "where it is moved to is another folder",
    policy: "all",
    files: { "a": "fine", "d/x": "", "e/x": "" },
    tool: "move_file",
    args: { src: "a", dst: "d/b" },
    change(at) {
      Deno.renameSync(at.path("d"), at.path("old"));
      Deno.symlinkSync("e", at.path("d"));
    },
    harmed: (at) => exists(at, "e/b"),
  },
  {
    name: "what is read was another file, where reading is asked for",
    policy: "guarded",
    files: { "guarded/a": "fine", "b": "harm" },
    tool: "copy_file",
    args: { src: "guarded/a", dst: "c" },
    change: (at) => Deno.renameSync(at.path("b"), at.path("guarded/a")),
    harmed: (at) => exists(at, "c") && at.read("c") === "harm",
  },
];

type User = Pick<StartOptions, "user">;

/** An ordinary user beside root, where root runs the tests. */
const USERS: readonly (readonly [string, User])[] = Deno.uid() === 0
  ? [["root", {}], ["an ordinary user", { user: { uid: 65532, gid: 65532 } }]]
  : [["this user", {}]];

/** A workspace that the user owns. */
function lay(attack: Attack, { user }: User): Workspace {
  const workspace = new Workspace(attack.files);
  attack.lay?.(workspace);
  if (user !== undefined) own(workspace.base, user.uid, user.gid);
  return workspace;
}

function own(path: string, uid: number, gid: number): void {
  lchownSync(path, uid, gid);
  if (!Deno.lstatSync(path).isDirectory) return;
  for (const { name } of Deno.readDirSync(path)) own(`${path}/${name}`, uid, gid);
}

const NOTHING = () => {};

/** Sends it, changes what it is about once it is asked for, and agrees once; a second question is refused. */
async function overPipe(
  attack: Attack,
  workspace: Workspace,
  user: User,
  change: (workspace: Workspace) => void,
): Promise<Answer> {
  const pipe = new Pipe(["--policy", workspace.policy(POLICIES[attack.policy])], {
    cwd: workspace.root,
    ...user,
  });
  await pipe.send({ id: 1, tool: attack.tool, args: attack.args });
  let questions = 0;
  for (;;) {
    const said = await pipe.next() as (Answer & { readonly approval?: string }) | null;
    assert(said !== null);
    if (said.event === "approval_required") {
      const agree = questions++ === 0;
      if (agree) change(workspace);
      await pipe.send({ id: 2, op: agree ? "approve" : "reject", approval: said.approval });
    } else if (said.id === 1) {
      assert(questions > 0, `${attack.name}: nobody was asked`);
      await pipe.close();
      return said;
    }
  }
}

/** As {@linkcode overPipe}, with every thread for programs busy: it is changed when it waits for one. */
async function whileItWaits(
  attack: Attack,
  workspace: Workspace,
  user: User,
  change: (workspace: Workspace) => void,
): Promise<Answer> {
  const pipe = new Pipe(["--policy", workspace.policy(POLICIES[attack.policy])], {
    cwd: workspace.root,
    ...user,
  });
  const busy = Array.from({ length: 8 }, (_, at) => ({
    id: 100 + at,
    tool: "run_command",
    args: { argv: ["sleep", "1"] },
  }));
  await pipe.send(...busy, { id: 1, tool: attack.tool, args: attack.args });
  let answer: Answer | null = null;
  let questions = 0;
  for (let left = busy.length; answer === null || left > 0;) {
    const said = await pipe.next() as (Answer & { readonly approval?: string }) | null;
    assert(said !== null);
    if (said.event === "approval_required") {
      const agree = questions++ === 0;
      await pipe.send({
        id: agree ? 2 : 3,
        op: agree ? "approve" : "reject",
        approval: said.approval,
      });
    } else if (said.id === 2) {
      // It is decided anew at once, and then waits while the others sleep.
      await new Promise((resolve) => setTimeout(resolve, 150));
      change(workspace);
    } else if (said.id === 1) answer = said;
    else if (Number(said.id) >= 100) left--;
  }
  await pipe.close();
  return answer;
}

async function overMcp(
  attack: Attack,
  workspace: Workspace,
  change: (workspace: Workspace) => void,
): Promise<boolean> {
  const session = new Session(workspace, POLICIES[attack.policy]);
  await session.initialize("2025-06-18", { elicitation: {} });
  let questions = 0;
  session.onRequest = ({ method }) => {
    assertEquals(method, "elicitation/create");
    const agree = questions++ === 0;
    if (agree) change(workspace);
    return { action: "accept", content: { decision: agree ? "once" : "no" } };
  };
  const answer = await session.ask("tools/call", { name: attack.tool, arguments: attack.args });
  assert(questions > 0, `${attack.name}: nobody was asked`);
  await session.pipe.close();
  return answer.result.isError !== true;
}

/** Asked for by one call, agreed to, changed, and called again. */
async function betweenCalls(
  attack: Attack,
  workspace: Workspace,
  user: User,
  change: (workspace: Workspace) => void,
): Promise<boolean> {
  const at = {
    cwd: workspace.root,
    env: { XDG_STATE_HOME: `${workspace.base}/state` },
    ...user,
  };
  const args = [
    attack.tool,
    "--json",
    JSON.stringify(attack.args),
    "--policy",
    workspace.policy(POLICIES[attack.policy]),
  ];
  const asked = await call(args, at);
  assertEquals(asked.answer.error?.code, "APPROVAL_REQUIRED", asked.stdout);
  const approval = String(asked.answer.error?.details?.approval);
  assertEquals((await start(["approvals", "approve", approval], at)).status, 0);
  change(workspace);
  return (await call(args, at)).answer.success;
}

for (const [who, user] of USERS) {
  for (const attack of [...PROGRAMS, ...FILES]) {
    Deno.test(`agreed, then changed, ${who}: ${attack.name}`, async () => {
      for (const changes of [false, true]) {
        const change = changes ? attack.change : NOTHING;
        const check = (way: string, success: boolean, workspace: Workspace, said = "") => {
          assertEquals(success, !changes, `${way}: ${said}`);
          if (changes) assert(!attack.harmed(workspace), `${way}: ${said}`);
        };
        {
          await using workspace = lay(attack, user);
          const answer = await overPipe(attack, workspace, user, change);
          check("serve", answer.success, workspace, JSON.stringify(answer));
        }
        if (who !== "an ordinary user") {
          await using workspace = lay(attack, user);
          check("mcp", await overMcp(attack, workspace, change), workspace);
        }
        // By paths, a call after the change is another call: nobody need be asked about that one.
        if (attack.policy === "all") {
          await using workspace = lay(attack, user);
          check("call", await betweenCalls(attack, workspace, user, change), workspace);
        }
      }
    });
  }
  for (const attack of PROGRAMS) {
    Deno.test(`agreed, then changed while it waits, ${who}: ${attack.name}`, async () => {
      for (const changes of [false, true]) {
        await using workspace = lay(attack, user);
        const change = changes ? attack.change : NOTHING;
        const answer = await whileItWaits(attack, workspace, user, change);
        if (changes) assert(!attack.harmed(workspace), JSON.stringify(answer));
        if (changes && attack.stands === true && answer.success) continue;
        assertEquals(answer.success, !changes, JSON.stringify(answer));
        if (changes) assertEquals(answer.error?.code, "APPROVAL_EXPIRED");
      }
    });
  }
}

Deno.test("the log has the decision that was acted on, too", async () => {
  await using workspace = new Workspace({ "d/x": "", "e/x": "" });
  const policy = workspace.policy(`${POLICIES.all}audit: { file: .toolgate/audit.ndjson }\n`);
  const pipe = new Pipe(["--policy", policy], { cwd: workspace.root });
  await pipe.send({ id: 1, ...WRITE });
  let questions = 0;
  for (let answered = false; !answered;) {
    const said = await pipe.next() as (Answer & { readonly approval?: string }) | null;
    assert(said !== null);
    if (said.event === "approval_required") {
      if (questions++ === 0) {
        Deno.renameSync(workspace.path("d"), workspace.path("old"));
        Deno.symlinkSync("e", workspace.path("d"));
      }
      await pipe.send({ id: 2, op: "approve", approval: said.approval });
    } else if (said.id === 1) {
      answered = true;
      assertEquals(said.success, true, JSON.stringify(said));
    }
  }
  await pipe.close();
  assertEquals([questions, workspace.read("e/new")], [2, "text"]);
  const records = workspace.read(".toolgate/audit.ndjson").trimEnd().split("\n")
    .map((line) => JSON.parse(line));
  const paths = records.filter(({ kind }) => kind === "decision")
    .map(({ capabilities }) => capabilities.map(({ path }: { path: string }) => path));
  assertEquals(paths, [["d/new"], ["e/new"]]);
});

Deno.test("what runs other files is agreed to once, whatever is said", async () => {
  await using workspace = new Workspace({ "run.sh": "echo fine\n", "a.txt": "fine\n" });
  const policy = workspace.policy(POLICIES.all.replace("[sh, cat", "[python3, make, sh, cat"));
  const pipe = new Pipe(["--policy", policy], { cwd: workspace.root });
  const asks = async (id: number, argv: readonly string[]) => {
    await pipe.send({ id, tool: "run_command", args: { argv } });
    return await pipe.next() as Answer & Record<string, unknown>;
  };
  for (const [at, argv] of [["sh", "run.sh"], ["cat", "a.txt"]].entries()) {
    const asked = await asks(10 + at, argv);
    assertEquals(asked.event, "approval_required", JSON.stringify(asked));
    const once = argv[0] === "sh";
    assertEquals(asked["remember"], once ? ["once"] : ["once", "session"]);
    assertEquals(typeof asked["once_because"], once ? "string" : "undefined");
    await pipe.send({
      id: 20 + at,
      op: "approve",
      approval: asked["approval"],
      remember: "session",
    });
    const answers = await pipe.answers(2);
    assertEquals(answers.get(20 + at)?.output.remember, once ? "once" : undefined);
    const again = await asks(30 + at, argv);
    assertEquals(again.event ?? null, once ? "approval_required" : null, JSON.stringify(again));
    if (once) {
      await pipe.send({ id: 40, op: "reject", approval: again["approval"] });
      await pipe.answers(2);
    }
  }
  await pipe.close();

  const at = { cwd: workspace.root, env: { XDG_STATE_HOME: `${workspace.base}/state` } };
  const args = ["run_command", "argv=sh,run.sh", "--policy", policy];
  const id = String((await call(args, at)).answer.error?.details?.approval);
  const kept = await start(["approvals", "approve", id, "--remember"], at);
  assertEquals(kept.status, 2, kept.stderr);
  assert(kept.stderr.includes("cannot be remembered"), kept.stderr);
  assertEquals((await start(["approvals", "approve", id], at)).status, 0);
  assertEquals([(await call(args, at)).status, (await call(args, at)).status], [0, 4]);
});
