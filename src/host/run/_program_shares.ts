/** Parts the programs of one run by what they may use: those of one rule share it, with all that they start. */

import { ToolError } from "../../core/errors.ts";
import { type LimitingRule, PROGRAM_LIMITS, type ProgramLimits } from "../../core/tool.ts";
import type { Grant } from "../../policy/grant.ts";
import { limitText } from "../../policy/limit_text.ts";
import type { CommandLimits, Rulebook, Started } from "../../policy/rulebook.ts";
import { type RunShare, SHARES } from "../kernel/run_marks.ts";

/** What a program is given. */
export interface ProgramShare {
  /** What whoever watches over all of them is told. */
  readonly told: RunShare;
  readonly limits: ProgramLimits;
  /** Null: as long as the run. */
  readonly timeoutMs: number | null;
  readonly rules: CommandLimits["rules"];
}

/** The shares of one run. */
export class ProgramShares {
  readonly #limitsOf: Rulebook["limitsOf"];
  readonly #grant: Pick<Grant, "limits" | "spawn">;
  readonly #policy: ProgramShare;
  readonly #shares = new Map<string, ProgramShare>();

  /** `grant`: of the call, with the policy's limits for programs of which no rule says anything. */
  constructor(grant: Pick<Grant, "limits" | "spawn">, limitsOf: Rulebook["limitsOf"]) {
    this.#limitsOf = limitsOf;
    this.#grant = grant;
    this.#policy = shareOf(0, { limits: grant.limits, timeoutMs: null, rules: {} });
  }

  /** What a program is given; null for one that no policy names. Throws RESOURCE_LIMIT where it would be one share too many. */
  of(command: Started | null): ProgramShare {
    const said = command === null ? null : this.#saidOf(command);
    if (said === null) return this.#policy;
    // How long a child agent may live is for `children` to say.
    const limits = command?.child === true ? { ...said, timeoutMs: null } : said;
    const key = JSON.stringify(limits);
    const known = this.#shares.get(key);
    if (known !== undefined) return known;
    const number = this.#shares.size + 1;
    if (number >= SHARES) {
      throw new ToolError(
        "RESOURCE_LIMIT",
        `${command?.argv[0]}: rules give the programs of one line more than ${
          SHARES - 1
        } different limits; send it as several`,
      );
    }
    const share = shareOf(number, limits);
    this.#shares.set(key, share);
    return share;
  }

  /** Of a shell in its words that is started as it is (`nice sh -c '…'`) no more than what its script starts is given. */
  #saidOf(command: Started): CommandLimits | null {
    const own = this.#limitsOf(command);
    const { spawn } = this.#grant;
    const isScripted = spawn.some(({ scripts = [] }) =>
      scripts.some((script) => command.argv.includes(script))
    );
    if (!isScripted) return own;
    const all = spawn.filter(({ own }) => own === undefined).map((one) => this.#limitsOf(one));
    return all.reduce((one, other) => this.#leastOf(one, other), own);
  }

  #leastOf(one: CommandLimits | null, other: CommandLimits | null): CommandLimits | null {
    if (one === null && other === null) return null;
    const [a, b] = [one ?? this.#policy, other ?? this.#policy];
    const from = (key: keyof ProgramLimits) => a.limits[key] <= b.limits[key] ? a : b;
    const sooner = (a.timeoutMs ?? Infinity) <= (b.timeoutMs ?? Infinity) ? a : b;
    const limits = {
      memory: from("memory").limits.memory,
      processes: from("processes").limits.processes,
      file: from("file").limits.file,
      cpu: from("cpu").limits.cpu,
    };
    const rules = Object.fromEntries(
      [...PROGRAM_LIMITS.map((key) => [key, from(key)] as const), ["timeout", sooner] as const]
        .flatMap(([key, { rules }]) => rules[key] === undefined ? [] : [[key, rules[key]]]),
    );
    return { limits, timeoutMs: sooner.timeoutMs, rules };
  }

  /** The rule that says so for a share; null where that is the policy's own. */
  saying(number: number, limit: LimitingRule["limit"]): LimitingRule | null {
    const share = [...this.#shares.values()].find(({ told }) => told.number === number);
    const rule = share?.rules[limit];
    if (share === undefined || rule === undefined) return null;
    const value = limit === "timeout" ? share.timeoutMs ?? 0 : share.limits[limit];
    return { rule, limit, value, text: limitText(limit, value) };
  }
}

function shareOf(number: number, { limits, timeoutMs, rules }: CommandLimits): ProgramShare {
  const { memory, processes, cpu } = limits;
  return { told: { number, memory, processes, cpu }, limits, timeoutMs, rules };
}
