import { assertEquals } from "@std/assert";
import { callerOf, type CallerRules } from "../../../../src/serve/gate/caller.ts";

const OWN = 1000;
const OTHER = 1001;
const STRANGER = 1002;

const alone: CallerRules = { uid: OWN, callers: null, agent: null };
const named: CallerRules = {
  uid: OWN,
  callers: [{ uid: OTHER, agent: "reader" }, { uid: OWN, agent: "root" }],
  agent: null,
};
const without: CallerRules = { ...named, callers: [{ uid: OTHER, agent: "reader" }] };

/** `name`, `name*` where it is the only one that he may give, `-` for none, `token` for who is heard only with one; then `!` for who may end the gate. */
function shown(uid: number, ownProgram: boolean, rules: CallerRules): string {
  const found = callerOf({ uid, ownProgram }, rules);
  if ("refused" in found) return "refused";
  const { agent, operator, onlyWithToken } = found;
  if (onlyWithToken !== null) return "token";
  const name = agent === null ? "-" : `${agent.name}${agent.pinned ? "*" : ""}`;
  return `${name}${operator ? "!" : ""}`;
}

Deno.test("who a caller is, by his user and by the policy", () => {
  const table: readonly [uid: number, ownProgram: boolean, CallerRules, string][] = [
    [OWN, false, alone, "root!"],
    [OWN, false, { ...alone, agent: "child-1" }, "child-1*!"],
    [OTHER, false, alone, "refused"],
    [0, false, alone, "refused"],
    [OTHER, false, named, "reader*"],
    [OWN, false, named, "root*!"],
    [STRANGER, false, named, "refused"],
    // A gate for one agent alone speaks for no other.
    [OTHER, false, { ...named, agent: "root" }, "refused"],
    [OWN, false, { ...named, agent: "root" }, "root*!"],
    // Who is not among them may end it, where it is his own.
    [OWN, false, without, "-!"],
    [OWN, false, { ...alone, callers: [] }, "-!"],
    // Programs that the gate itself has started are nobody without a token, and strangers not even with one.
    [OWN, true, alone, "token"],
    [OWN, true, without, "token"],
    [OTHER, true, named, "token"],
    [OTHER, true, alone, "refused"],
    [STRANGER, true, named, "refused"],
  ];
  for (const [uid, ownProgram, rules, expected] of table) {
    assertEquals(shown(uid, ownProgram, rules), expected, JSON.stringify([uid, ownProgram, rules]));
  }
});
