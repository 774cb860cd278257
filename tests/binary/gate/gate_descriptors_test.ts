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
