/** Decisions as tables: policies, a request, and what must come of it. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import type { ResolvedCapability } from "../../../../src/core/capability.ts";
import type { ErrorCode } from "../../../../src/core/errors.ts";
import type { Effect, Policy } from "../../../../src/policy/model.ts";
import type { Subject } from "../../../../src/policy/rulebook.ts";
import { file, pathRule, rulebook } from "../_fixtures.ts";

export interface Case {
  readonly name: string;
  readonly policies: readonly Partial<Policy>[];
  readonly subject?: Partial<Subject>;
  readonly capabilities: readonly ResolvedCapability[];
  readonly expect: readonly [effect: Effect, code?: ErrorCode, index?: string];
  /** What the reason must say. */
  readonly says?: readonly string[];
}

/** One test a case. */
export function check(cases: readonly Case[], base: Subject): void {
  for (const { name, policies, subject, capabilities, expect, says } of cases) {
    Deno.test(name, () => {
      const decision = rulebook(policies).decide({ ...base, ...subject }, capabilities);
      const [effect, code = null, index = null] = expect;
      assertEquals([decision.effect, decision.code], [effect, code], decision.reason);
      if (index !== null) assertEquals(decision.rule?.index, index);
      if (effect === "allow") assertEquals(decision.rule, null);
      for (const part of says ?? []) assertStringIncludes(decision.reason, part);
      assertEquals(decision.verdicts.map(({ capability }) => capability), [...capabilities]);
    });
  }
}

export const ALL = pathRule("allow", ["**"]);

export const read = (path: string) => [file("fs.read", path)];
export const write = (path: string) => [file("fs.write", path)];
