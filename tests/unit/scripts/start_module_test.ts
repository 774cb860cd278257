import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { CALL_ALONE, CALL_AT_GATE, START_MODULE } from "../../../scripts/build.ts";

/** What is asked, the gate of the environment, and the modules that are loaded for it, in order. */
const STARTS: readonly (readonly [string, string | null, readonly string[]])[] = [
  ["call read_file path=a.txt --gate g", null, ["alone"]],
  ["call --gate=g read_file", null, ["alone"]],
  ["--quiet call read_file", "g", ["alone"]],
  ["call read_file path=a.txt", null, ["whole"]],
  ["serve", "g", ["whole"]],
  ["tools --gate g", null, ["whole"]],
  ["", null, ["whole"]],
  // The one says that it ended nothing, the other what it is or that it is no call.
  ["call other --gate g", null, ["alone", "at gate"]],
  ["call no-call --gate g", null, ["alone", "at gate", "whole"]],
];

Deno.test("a start loads for a call through a gate nothing but its module, and that for nothing else", async () => {
  const folder = await Deno.makeTempDir({ prefix: "toolgate-start-" });
  try {
    await Deno.writeTextFile(join(folder, "start.js"), START_MODULE);
    await Deno.writeTextFile(join(folder, "whole.js"), 'console.log("whole");');
    await Deno.writeTextFile(
      join(folder, CALL_ALONE),
      'export function callAlone(args){console.log("alone");return args.some((word)=>/other|no-call/.test(word))?null:7}',
    );
    await Deno.writeTextFile(
      join(folder, CALL_AT_GATE),
      'export async function callAtGate(args){console.log("at gate");return args.includes("no-call")?null:7}',
    );
    const said = await Promise.all(STARTS.map(async ([words, gate, modules]) => {
      const { code, stdout } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-config", join(folder, "start.js"), ...words.split(" ")],
        env: { TOOLGATE_GATE: gate ?? "" },
      }).output();
      const status = modules.includes("whole") ? 0 : 7;
      assertEquals(code, status, words);
      return new TextDecoder().decode(stdout).trim().split("\n");
    }));
    assertEquals(said, STARTS.map(([, , modules]) => [...modules]));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
