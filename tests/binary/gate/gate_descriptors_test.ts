import { assert, assertEquals } from "@std/assert";
import { comesToBe } from "../../until.ts";
import { Gate } from "../_gate.ts";
import { Workspace } from "../toolgate.ts";

const POLICY = `version: 1
paths: [{ allow: [read], match: ["**"] }]
agents: { root: { permissions: [all] } }
`;

function descriptors(gate: Gate): number {
  return [...Deno.readDirSync(`/proc/${gate.pid}/fd`)].length;
}

Deno.test("those who come with one token, one after the other, leave no descriptor", async () => {
  await using workspace = new Workspace({ "a.txt": "a\n" });
  const gate = await Gate.start(workspace, { policy: POLICY });
  const maker = await gate.connect();
  const { output: { token } } = await maker.ask({ id: 1, op: "token", permissions: ["file_read"] });
  const come = async () => {
    const bearer = await gate.connect();
    assertEquals(await bearer.codeOf({ id: 1, op: "hello", token }), null);
    assertEquals(await bearer.codeOf({ id: 2, tool: "read_file", args: { path: "a.txt" } }), null);
    bearer.close();
  };
  await come();
  await come();
  const before = descriptors(gate);
  for (let at = 0; at < 20; at++) await come();
  assert(await comesToBe(() => descriptors(gate) <= before), `${before} at first`);
  maker.close();
  assertEquals(await gate.stop(), 0);
});

Deno.test("a gate may have more descriptors than programs usually begin with", async () => {
  await using workspace = new Workspace({});
  const gate = await Gate.start(workspace, { policy: POLICY });
  const limits = Deno.readTextFileSync(`/proc/${gate.pid}/limits`);
  const [, soft, hard] = /^Max open files +(\d+) +(\d+)/m.exec(limits) ?? [];
  assert(Number(soft) >= Math.min(16_384, Number(hard)), limits);
  assertEquals(await gate.stop(), 0);
});

/** setrlimit(2) of another process (util-linux). */
async function limit(pid: number, most: string): Promise<void> {
  const { success, stderr } = await new Deno.Command("/usr/bin/prlimit", {
    args: [`--pid=${pid}`, `--nofile=${most}:`],
    stdin: "null",
  }).output();
  assert(success, new TextDecoder().decode(stderr));
}

Deno.test("a gate that has no descriptors for another thread says so, and goes on", async () => {
  await using workspace = new Workspace({ "a.txt": "a\n" });
  const gate = await Gate.start(workspace, { policy: POLICY });
  const [maker, bearer] = [await gate.connect(), await gate.connect()];
  const { output: { token } } = await maker.ask({ id: 1, op: "token", permissions: ["file_read"] });
  assertEquals(await bearer.codeOf({ id: 1, op: "hello", token }), null);
  const read = { id: 2, tool: "search_files", args: { pattern: "a" } };
  assertEquals(await maker.codeOf(read), null);
  await limit(gate.pid, String(descriptors(gate) + 2));
  for (let at = 0; at < 3; at++) assertEquals(await bearer.codeOf(read), "RESOURCE_LIMIT");
  assertEquals(await maker.codeOf(read), null);
  await limit(gate.pid, "1024");
  assertEquals(await bearer.codeOf(read), null);
  for (const caller of [maker, bearer]) caller.close();
  assertEquals(await gate.stop(), 0);
});
