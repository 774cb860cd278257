/** Somebody must agree: over the pipe, by flags, between calls; to exactly what was shown, and to nothing else. */

import { assert, assertEquals } from "@std/assert";
import { Terminal } from "../_terminal.ts";
import { type Answer, BINARY, call, Pipe, start, Workspace } from "../toolgate.ts";

const POLICY = `version: 1
paths: [{ allow: [read, write], match: ["**"] }]
commands: [{ allow: [cat] }, { ask: [sh, touch], reason: be careful }]
risk: { allow: safe, ask: dangerous }
approvals: { expire: 1h, remember: 10m }
timeouts: { default: 1h }
audit: { file: .toolgate/audit.ndjson }
`;

const WRITE = { tool: "write_file", args: { path: "a.txt", content: "new\n" } };

interface Event extends Answer {
  readonly approval: string;
  readonly description: string;
  readonly preview: { readonly diff: string } | null;
  readonly expires_at: string;
}

async function askOverPipe(pipe: Pipe, request: Record<string, unknown>): Promise<Event> {
  await pipe.send(request);
  const event = await pipe.next() as Event | null;
  assertEquals(event?.event, "approval_required", JSON.stringify(event));
  return event as Event;
}

function open(workspace: Workspace, policy = POLICY): Pipe {
  return new Pipe(["--policy", workspace.policy(policy)], { cwd: workspace.root });
}

Deno.test("the pipe: asked with a preview, approved, done; the rest goes on meanwhile", async () => {
  await using workspace = new Workspace({ "a.txt": "old\n" });
  const pipe = open(workspace);
  const event = await askOverPipe(pipe, { id: 1, ...WRITE });
  assert(/^ap_[0-9a-f]{32}$/.test(event.approval));
  assertEquals(event.description, "Write file: a.txt");
  assert(event.preview?.diff.includes("-old\n+new"), JSON.stringify(event));
  assert(Date.parse(event.expires_at) > Date.now());
  const other = await pipe.ask({ id: 2, tool: "read_file", args: { path: "a.txt" } });
  assertEquals([other.id, other.output.content], [2, "old\n"]);
  await pipe.send({ id: 3, op: "approve", approval: event.approval });
  const answers = await pipe.answers(2);
  assertEquals(answers.get(1)?.success, true);
  assertEquals(answers.get(3)?.output.answer, "approved");
  assertEquals(workspace.read("a.txt"), "new\n");
  const again = await pipe.ask({ id: 4, op: "approve", approval: event.approval });
  assertEquals(again.error?.code, "INVALID_REQUEST");
  assertEquals((await pipe.close()).status, 0);
  const kinds = workspace.read(".toolgate/audit.ndjson").trimEnd().split("\n").map((line) => {
    const { kind, effect, answer } = JSON.parse(line);
    return [kind, effect ?? answer].filter((part) => part !== undefined).join(" ");
  });
  assertEquals(kinds.sort(), [
    "approval approved",
    "decision allow",
    "decision ask",
    "outcome",
    "outcome",
  ]);
});

Deno.test("the pipe: a program has the files that somebody agreed to, for that call, and no others", async () => {
  const policy = `${POLICY.replace("allow: [cat]", "allow: [cat, sort]")}`
    .replace("paths: [", 'paths: [{ ask: [read, write], match: ["asked/**"] }, ') +
    "sandbox: { kernel: required }\n";
  await using workspace = new Workspace({
    "asked/a": "agreed\n",
    "asked/b": "other\n",
    "run.sh": "cat asked/a asked/b\n",
  });
  const pipe = open(workspace, policy);
  const run = async (id: number, argv: readonly string[]): Promise<Answer | undefined> => {
    const event = await askOverPipe(pipe, { id, tool: "run_command", args: { argv } });
    await pipe.send({ id: id + 1, op: "approve", approval: event.approval });
    return (await pipe.answers(2)).get(id);
  };
  const read = await run(1, ["cat", "asked/a"]);
  assertEquals(read?.output?.stdout, "agreed\n", JSON.stringify(read));
  // What lies beside it is not given with it: here to a script, which names one more than its words do.
  const script = await run(11, ["sh", "run.sh", "asked/a"]);
  assertEquals(
    [script?.success, script?.output?.stdout],
    [false, "agreed\n"],
    JSON.stringify(script),
  );
  const written = await run(21, ["sort", "-o", "asked/b", "asked/a"]);
  assertEquals(written?.success, true, JSON.stringify(written));
  assertEquals(workspace.read("asked/b"), "agreed\n");
  assertEquals((await pipe.close()).status, 0);
});

