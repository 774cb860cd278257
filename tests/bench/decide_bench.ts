/**
 * What one decision costs with 1,000 path rules and 1,000 command rules: each whole `decide()` is to stay under
 * 100 µs. Run with `deno bench tests/bench/decide_bench.ts`.
 */

import type { ResolvedCapability } from "../../src/core/capability.ts";
import {
  commandRule,
  file,
  pathRule,
  READER,
  rulebook,
  RUNNER,
  spawn,
} from "../unit/policy/_fixtures.ts";
import type { Subject } from "../../src/policy/rulebook.ts";

const SIZE = 1000;

function each<T>(make: (index: number) => T): T[] {
  return Array.from({ length: SIZE }, (_, index) => make(index));
}

const ALLOW_ALL = pathRule("allow", ["**"]);

/** Path rules of one shape each: the ways in which rules multiply. */
const PATH_RULES = {
  folders: each((n) => pathRule("deny", [`packages/p${n}/private/**`])),
  "names anywhere": each((n) => pathRule("deny", [`**/secret-${n}.json`])),
  "endings anywhere": each((n) => pathRule("deny", [`**/*.x${n}`])),
  "wildcards in the middle": each((n) => pathRule("deny", [`**/id-${n}*key?.pem`])),
  "wildcards on both sides": each((n) => pathRule("deny", [`**/*token${n}*`])),
  "of all kinds": each((n) => {
    const shapes = [`a${n}/**`, `**/b${n}`, `src/*/c${n}.ts`, `**/*.d${n}`, `e${n}/**/f[0-9].?s`];
    return pathRule("deny", [shapes[n % shapes.length]!]);
  }),
} as const;

const COMMAND_RULES = {
  programs: each((n) => commandRule("allow", [`tool${n}`])),
  "subcommands of one program": each((n) => commandRule("deny", [`git sub${n}`])),
  "groups and wildcards": each((n) => commandRule("deny", [`git {a${n},b${n}} --x*${n}`])),
  "wildcards for the program": each((n) => commandRule("deny", [`x${n}*`])),
} as const;

function bench(
  group: string,
  name: string,
  subject: Subject,
  rules: ReturnType<typeof rulebook>,
  capabilities: readonly ResolvedCapability[],
): void {
  const { effect, reason } = rules.decide(subject, capabilities);
  if (effect !== "allow") throw new Error(`the benchmark's request is not allowed: ${reason}`);
  Deno.bench({ group, name, fn: () => void rules.decide(subject, capabilities) });
}

const readings = [file("fs.read", "packages/app/src/deep/er/module_of_some_length.ts")];
const command = spawn(["git", "-C", "packages/app", "log", "--oneline", "-n", "5"], {
  operands: [{ requested: "packages/app", path: file("fs.read", "packages/app").path }],
});

for (const [shape, rules] of Object.entries(PATH_RULES)) {
  const book = rulebook([{ paths: [ALLOW_ALL, ...rules] }]);
  bench("1,000 path rules", shape, READER, book, readings);
}

for (const [shape, rules] of Object.entries(COMMAND_RULES)) {
  const book = rulebook([{
    paths: [ALLOW_ALL],
    commands: [...rules, commandRule("allow", ["git -C * log"])],
  }]);
  bench("1,000 command rules", shape, RUNNER, book, [command]);
}

const both = {
  paths: [ALLOW_ALL, ...PATH_RULES["of all kinds"]],
  commands: [
    ...COMMAND_RULES["subcommands of one program"],
    commandRule("allow", ["git -C * log"]),
  ],
};
bench("both", "one policy", RUNNER, rulebook([both]), [command]);
bench("both", "three policies", RUNNER, rulebook([both, both, both]), [command]);
