/** Keys that no program can use, or that their programs could be told. */

import type { PlacedPolicy } from "../_settings.ts";
import { matchesHost, parseHostPattern } from "../match/host.ts";
import { cited, type PolicyWarning } from "./_warning.ts";

/** Secrets whose host no network rule opens to programs, and those that share a variable. */
export function reviewSecrets(
  policies: readonly PlacedPolicy[],
  reviewed: number,
): readonly PolicyWarning[] {
  const opened = policies.map(({ policy }) =>
    [
      ...(policy.network ?? []).filter(({ commands }) => commands !== undefined),
      ...policy.children?.network ?? [],
    ].filter(({ effect }) => effect !== "deny")
      .flatMap(({ hosts }) => hosts.map(parseHostPattern))
  );
  return policies.slice(0, reviewed).flatMap(({ policy: { secrets }, source }, policy) =>
    (secrets ?? []).flatMap(({ host, port, variable }, order): readonly PolicyWarning[] => {
      const key = `secrets[${order}]`;
      const isOpen = opened[policy]?.some((pattern) => matchesHost(pattern, host, port)) === true;
      const same = (secrets ?? []).findIndex((other) => other.variable === variable);
      return [
        ...(isOpen ? [] : [{
          policy,
          key: `${key}.host`,
          message:
            `is never used: no network rule with commands opens ${host}:${port}; add one for the same programs`,
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
