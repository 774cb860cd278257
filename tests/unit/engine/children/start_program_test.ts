import { assertEquals } from "@std/assert";
import { childCommand } from "../../../../src/engine/children/start_program.ts";

Deno.test("the task stands where the command names it, as one word and as it is", () => {
  const table: readonly [command: readonly string[], task: string, argv: readonly string[]][] = [
    [["agent"], "do it", ["agent"]],
    [["agent", "--task", "{task}"], "do 'it' $(now)", ["agent", "--task", "do 'it' $(now)"]],
    [["agent", "--task={task}"], "--evil", ["agent", "--task=--evil"]],
    [["agent", "{task}{task}"], "$&", ["agent", "$&$&"]],
  ];
  for (const [command, task, argv] of table) assertEquals(childCommand(command, task), argv);
});
