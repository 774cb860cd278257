import { assertEquals, assertMatch } from "@std/assert";
import type { Effect } from "../../../../src/policy/model.ts";
import { askWhileRunning } from "../../../../src/engine/approvals/ask_while_running.ts";
import type { ApprovalAnswer } from "../../../../src/engine/approvals/approvals.ts";
import type { CallRecord } from "../../../../src/engine/recorder.ts";
import type { RunningCommand } from "../../../../src/engine/runner.ts";
import { canonical, commandRule, pathRule, WORKSPACE } from "../../policy/_fixtures.ts";
import { answering, requestOf, toolOf, worldOf } from "../_stand_ins.ts";

const YES: ApprovalAnswer = { answer: "approved", remember: "session" };

async function asked(command: Partial<RunningCommand["command"]>, ...answers: ApprovalAnswer[]) {
  const { engine } = worldOf({
    policies: [{
      paths: [pathRule("allow", ["**"]), pathRule("ask", ["asked/**"])],
      commands: [commandRule("allow", ["cat"]), commandRule("ask", ["touch"])],
      risk: { allow: "dangerous", ask: "dangerous" },
      agents: { root: { permissions: ["all"] } },
    }],
  });
  const noted: string[] = [];
  const record: CallRecord = {
    decided: (tool, input, { effect }: { readonly effect: Effect }) =>
      noted.push(`${effect}: ${tool.describe(input as never)}`),
    approval: (_tool, { answer }) => noted.push(answer),
    ended: (result) => result,
  };
  const { follow: { approver }, asked } = answering(...answers);
  const tool = toolOf({
    name: "run_command",
    permission: "code_execution",
    describe: () => "Run: the line",
  });
  let went = 0;
  const answer = await askWhileRunning({
    ...{ engine, request: requestOf("run_command"), tool, input: {}, approver, record },
    outcome: new Promise(() => {}),
  }, {
    folder: null,
    command: {
      argv: null,
      // The stand-in puts all paths below the workspace.
      directory: canonical("."),
      redirections: [],
      variables: [],
      ...command,
    },
  }, () => went++);
  return { answer, noted, asked, went };
}

Deno.test("a command of a line that runs is asked for by its words, once, and goes on record", async () => {
  const touch = { argv: ["touch", "a b"] };
  const agreed = await asked(touch, YES);
  assertEquals(agreed.answer.error, null);
  assertEquals(agreed.noted, ["ask: Run touch a\\ b in Run: the line", "approved"]);
  const [{ whileRunning, onceBecause, description } = {} as never] = agreed.asked;
  assertEquals([whileRunning, description], [true, "Run touch a\\ b in Run: the line"]);
  assertMatch(onceBecause ?? "", /part of a line/);
  assertEquals(agreed.went, 1);

  const refused = await asked(touch, { answer: "rejected", reason: "no" });
  assertEquals([refused.answer.error?.code, refused.went], ["APPROVAL_REJECTED", 1]);
  assertEquals(refused.noted.at(-1), "rejected");
  const nobody = await asked(touch, { answer: "nobody", hint: "nobody is here" });
  assertEquals(nobody.answer.error?.code, "APPROVAL_REQUIRED");
  assertMatch(nobody.answer.error?.message ?? "", /"touch a\\ b", known only while the line runs/);
});

Deno.test("what may run anyway is asked of nobody, and what is denied is refused", async () => {
  assertEquals((await asked({ argv: ["cat", "a"] })).answer.error, null);
  const denied = await asked({ argv: ["rm", "a"] });
  assertEquals([denied.answer.error?.code, denied.noted.length], ["COMMAND_DENIED", 1]);
});

Deno.test("a redirection is asked for by its file, which the command then may touch", async () => {
  const { answer, asked: questions } = await asked({
    redirections: [{ kind: "append", target: "asked/a" }],
  }, YES);
  assertEquals(questions[0]?.description, "Run >> asked/a in Run: the line");
  const path = canonical(`${WORKSPACE}/asked/a`);
  assertEquals(answer.files, [{ access: "read", path }, { access: "write", path }]);
});
