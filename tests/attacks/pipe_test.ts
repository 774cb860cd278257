/** Requests that are made to be told wrongly or to fill memory: ids come back as they were written, and what waits is bounded. */

import { assert, assertEquals } from "@std/assert";
import { type Answer, Pipe, start, Workspace } from "../binary/toolgate.ts";
import { own, type User, USERS } from "./_users.ts";

const POLICY = `version: 1
paths: [{ allow: [read, write], match: ["**"] }]
risk: { allow: safe, ask: dangerous }
limits: { request: 2MiB, write: 10MiB }
approvals: { expire: 1h }
timeouts: { default: 1h }
`;

/** As they are written. */
const IDS = [
  "0",
  "-0",
  "1.0",
  "1e2",
  "1E+2",
  "9007199254740991",
  "9007199254740992",
  "9007199254740993",
  "-9007199254740993",
  "123456789012345678901234567890",
  "0.1000000000000000055511151231257827",
  "1e400",
  "-1e400",
  "1e-400",
  '""',
  '"a"',
  '"caf\\u00e9"',
  '"\\u0061"',
  '"\\/"',
  '"\\ud800"',
  '"é🦕"',
  '"\\u0000"',
  '"\\"},{\\"id\\":1,\\""',
  '"__proto__"',
  `"${"x".repeat(1022)}"`,
] as const;
/** No ids at all: refused, with null. */
const NO_IDS = [
  "true",
  "[]",
  "{}",
  '{"id":1}',
  "[1]",
  `"${"x".repeat(2000)}"`,
  "9".repeat(2000),
] as const;

const linesOf = (text: string) => text.split("\n").filter((line) => line !== "");

/** Tried as each user. */
function attack(name: string, attempt: (user: User) => Promise<void>): void {
  for (const [who, user] of USERS) Deno.test(`${name}, ${who}`, () => attempt(user));
}

attack("serve: an id comes back byte for byte, or is refused", async (user) => {
  await using workspace = new Workspace({ "a.txt": "x" });
  own(workspace.base, user.user);
  const args = ["serve", "--policy", workspace.policy(POLICY)];
  const requests = [
    (id: string) => `{"id":${id},"op":"ping"}`,
    (id: string) => `{ "op" : "ping" , "id" : ${id} }`,
    (id: string) => `{"args":{"path":"a.txt","id":7},"tool":"get_timestamp","\\u0069d":${id}}`,
    (id: string) => `{"id":"other","op":"ping","id":${id}}`,
    (id: string) => `{"id":${id},"tool":"no_such_tool"}`,
    (id: string) => `{"id":${id},"tool":"read_file","args":{"path":"a.txt"},"stream":true}`,
  ];
  for (const request of requests) {
    const { stdout } = await start(args, {
      cwd: workspace.root,
      ...user,
      stdin: [...IDS, ...NO_IDS].map((id) => `${request(id)}\n`).join(""),
    });
    const lines = linesOf(stdout);
    assertEquals(lines.length, IDS.length + NO_IDS.length);
    for (const id of IDS) {
      const found = lines.filter((line) => line.startsWith(`{"id":${id},`));
      assertEquals(found.length, 1, `${request(id)}\n${stdout.slice(0, 2000)}`);
    }
    const refused = lines.filter((line) => line.startsWith('{"id":null,'));
    assertEquals(refused.length, NO_IDS.length);
    for (const line of refused) assertEquals(JSON.parse(line).error.code, "INVALID_REQUEST");
  }
});

attack("serve: what is cancelled is the request of that very id", async (user) => {
  await using workspace = new Workspace();
  own(workspace.base, user.user);
  const pipe = new Pipe(["--policy", workspace.policy(POLICY)], { cwd: workspace.root, ...user });
  const write = '"tool":"write_file","args":{"path":"a","content":"x"}';
  await pipe.send(`{"id":9007199254740992,${write}}`);
  await pipe.next();
  await pipe.send('{"id":1,"op":"cancel","target":9007199254740993}');
  assertEquals((await pipe.next())?.output.cancelled, false);
  await pipe.send('{"id":2,"op":"cancel","target":9007199254740992}');
  const answers = await pipe.answers(2);
  assertEquals(answers.get(2)?.output.cancelled, true);
  await pipe.close();
});

attack("mcp: an id comes back byte for byte, or is refused", async (user) => {
  await using workspace = new Workspace();
  own(workspace.base, user.user);
  const initialize = '{"jsonrpc":"2.0","id":"first","method":"initialize","params":' +
    '{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}\n';
  const { stdout } = await start(["mcp", "--policy", workspace.policy(POLICY)], {
    cwd: workspace.root,
    ...user,
    stdin: initialize +
      [...IDS, ...NO_IDS].map((id) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}\n`).join(""),
  });
  const lines = linesOf(stdout);
  assertEquals(lines.length, 1 + IDS.length + NO_IDS.length);
  let answered = 0;
  for (const line of lines.filter((one) => !one.includes('"id":"first"'))) {
    const message = JSON.parse(line);
    if ("error" in message) {
      assertEquals([message.error.code, message.id ?? null], [-32600, null], line);
      continue;
    }
    answered++;
    assert(IDS.some((id) => line.includes(`"id":${id},`)), line);
  }
  assert(answered > 8, `${answered}`);
});

attack(
  "what waits for somebody to agree is bounded by its bytes, and whoever agrees is heard",
  async (user) => {
    await using workspace = new Workspace();
    own(workspace.base, user.user);
    const pipe = new Pipe(["--policy", workspace.policy(POLICY)], { cwd: workspace.root, ...user });
    const sent = 150;
    const content = "x".repeat(1_900_000);
    const sending = (async () => {
      for (let id = 0; id < sent; id++) {
        await pipe.send({ id, tool: "write_file", args: { path: `${id}.txt`, content } });
      }
      await pipe.send({ id: "stats", op: "stats" });
    })();
    let first: string | null = null;
    const codes = new Map<string, number>();
    for (;;) {
      const said = await pipe.next() as (Answer & { readonly approval?: string }) | null;
      assert(said !== null);
      if (said.event === "approval_required") first ??= said.approval ?? null;
      else if (said.id === "stats") {
        // Four of the longest, and the one that was on its way.
        assert(said.output.request_bytes <= 5 * 2 ** 21, JSON.stringify(said.output));
        assert(said.output.memory_bytes < 700e6, JSON.stringify(said.output));
        break;
      } else if (said.error !== null) {
        codes.set(said.error.code, (codes.get(said.error.code) ?? 0) + 1);
      }
    }
    await sending;
    assertEquals([...codes.keys()], ["RESOURCE_LIMIT"]);
    assert((codes.get("RESOURCE_LIMIT") ?? 0) > sent - 10, JSON.stringify([...codes]));
    await pipe.send({ id: "yes", op: "approve", approval: first });
    const answers = await pipe.answers(2);
    assertEquals(answers.get("yes")?.success, true);
    assertEquals([...Deno.readDirSync(workspace.root)].length, 1);
    await pipe.close();
  },
);