Deno.test("the pipe: rejected, expired, cancelled, and left open at the end: nothing is done", async () => {
  await using workspace = new Workspace({ "a.txt": "old\n" });
  const pipe = open(workspace);
  const event = await askOverPipe(pipe, { id: 1, ...WRITE });
  await pipe.send({ id: 2, op: "reject", approval: event.approval, reason: "not today" });
  const rejected = (await pipe.answers(2)).get(1);
  assertEquals(rejected?.error?.code, "APPROVAL_REJECTED");
  assert(rejected?.error?.message.includes("not today"));
  await askOverPipe(pipe, { id: 3, ...WRITE });
  await pipe.send({ id: 4, op: "cancel", target: 3 });
  assertEquals((await pipe.answers(2)).get(3)?.error?.code, "CANCELLED");
  await askOverPipe(pipe, { id: 5, ...WRITE });
  const { status, rest } = await pipe.close();
  assertEquals(status, 0);
  assertEquals(rest.find(({ id }) => id === 5)?.error?.code, "APPROVAL_REQUIRED");

  const hasty = open(workspace, POLICY.replace("1h", "100ms"));
  await askOverPipe(hasty, { id: 6, ...WRITE });
  assertEquals((await hasty.next())?.error?.code, "APPROVAL_EXPIRED");
  await hasty.close();
  assertEquals(workspace.read("a.txt"), "old\n");
});

Deno.test("the pipe: whoever agrees is heard, however many requests wait", async () => {
  await using workspace = new Workspace();
  const pipe = open(workspace);
  const sent = 3_000;
  // Nobody waits here for all to be taken: answers are read meanwhile.
  const sending = pipe.send(
    ...Array.from({ length: sent }, (_, id) => ({
      id,
      tool: "write_file",
      args: { path: `${id}.txt`, content: "new\n" },
    })),
  );
  const first = await pipe.next() as Event | null;
  assertEquals(first?.event, "approval_required");
  const agreeing = pipe.send({ id: "yes", op: "approve", approval: first?.approval });
  const codes = new Map<string, number>();
  for (let written = false, heard = false; !written || !heard;) {
    const answer = await pipe.next();
    assert(answer !== null);
    if (answer.event !== undefined) continue;
    written ||= answer.id === first?.id && answer.success;
    heard ||= (answer.id as unknown) === "yes" && answer.success;
    const code = answer.error?.code;
    if (code !== undefined) codes.set(code, (codes.get(code) ?? 0) + 1);
  }
  assertEquals(workspace.read(`${first?.id}.txt`), "new\n");
  // What does not fit is refused at once, and nothing else is.
  assertEquals([...codes.keys()], ["RESOURCE_LIMIT"]);
  await Promise.all([sending, agreeing]);
  assertEquals((await pipe.close()).status, 0);
});

Deno.test("what changes between the question and the answer is asked for again", async () => {
  await using workspace = new Workspace({ "a.txt": "old\n", "run.sh": "echo fine\n" });
  const pipe = open(workspace);
  const first = await askOverPipe(pipe, { id: 1, ...WRITE });
  workspace.write("a.txt", "somebody else's\n");
  await pipe.send({ id: 2, op: "approve", approval: first.approval });
  let second = await pipe.next() as Event;
  if (second.event === undefined) second = await pipe.next() as Event;
  assertEquals(second.event, "approval_required");
  assert(second.approval !== first.approval);
  assert(second.preview?.diff.includes("-somebody else's"));
  await pipe.send({ id: 3, op: "reject", approval: second.approval });
  await pipe.answers(2);
  assertEquals(workspace.read("a.txt"), "somebody else's\n");

  const script = await askOverPipe(pipe, {
    id: 4,
    tool: "run_command",
    args: { argv: ["sh", "run.sh"] },
  });
  workspace.write("run.sh", "echo pwned >proof\n");
  await pipe.send({ id: 5, op: "approve", approval: script.approval });
  let event = await pipe.next() as Event;
  if (event.event === undefined) event = await pipe.next() as Event;
  assertEquals(event.event, "approval_required", JSON.stringify(event));
  await pipe.close();
  assert(![...Deno.readDirSync(workspace.root)].some(({ name }) => name === "proof"));
});

