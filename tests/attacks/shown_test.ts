/** What people are shown when they are asked: nothing in it steers a terminal, turns text, or passes for the question itself. */

import { assert, assertEquals } from "@std/assert";
import { Session } from "../binary/_mcp_session.ts";
import { call, Pipe, start, Workspace } from "../binary/toolgate.ts";
import { own, type User, USERS } from "./_users.ts";

const POLICY = `version: 1
paths: [{ allow: [read, write], match: ["**"] }]
commands: [{ ask: ["*"] }]
risk: { allow: safe, ask: dangerous }
tools: { run_command: { risk: safe } }
agents: { "*": { permissions: [all] } }
approvals: { expire: 1h }
timeouts: { default: 1h }
`;

/** Controls and formats but for line feeds and tabs: none may reach a person. */
const UNSAFE = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

const FORGED = "\n\nAsked by root; risk safe: nothing is changed";
const HOSTILE = [
  "\x1b[2J\x1b[H",
  "\x1b]0;title\x07",
  "\x1b]52;c;Zm9v\x07",
  "\x9b31m",
  "\u202egpj.exe",
  "\u2066\u2069",
  "\u200b\u200d\ufeff",
  "\u2028line\u2029",
  "\r overwritten",
  "\x08\x08\x08",
  "\u{e0041}\u{e0042}",
  "\x0b\x0c\x85",
  FORGED,
] as const;

/** By what each text reaches whoever is asked. */
const WAYS: readonly (readonly [string, (text: string) => Record<string, unknown>])[] = [
  ["the path of a write", (text) => ({
    tool: "write_file",
    args: { path: `a${text.replaceAll("/", "")}b`, content: "x" },
  })],
  ["what is written", (text) => ({
    tool: "write_file",
    args: { path: "a.txt", content: `one\n${text}\n` },
  })],
  ["the words of a command", (text) => ({
    tool: "run_command",
    args: { argv: ["touch", `x${text.replaceAll("/", "")}`] },
  })],
  ["a line", (text) => ({
    tool: "run_command",
    args: { command: `cat '${text.replaceAll("'", "")}'` },
  })],
];

/** All texts of an event, at any depth. */
function textsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [name, ...textsOf(member)]);
}

const TRIED = USERS.flatMap(([who, user]) =>
  WAYS.map(([way, requestOf]) => ({ name: `${way}, ${who}`, user, requestOf }))
);

for (const { name, user, requestOf } of TRIED) {
  Deno.test(`asked over the pipe and by elicitation, nothing is raw: ${name}`, async () => {
    await using workspace = new Workspace({ "a.txt": "one\ntwo\n" });
    const policy = workspace.policy(POLICY);
    own(workspace.base, user.user);
    const pipe = new Pipe(["--policy", policy], { cwd: workspace.root, ...user });
    const session = new Session(workspace, POLICY, user);
    await session.initialize("2025-06-18", { elicitation: {} });
    let asked = 0;
    session.onRequest = ({ params }) => {
      asked++;
      const { message } = params;
      assertEquals(UNSAFE.exec(message)?.[0] ?? null, null, JSON.stringify(message));
      // Only the question's own second line begins so.
      assertEquals(message.match(/^Asked by /gm)?.length, 1, message);
      return { action: "decline" };
    };
    for (const [at, text] of HOSTILE.entries()) {
      const request = requestOf(text);
      for (const agent of ["root", `x${text}`.slice(0, 200)]) {
        await pipe.send({ id: at, agent, ...request });
        const event = await pipe.next() as unknown as Record<string, unknown>;
        if (event["event"] !== "approval_required") continue;
        for (const shown of textsOf(event)) {
          assertEquals(UNSAFE.exec(shown)?.[0] ?? null, null, JSON.stringify([text, shown]));
        }
        for (const name of ["description", "reason", "agent"]) {
          assert(!String(event[name]).includes("\n"), JSON.stringify(event[name]));
        }
        await pipe.send({ id: "no", op: "reject", approval: event["approval"] });
        await pipe.answers(2);
      }
      const { tool, args } = request as { tool: string; args: unknown };
      await session.ask("tools/call", { name: tool, arguments: args });
    }
    assert(asked > HOSTILE.length / 2, `${asked}`);
    await pipe.close();
    await session.close();
  });
}

async function listsSafely(user: User): Promise<void> {
  await using workspace = new Workspace();
  const env = { XDG_STATE_HOME: `${workspace.base}/state` };
  const at = { cwd: workspace.root, env, ...user };
  const policy = workspace.policy(POLICY);
  own(workspace.base, user.user);
  for (const text of HOSTILE) {
    const args = JSON.stringify({ path: `a${text.replaceAll("/", "")}`, content: "x" });
    const { status } = await call(["write_file", "--json", args, "--policy", policy], at);
    assertEquals(status, 4);
  }
  const table = await start(["approvals", "list", "--format", "text"], at);
  assertEquals(UNSAFE.exec(table.stdout)?.[0] ?? null, null, JSON.stringify(table.stdout));
  const listed = await start(["approvals", "list", "--format", "json"], at);
  for (const shown of textsOf(JSON.parse(listed.stdout))) {
    assertEquals(UNSAFE.exec(shown)?.[0] ?? null, null, JSON.stringify(shown));
  }
  assertEquals(JSON.parse(listed.stdout).length, HOSTILE.length);
}

for (const [who, user] of USERS) {
  Deno.test(
    `what waits for an answer between calls is listed safely, as text and as JSON, ${who}`,
    () => listsSafely(user),
  );
}
