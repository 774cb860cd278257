import { assertEquals } from "@std/assert";
import type {
  ApprovalAnswer,
  Approver,
  PendingApproval,
} from "../../../src/engine/approvals/approvals.ts";
import type { JsonText } from "../../../src/core/result.ts";
import { PipeApprovals } from "../../../src/serve/_pipe_approvals.ts";

const pending = (id = "ap_1"): PendingApproval => ({
  id,
  tool: "write_file",
  agent: "child-1",
  description: "Write a",
  risk: "moderate",
  reason: "the policy asks",
  preview: "null" as JsonText,
  onceBecause: null,
  expiresAt: Date.now() + 60_000,
});

const AGREED: ApprovalAnswer = { answer: "approved", remember: "once" };
const turns = async () => {
  for (let turn = 0; turn < 10; turn++) await null;
};

Deno.test("who came with a token is not asked, and cannot answer for who made it", async () => {
  const above: string[] = [];
  const maker = new PipeApprovals((line) => above.push(line));
  const below: string[] = [];
  const bearer = new PipeApprovals((line) => below.push(line), maker.forOthers);
  const asked = bearer.approverOf("1").ask(pending());
  await turns();
  assertEquals([bearer.waiting, maker.waiting, below.length, above.length], [1, 0, 0, 1]);
  const { id, event, agent } = JSON.parse(above[0] as string);
  assertEquals([id, event, agent], [null, "approval_required", "child-1"]);
  assertEquals(bearer.answer("ap_1", AGREED), null);
  // Its maker's own requests of the same number are others.
  maker.cancel("1");
  maker.cancel(null);
  await turns();
  assertEquals(bearer.waiting, 1);
  // It has said all that it says: who agrees is elsewhere.
  bearer.endInput();
  assertEquals(maker.answer("ap_1", AGREED), { onceBecause: null });
  assertEquals(await asked, AGREED);
  assertEquals(bearer.waiting, 0);
});

Deno.test("a question ends with who waits for it, and with who could answer it", async () => {
  const maker = new PipeApprovals(() => {});
  const bearer = new PipeApprovals(() => {}, maker.forOthers);
  const cancelled = bearer.approverOf("1").ask(pending());
  const closed = bearer.approverOf("2").ask(pending("ap_2"));
  await turns();
  bearer.cancel("1");
  assertEquals(await cancelled, { answer: "cancelled" });
  assertEquals(maker.answer("ap_1", AGREED), null);
  bearer.close();
  assertEquals(await closed, { answer: "cancelled" });
  const other = new PipeApprovals(() => {}, maker.forOthers);
  const open = other.approverOf("1").ask(pending());
  await turns();
  maker.endInput();
  assertEquals((await open).answer, "nobody");
  assertEquals((await other.approverOf("1").ask(pending())).answer, "nobody");
});

Deno.test("who answers for himself is asked by an event", async () => {
  const lines: string[] = [];
  const own = new PipeApprovals((line) => lines.push(line));
  const approver: Approver = own.approverOf("7");
  const asked = approver.ask(pending());
  await turns();
  assertEquals([own.waiting, JSON.parse(lines[0] as string).id], [1, 7]);
  own.cancel("7");
  assertEquals([await asked, own.waiting], [{ answer: "cancelled" }, 0]);
  own.endInput();
  assertEquals((await approver.ask(pending())).answer, "nobody");
});
