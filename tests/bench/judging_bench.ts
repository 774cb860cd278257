/**
 * What it takes to judge a command line of 200 commands under the default policy, of each kind alone and of ten kinds in
 * turns: to stay under 5 ms warm. Run with `deno bench -A tests/bench/judging_bench.ts`.
 */

import { decideCall } from "../../src/engine/judge/decide_call.ts";
import { parsePolicy } from "../../src/policy/parse/parse.ts";
import { openEngine, requestOf } from "../unit/engine/_stand_ins.ts";

const COMMANDS = 200;

const KINDS: Readonly<Record<string, readonly string[]>> = {
  "echo": ["echo N"],
  "cat of a file": ["cat f.txt"],
  "git status": ["git status --short"],
  "ten kinds": [
    "cat f.txt",
    "ls -la",
    "grep -rn TODO . | head",
    "git log --oneline -5",
    "python3 -V",
    "sed -n 1,5p f.txt",
    "mkdir -p dN",
    "echo hi > dN/x",
    "npm test",
    "wc -l f.txt",
  ],
};

const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "toolgate-bench-" }));
addEventListener("unload", () => Deno.removeSync(root, { recursive: true }));
Deno.writeTextFileSync(`${root}/f.txt`, "x\n");
const source = "policy/default.yaml";
const parsed = parsePolicy(
  Deno.readTextFileSync(new URL(`../../${source}`, import.meta.url)),
  source,
);
if ("problems" in parsed) throw new Error("the default policy is not read");
const engine = openEngine(root, parsed.policy);

let round = 0;
for (const [kind, commands] of Object.entries(KINDS)) {
  const all = Array.from(
    { length: COMMANDS },
    (_, at) => commands[at % commands.length]!.replaceAll("N", String(at)),
  );
  Deno.bench({
    group: "judging 200 commands",
    name: kind,
    async fn() {
      // No line is the last one again.
      const command = `${all.join("; ")} # ${round++}`;
      const { decision } = await decideCall(
        engine,
        requestOf("run_command", { args: { command } }),
      );
      if (decision.effect !== "allow") throw new Error(`not allowed: ${decision.reason}`);
    },
  });
}
