/** `gate token`: its flags as a request. */

import type { Invocation } from "../invocation.ts";
import { UsageError } from "../usage_error.ts";

/** Throws a UsageError for numbers that are none; the gate says what else is wrong. */
export function tokenRequest({ values }: Invocation): Readonly<Record<string, unknown>> {
  const [agent] = values["agent"] ?? [];
  const [expires] = values["expires"] ?? [];
  const permissions = values["permissions"]?.flatMap((list) =>
    list.split(",").map((group) => group.trim()).filter((group) => group !== "")
  );
  const given = {
    agent,
    permissions,
    paths: values["paths"],
    commands: values["commands"],
    tokens: numberOf("tokens", values["tokens"]),
    expires,
    uid: numberOf("uid", values["uid"]),
  };
  return { op: "token", ...given };
}

function numberOf(flag: string, [text]: readonly string[] = []): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new UsageError(`--${flag} takes a whole number`);
}
