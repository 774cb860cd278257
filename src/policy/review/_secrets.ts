/** Keys that no program can use, or that their programs could be told. */

import type { PlacedPolicy } from "../_settings.ts";
import { type CommandPattern, parseCommandPattern } from "../match/argv.ts";
import { matchesHost, parseHostPattern } from "../match/host.ts";
import { cited, type PolicyWarning } from "./_warning.ts";

/** Secrets whose host no network rule opens to the same programs, and those that share a variable. */
export function reviewSecrets(
  policies: readonly PlacedPolicy[],
  reviewed: number,
): readonly PolicyWarning[] {
  const opened = policies.map(({ policy }) =>
    [
      ...(policy.network ?? []).filter(({ commands }) => commands !== undefined),
      ...policy.children?.network ?? [],
    ].filter(({ effect }) => effect !== "deny").map(({ hosts, commands = null }) => ({
      hosts: hosts.map(parseHostPattern),
      commands: commands?.map(parseCommandPattern) ?? null,
    }))
  );
  return policies.slice(0, reviewed).flatMap(({ policy: { secrets }, source }, policy) =>
    (secrets ?? []).flatMap((secret, order): readonly PolicyWarning[] => {
      const { host, port, variable } = secret;
      const key = `secrets[${order}]`;
      const own = secret.commands.map(parseCommandPattern);
      const isOpen = opened[policy]?.some(({ hosts, commands }) =>
        hosts.some((pattern) =>
          matchesHost(pattern, host, port)
        ) &&
        (commands === null ||
          commands.some((one) => own.some((other) => canBeOne(one, other))))
      ) === true;
      const same = (secrets ?? []).findIndex((other) => other.variable === variable);
      return [
        ...(isOpen ? [] : [{
          policy,
          key: `${key}.host`,
          message:
            `is never used: no network rule opens ${host}:${port} to its commands; add one for the same programs`,
        }]),
        ...(same === order ? [] : [{
          policy,
          key,
          message: `never decides: ${
            cited(
              [{ policy, source, index: `secrets[${same}]` }],
              { policy, source, index: key },
            )
          } has the same variable, ${variable}; name another`,
        }]),
      ];
    })
  );
}

/** Whether some command may begin as both say. Of patterns with `*` nobody knows. */
function canBeOne({ tokens: one }: CommandPattern, { tokens: other }: CommandPattern): boolean {
  const both = Math.min(one.length, other.length);
  for (let at = 0; at < both; at++) {
    const [left, right] = [one[at]!, other[at]!];
    if (left.wild.length > 0 || right.wild.length > 0) continue;
    // A program goes by its name and by its path.
    const named = (text: string) => at === 0 ? text.slice(text.lastIndexOf("/") + 1) : text;
    const names = new Set([...left.literals].map(named));
    if (![...right.literals].some((text) => names.has(named(text)))) return false;
  }
  return true;
}
