import { assert, assertEquals, assertRejects } from "@std/assert";
import { RpcError } from "../../../../src/serve/mcp/messages.ts";
import { RoundTrips } from "../../../../src/serve/mcp/_round_trips.ts";
import { JSON_NULL } from "../../../../src/core/result.ts";
import type { PendingApproval } from "../../../../src/engine/approvals/approvals.ts";

const pending = (id: string, expiresAt = Date.now() + 60_000): PendingApproval => ({
  id,
  tool: "write_file",
  agent: "root",
  description: "Write file: a.txt",
  risk: "moderate",
  reason: "it writes",
  preview: JSON_NULL,
  onceBecause: null,
  expiresAt,
});

const CALL = { name: "write_file", arguments: { path: "a.txt" } };
const YES = { approval: { action: "accept", content: { decision: "once" } } };

async function ask(trips: RoundTrips, asked = pending("ap_1")): Promise<string> {
  const trip = await trips.begin("tools/call", CALL, true);
  assertEquals((await trip.ask(asked)).answer, "nobody");
  return String(trip.question?.["requestState"]);
}

Deno.test("a state is for one request, once, in time", async () => {
  const trips = new RoundTrips();
  const answered = async (params: Record<string, unknown>, method = "tools/call") =>
    (await (await trips.begin(method, params, true)).ask(pending("ap_1"))).answer;
  const good = { ...CALL, requestState: await ask(trips), inputResponses: YES };
  assertEquals(await answered(good), "approved");
  await assertRejects(() => trips.begin("tools/call", good, true), RpcError, "requestState");
  for (
    const [method, params] of [
      ["tools/call", { ...CALL, arguments: { path: "b.txt" } }],
      ["tools/call", { ...CALL, name: "read_file" }],
      ["tools/call", { name: CALL.name }],
      ["resources/read", { uri: "workspace:///a.txt" }],
    ] as const
  ) {
    const requestState = await ask(trips);
    await assertRejects(
      () => trips.begin(method, { ...params, requestState, inputResponses: YES }, true),
      RpcError,
    );
  }
  const late = await ask(trips, pending("ap_1", Date.now() - 1));
  const params = { ...CALL, requestState: late, inputResponses: YES };
  await assertRejects(() => trips.begin("tools/call", params, true), RpcError);
});

Deno.test("an answer is for the action that was asked about, and earlier rounds stay agreed to", async () => {
  const trips = new RoundTrips();
  const other = await trips.begin("tools/call", {
    ...CALL,
    requestState: await ask(trips),
    inputResponses: YES,
  }, true);
  assertEquals((await other.ask(pending("ap_changed"))).answer, "nobody");
  assert(other.question !== null, "it is asked again");
  const second = await trips.begin("tools/call", {
    ...CALL,
    requestState: await ask(trips),
    inputResponses: YES,
  }, true);
  assertEquals((await second.ask(pending("ap_1"))).answer, "approved");
  assertEquals((await second.ask(pending("ap_2"))).answer, "nobody");
  const requestState = second.question?.["requestState"];
  const third = await trips.begin(
    "tools/call",
    { ...CALL, requestState, inputResponses: YES },
    true,
  );
  assertEquals((await third.ask(pending("ap_1"))).answer, "approved");
  assertEquals((await third.ask(pending("ap_2"))).answer, "approved");
  assertEquals(third.question, null);
});

Deno.test("questions that nobody answers are forgotten, the oldest first", async () => {
  const trips = new RoundTrips();
  const first = await ask(trips);
  const second = await ask(trips);
  for (let i = 0; i < 1023; i++) await ask(trips);
  const params = (requestState: string) => ({ ...CALL, requestState, inputResponses: YES });
  await assertRejects(() => trips.begin("tools/call", params(first), true), RpcError);
  const kept = await trips.begin("tools/call", params(second), true);
  assertEquals((await kept.ask(pending("ap_1"))).answer, "approved");
});

Deno.test("a client that cannot ask is asked nothing", async () => {
  const trip = await new RoundTrips().begin("tools/call", CALL, false);
  assertEquals((await trip.ask(pending("ap_1"))).answer, "nobody");
  assertEquals(trip.question, null);
});
