import { assert, assertEquals } from "@std/assert";
import type { ResolvedCapability } from "../../../../src/core/capability.ts";
import { compileRulebook } from "../../../../src/policy/compile_rulebook.ts";
import type { Policy } from "../../../../src/policy/model.ts";
import { type PolicyWarning, reviewPolicies } from "../../../../src/policy/review/review.ts";
import type { Rulebook } from "../../../../src/policy/rulebook.ts";
import { Random } from "../../../random.ts";
import { ACTIONS, canonical, READER, RUNNER, WORKSPACE } from "../_fixtures.ts";
import { Maker, type Section } from "../_maker.ts";

/** What is said never to decide never does: over generated policies, whatever is asked. */

const OPTIONS = { system: ["/usr"], actions: ACTIONS };
const TOOLS = { canonicalName: (name: string) => name, nearest: () => [] };

function book(policies: readonly Policy[]): Rulebook {
  return compileRulebook(placed(policies), OPTIONS);
}

function placed(policies: readonly Policy[]) {
  return policies.map((one, at) => ({
    source: `p${at + 1}`,
    policy: one,
    workspace: canonical(WORKSPACE),
  }));
}

function reviewed(policies: readonly Policy[]): readonly PolicyWarning[] {
  return reviewPolicies(placed(policies), {
    reviewed: policies.length,
    rulebook: book(policies),
    tools: TOOLS,
  }).filter(({ message }) => message.includes("never"));
}

/** The policies without what a warning names: a rule (each has one entry), an agent, an ending. */
function without(
  policies: readonly Policy[],
  { policy: at, key, message }: PolicyWarning,
): Policy[] {
  const target = policies[at] as Policy;
  const [, section = "", order = ""] = /^([a-z]+)\[([0-9]+)\]/.exec(key) ?? [];
  const agent = /^agents(?:\.(.*)|\["(.*)"\])$/.exec(key);
  const ending = /^extensions\.read\.allow\[([0-9]+)\]$/.exec(key);
  let changed: Policy = target;
  const dead = /(reading|writing): /.exec(message)?.[1];
  if (section === "paths" && dead !== undefined) {
    const rule = target.paths?.[Number(order)];
    assert(rule !== undefined);
    const access = rule.access.filter((one) => one !== (dead === "reading" ? "read" : "write"));
    changed = { ...target, paths: (target.paths ?? []).with(Number(order), { ...rule, access }) };
  } else if (section === "paths" || section === "commands" || section === "network") {
    changed = { ...target, [section]: (target[section] ?? []).toSpliced(Number(order), 1) };
  } else if (agent !== null) {
    const { [agent[1] ?? agent[2] ?? ""]: _, ...agents } = target.agents ?? {};
    changed = { ...target, agents };
  } else if (ending !== null) {
    const read = target.extensions?.read;
    assert(read !== null && read !== undefined);
    const allow = (read.allow ?? []).toSpliced(Number(ending[1]), 1);
    changed = { ...target, extensions: { read: { ...read, allow }, write: null } };
  }
  assert(changed !== target, `nothing is named by ${key}`);
  return policies.with(at, changed);
}

for (const [seed, count, rounds] of [[11, 1, 300], [12, 2, 100], [13, 3, 30]] as const) {
  Deno.test(`of ${count} policies: what never decides may go, and nothing is judged otherwise`, () => {
    const make = new Maker(new Random(seed));
    const found: Record<string, number> = {};
    for (let round = 0; round < rounds; round++) {
      const policies = Array.from({ length: count }, () => make.policy());
      const whole = book(policies);
      for (const warning of reviewed(policies)) {
        const section = (/^[a-z]+/.exec(warning.key)?.[0] ?? "") as Section;
        found[section] = (found[section] ?? 0) + 1;
        const less = book(without(policies, warning));
        const index = warning.key.replace(/\.?(?:match|allow|ask|deny)\[0\]$/, "");
        for (let asked = 0; asked < 60; asked++) {
          const capability = make.capability(section);
          const agent = make.random.pick(["root", "a", "ab", "a-b", "a-b-c", "b", "xa"]);
          const subject = capability.kind === "process.spawn" ? RUNNER : READER;
          const was = whole.decide({ ...subject, agent }, [capability]);
          const is = less.decide({ ...subject, agent }, [capability]);
          const said = () => JSON.stringify([policies, warning, capability, was, is], null, 1);
          // What is only asked for may still need the rule that grants it.
          const granting = /ask(?:s|ed) for/.test(warning.message);
          if (!granting) assertEquals(is.effect, was.effect, said());
          if (section !== "paths" && section !== "commands" && section !== "network") continue;
          const cited = was.verdicts.some(({ verdict: { rule } }) =>
            rule?.file === `p${warning.policy + 1}` && rule.index === index
          );
          const partly = warning.message.includes("reading") || warning.message.includes("writing");
          assert(!cited || (partly && spares(warning, capability)), said());
        }
      }
    }
    for (const section of ["paths", "commands", "network", "agents", "extensions"]) {
      assert((found[section] ?? 0) >= 5, JSON.stringify(found));
    }
  });
}

/** A rule for reading and writing may be dead for one of them alone. */
function spares({ message }: PolicyWarning, { kind }: ResolvedCapability): boolean {
  return kind === (message.includes("reading") ? "fs.write" : "fs.read");
}