Deno.test("remembered approvals are for the very same action, are listed, and can be revoked", async () => {
  await using workspace = new Workspace({ "a.txt": "old\n", "sub/x": "" });
  const pipe = open(workspace);
  const sh = { tool: "run_command", args: { argv: ["touch", "sub/x"] } };
  const event = await askOverPipe(pipe, { id: 1, ...sh });
  await pipe.send({ id: 2, op: "approve", approval: event.approval, remember: "session" });
  await pipe.answers(2);
  assertEquals((await pipe.ask({ id: 3, ...sh })).success, true);
  const listed = await pipe.ask({ id: 4, op: "approvals" });
  assertEquals(listed.output.approvals.map(({ id }: { id: string }) => id), [event.approval]);
  const other = { tool: "run_command", args: { argv: ["touch", "sub/y"] } };
  for (const request of [other, { ...sh, agent: "other" }, { ...sh, timeout_ms: 5000 }]) {
    const asked = await askOverPipe(pipe, { id: 5, ...request }).catch((error) => String(error));
    if (typeof asked === "string") {
      // Another agent may have no right to it at all: that is no approval either.
      assert(asked.includes("PERMISSION_DENIED"), asked);
      continue;
    }
    assert(asked.approval !== event.approval);
    await pipe.send({ id: 6, op: "reject", approval: asked.approval });
    await pipe.answers(2);
  }
  assertEquals(
    (await pipe.ask({ id: 7, op: "revoke", approval: event.approval })).output.revoked,
    true,
  );
  await askOverPipe(pipe, { id: 8, ...sh });
  await pipe.close();
});

Deno.test("single calls: exit 4, then agreed to by a flag, by name, or by somebody else meanwhile", async () => {
  await using workspace = new Workspace({ "a.txt": "old\n" });
  const policy = workspace.policy(POLICY);
  const env = { XDG_STATE_HOME: `${workspace.base}/state` };
  const at = { cwd: workspace.root, env };
  const write = (...more: string[]) =>
    call(["write_file", "path=a.txt", "content=new", "--policy", policy, ...more], at);
  const asked = await write();
  assertEquals([asked.status, asked.answer.error?.code], [4, "APPROVAL_REQUIRED"]);
  const approval = String(asked.answer.error?.details?.approval);
  assertEquals(workspace.read("a.txt"), "old\n");

  const agreed = await write("--approval", approval);
  assertEquals([agreed.status, workspace.read("a.txt")], [0, "new"]);
  workspace.write("a.txt", "old\n");
  const replayed = await write("--approval", approval);
  assertEquals([replayed.status, workspace.read("a.txt")], [4, "old\n"]);

  const id = String(replayed.answer.error?.details?.approval);
  const list = await start(["approvals", "list"], at);
  assert(list.stdout.includes(id) && list.stdout.includes("Write file: a.txt"), list.stdout);
  const unknown = `ap_${"0".repeat(32)}`;
  assertEquals((await start(["approvals", "approve", id, unknown], at)).status, 2);
  assertEquals(JSON.parse((await start(["approvals", "list"], at)).stdout)[0].status, "pending");
  assertEquals((await start(["approvals", "approve", id], at)).status, 0);
  const twice = await Promise.all([write(), write()]);
  assertEquals(twice.map(({ status }) => status).sort(), [0, 4]);

  workspace.write("a.txt", "other\n");
  const flagged = await write("--approve");
  assertEquals([flagged.status, workspace.read("a.txt")], [0, "new"]);
});

Deno.test("single calls: a rejection holds, a changed file asks again, forged approvals are none", async () => {
  await using workspace = new Workspace({ "a.txt": "old\n" });
  const policy = workspace.policy(POLICY);
  const state = `${workspace.base}/state`;
  const at = { cwd: workspace.root, env: { XDG_STATE_HOME: state } };
  const args = ["write_file", "path=a.txt", "content=new", "--policy", policy];
  const first = String((await call(args, at)).answer.error?.details?.approval);
  await start(["approvals", "approve", first], at);
  workspace.write("a.txt", "changed meanwhile\n");
  const changed = await call(args, at);
  assertEquals([changed.status, workspace.read("a.txt")], [4, "changed meanwhile\n"]);
  const second = String(changed.answer.error?.details?.approval);
  await start(["approvals", "reject", second], at);
  assertEquals((await call(args, at)).answer.error?.code, "APPROVAL_REJECTED");

  Deno.chmodSync(`${state}/toolgate/approvals`, 0o777);
  const forged = { id: second, status: "approved", expiresAt: Date.now() + 1e6, remembered: true };
  Deno.writeTextFileSync(`${state}/toolgate/approvals/${second}.json`, JSON.stringify(forged));
  assertEquals((await call(args, at)).status, 4);
  Deno.chmodSync(`${state}/toolgate/approvals`, 0o700);
  for (const bad of ["ap_x", "../../x", "ap_" + "0".repeat(32), ""]) {
    assert((await call([...args, `--approval=${bad}`], at)).status !== 0);
  }
  assertEquals(workspace.read("a.txt"), "changed meanwhile\n");
});

