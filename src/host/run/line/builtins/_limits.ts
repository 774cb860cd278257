/** `ulimit`: what the programs that follow in the line may use at most, each for itself. */

import { ToolError } from "../../../../core/errors.ts";
import type { Libc } from "../../../../sandbox/kernel/libc.ts";
import { type OwnLimit, UNLIMITED } from "../../../../sandbox/launcher/program_steps.ts";
import { type LimitWish, readLimit } from "../../../../shell/commands/read_limit.ts";
import type { Builtin } from "./builtin.ts";

/** As bash(1) has it; what may be raised is raised no further than this process's own. */
export const ulimit: Builtin = (words, state, { host }) => {
  const wish = readLimit(words);
  const { resource = -1, name = "", unit = 1n, held } = wish?.of ?? {};
  // dash counts some of them otherwise.
  if (wish === null || (held === true && state.shell === "sh")) throw refused(words);
  if (held === true) return { status: 0 };
  const now = state.limits.get(resource) ?? ownLimit(host.libc, resource);
  if (now === null) throw refused(words);
  if (wish.value === null) {
    const told = wish.hard ? now.hard : now.soft;
    return { status: 0, output: `${told === UNLIMITED ? "unlimited" : told / unit}\n` };
  }
  const value = valueOf(wish.value, unit, now);
  const next = {
    resource,
    soft: wish.soft ? value : now.soft,
    hard: wish.hard ? value : now.hard,
  };
  if (next.soft > next.hard) return failed(name, "Invalid argument", words, state.shell);
  if (next.hard > now.hard) {
    // Root may elsewhere; no program of a line may here.
    if (state.user === "0") throw refused(words);
    return failed(name, "Operation not permitted", words, state.shell);
  }
  state.limits = new Map([...state.limits, [resource, next]]);
  return { status: 0 };
};

function valueOf(
  value: NonNullable<LimitWish["value"]>,
  unit: bigint,
  { soft, hard }: OwnLimit,
): bigint {
  switch (value) {
    case "unlimited":
      return UNLIMITED;
    case "hard":
      return hard;
    case "soft":
      return soft;
    default:
      return value * unit;
  }
}

/** Null where the system does not say. */
function ownLimit({ call, numbers, struct, structAddress }: Libc, resource: number) {
  if (call(numbers.prlimit64, 0, resource, 0, structAddress) < 0) return null;
  return { resource, soft: struct.getBigUint64(0, true), hard: struct.getBigUint64(8, true) };
}

function failed(name: string, why: string, words: readonly string[], shell: "bash" | "sh") {
  if (shell === "sh") throw refused(words);
  return { status: 1, error: `${name}: cannot modify limit: ${why}` };
}

function refused(words: readonly string[]): ToolError {
  return new ToolError(
    "COMMAND_UNPARSABLE",
    `ulimit ${words.join(" ")} is not run in this form`,
  );
}
