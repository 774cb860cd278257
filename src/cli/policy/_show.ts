/** `policy show`: what several policies come to, each rule and setting with the file it comes from. */

import { EXIT } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import {
  type MergedRule,
  mergedRules,
  type MergedSetting,
  mergedSettings,
  RULE_SECTIONS,
} from "../../policy/merged.ts";
import type { PlacedPolicy } from "../../policy/compile_rulebook.ts";
import type { Invocation } from "../invocation.ts";
import { openEngine, openSession } from "../session.ts";
import { print } from "../stdio.ts";

/** `policy show`: the rules of all policies together; gives the exit status. */
export async function showPolicies(invocation: Invocation): Promise<number> {
  const session = await openSession(invocation);
  const { rulebook } = openEngine(session, invocation);
  const { policies } = session;
  const rules = mergedRules(policies);
  const settings = mergedSettings(policies, rulebook.settings);
  if (session.format === "text") {
    print([
      `policies: ${policies.map(({ source }) => source).join(", then ")}`,
      "",
      "Rules, the strictest first: deny beats ask beats allow; what none names is denied.",
      ...RULE_SECTIONS.flatMap((section) => ["", `${section}:`, ...ruleLines(rules[section])]),
      ...namedLines(policies),
      "",
      "settings:",
      ...columns(settings.map(({ key, value, from }) => [key, plain(value), origin(from)])),
    ].join("\n"));
    return EXIT.success;
  }
  print(JSON.stringify(
    {
      policies: policies.map(({ source }) => source),
      rules,
      extensions: extensionsOf(policies),
      tools: namedOf(policies, "tools"),
      agents: namedOf(policies, "agents"),
      settings: Object.fromEntries(settings.map(({ key, value }) => [key, value])),
      origins: Object.fromEntries(settings.map(({ key, from }) => [key, from])),
    },
    null,
    2,
  ));
  return EXIT.success;
}

function ruleLines(rules: readonly MergedRule[]): readonly string[] {
  if (rules.length === 0) return ["  (no rule: nothing is allowed)"];
  return columns(rules.map(({ effect, access, match, only, file, index, reason }) => [
    effect,
    [...access ?? [], ...only].join(" "),
    match.map((text) => printable(text, 100)).join("  "),
    `${file} ${index}${reason === null ? "" : ` (${printable(reason, 100)})`}`,
  ]));
}

function extensionsOf(policies: readonly PlacedPolicy[]) {
  return policies.flatMap(({ source, policy: { extensions } }) =>
    (["read", "write"] as const).flatMap((access) => {
      const rule = extensions?.[access] ?? null;
      return rule === null ? [] : [{ file: source, access, ...rule }];
    })
  );
}

function namedOf(policies: readonly PlacedPolicy[], section: "tools" | "agents") {
  return policies.flatMap(({ source, policy }) =>
    Object.entries(policy[section] ?? {}).map(([name, rule]) => ({ file: source, name, ...rule }))
  );
}

function namedLines(policies: readonly PlacedPolicy[]): readonly string[] {
  const extensions = extensionsOf(policies).map(({ file, access, allow, deny }) => [
    access,
    [
      ...(allow === null ? [] : [`allow ${allow.join(" ")}`]),
      ...(deny.length === 0 ? [] : [`deny ${deny.join(" ")}`]),
    ].join("; "),
    `${file} extensions.${access}`,
  ]);
  const named = (section: "tools" | "agents") =>
    namedOf(policies, section).map(({ file, name, ...rule }) => [name, plain(rule), file]);
  return [
    ...section("extensions", extensions),
    ...section("tools", named("tools")),
    ...section("agents", named("agents")),
  ];
}

function section(name: string, rows: readonly (readonly string[])[]): readonly string[] {
  return rows.length === 0 ? [] : ["", `${name}:`, ...columns(rows)];
}

function origin(from: MergedSetting["from"]): string {
  return from.length === 0 ? "(default)" : from.join(", ");
}

function plain(value: unknown): string {
  if (typeof value === "string") return printable(value, 100);
  if (Array.isArray(value)) return value.length === 0 ? "(none)" : printable(value.join(" "), 300);
  return JSON.stringify(value);
}

/** Longest column: what is longer pushes the rest of its line alone. */
const WIDEST = 60;

function columns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, at) => {
      widths[at] = Math.max(widths[at] ?? 0, Math.min(cell.length, WIDEST));
    });
  }
  return rows.map((row) =>
    `  ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  ").trimEnd()}`
  );
}