Deno.test("where tools may write to the folder of approvals, what lies there approves nothing", async () => {
  await using workspace = new Workspace({ "a.txt": "old\n" });
  const policy = workspace.policy(POLICY);
  const at = { cwd: workspace.root, env: { XDG_STATE_HOME: workspace.path("state") } };
  const args = ["write_file", "path=a.txt", "content=new", "--policy", policy];
  const asked = await call(args, at);
  const id = String(asked.answer.error?.details?.approval);
  assert(!asked.answer.error?.message.includes("approvals approve"), asked.answer.error?.message);
  const forged = { id, status: "approved", expiresAt: Date.now() + 1e6, remembered: true };
  workspace.write(`state/toolgate/approvals/${id}.json`, JSON.stringify(forged));
  for (const folder of ["state", "state/toolgate", "state/toolgate/approvals"]) {
    Deno.chmodSync(workspace.path(folder), 0o700);
  }
  assertEquals((await call(args, at)).status, 4);
  assertEquals((await call([...args, "--approval", id], at)).status, 4);
  assertEquals(workspace.read("a.txt"), "old\n");
});

Deno.test("nobody to ask and nowhere to keep it: the call says what to do, and does not hang", async () => {
  await using workspace = new Workspace({ "a.txt": "old\n" });
  const policy = workspace.policy(POLICY);
  const { status, answer } = await call(
    ["write_file", "path=a.txt", "content=new", "--policy", policy],
    { cwd: workspace.root },
  );
  assertEquals(status, 4);
  assert(answer.error?.message.includes("--approve"), answer.error?.message);
});

Deno.test("on a terminal: what would happen is shown, and nothing but a clear yes does it", async () => {
  await using workspace = new Workspace({ "a.txt": "old\n" });
  const policy = workspace.policy(POLICY);
  const env = { HOME: "/dev/null/home", XDG_STATE_HOME: `${workspace.base}/state` };
  const ask = async (typed: string, content = "new"): Promise<number> => {
    await using terminal = new Terminal();
    const args = ["call", "write_file", "path=a.txt", `content=${content}`, "--policy", policy];
    terminal.start(BINARY, args, { cwd: workspace.root, env });
    const shown = await terminal.until((text) => text.includes("Agree?"));
    for (const part of ["Write file: a.txt", "moderate", "-old", `+${content}`]) {
      assert(shown.includes(part), `${part}: ${shown}`);
    }
    terminal.type(typed);
    return (await terminal.end()).status;
  };
  for (const no of ["\n", "n\n", "no\n", "yess\n", "\x04"]) {
    assertEquals([await ask(no), workspace.read("a.txt")], [4, "old\n"], JSON.stringify(no));
  }
  assertEquals([await ask("y\n"), workspace.read("a.txt")], [0, "new"]);

  workspace.write("a.txt", "old\n");
  assertEquals(await ask("s\n", "twice"), 0);
  workspace.write("a.txt", "old\n");
  // What was agreed to for a while was that action, and no other.
  await using terminal = new Terminal();
  const args = ["call", "write_file", "path=a.txt", "content=other", "--policy", policy];
  terminal.start(BINARY, args, { cwd: workspace.root, env });
  await terminal.until((text) => text.includes("Agree?"));
  terminal.type("n\n");
  assertEquals((await terminal.end()).status, 4);
  assertEquals(workspace.read("a.txt"), "old\n");
});

Deno.test("who agrees to a line agrees to how risky its commands are, with the operands that become known", async () => {
  const policy = `version: 1
paths: [{ allow: [read, write], match: ["**"] }, { deny: [write], match: ["kept/**"] }]
commands: [{ allow: [rm, echo, ls] }]
risk: { allow: moderate, ask: dangerous }
`;
  await using workspace = new Workspace({ "a/b": "", "kept/c": "", "names.txt": "-rf\n" });
  const run = async (command: string, approves: boolean) => {
    const given = ["--policy", workspace.policy(policy), ...(approves ? ["--approve"] : [])];
    const { answer } = await call(["run_command", `command=${command}`, ...given], {
      cwd: workspace.root,
    });
    return answer.error?.code ?? answer.output?.stdout;
  };
  const removes = "D=a; rm -r $D; ls";
  assertEquals(await run(removes, false), "APPROVAL_REQUIRED");
  // Nobody was asked about more than rm, which may remove a file.
  const hidden = "D=$(echo -r a); rm $D; ls";
  assertEquals(await run(hidden, false), "APPROVAL_REQUIRED");
  assertEquals(await run(`rm -r none; ${hidden}`, true), "APPROVAL_REQUIRED");
  assertEquals(await run("D=kept; rm -r $D; ls", true), "PATH_DENIED");
  assertEquals(await run(removes, true), "kept\nnames.txt\n");
});
