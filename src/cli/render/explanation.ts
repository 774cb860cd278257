/** An explanation for people: the chain of reasoning, one step a line. */

import { printable } from "../../core/printable.ts";
import { limitText } from "../../policy/limit_text.ts";
import type { Explained } from "../../engine/judge/explain.ts";

type Shape = Readonly<Record<string, unknown>>;

/** What `policy explain` says to people. */
export function renderExplanation(explanation: Explained["explanation"]): string {
  const { tool, agent, description, effect, reason, risk, timeout_ms } = explanation;
  return [
    `${text(effect).toUpperCase()}  ${text(description)}`,
    `  ${text(reason)}`,
    "",
    `tool ${text(tool)}, agent ${text(agent)}, risk ${text(risk)}, at most ${text(timeout_ms)} ms`,
    ...permissionLines(explanation["permission"] as Shape),
    ...shapes(explanation["thresholds"]).map(({ file, allow, ask }) =>
      `  risk: ${text(file)} runs up to ${text(allow)}, asks up to ${text(ask)}`
    ),
    ...shapes(explanation["capabilities"]).flatMap(capabilityLines),
    ...(explanation["judged_later"] === undefined ? [] : ["", text(explanation["judged_later"])]),
    "",
    ...approvalLines(explanation["approval"] as Shape),
    "layers:",
    ...layerLines(explanation["layers"] as Shape),
    ...remedyLines(shapes(explanation["would_be_allowed_by"])),
  ].join("\n");
}

function text(value: unknown): string {
  if (typeof value === "string") return printable(value, 500);
  return printable(JSON.stringify(value) ?? "", 500);
}

function shapes(value: unknown): readonly Shape[] {
  return Array.isArray(value) ? value as Shape[] : [];
}

function words(value: unknown): string {
  return Array.isArray(value) ? value.map(text).join(" ") || "nothing" : text(value);
}

function permissionLines({ group, agents }: Shape): readonly string[] {
  if (group === null) return ["  permission: none is needed"];
  return shapes(agents).map(({ file, pattern, granted }) =>
    `  permission ${text(group)}: ${text(file)} ${
      pattern === null ? "names no such agent" : `agents.${text(pattern)}`
    } ${granted === true ? "grants it" : "does not grant it"}`
  );
}

function capabilityLines(capability: Shape): readonly string[] {
  const { kind, path, argv, host, port, name, effect, reason, rules, limits } = capability;
  const what = path ?? (argv === undefined ? null : words(argv)) ??
    (host === undefined ? name : `${text(host)}:${text(port)}`);
  return [
    "",
    `${text(kind)} ${text(what)}: ${text(effect)}`,
    `  ${text(reason)}`,
    ...(limits === undefined ? [] : [`  may use ${useText(capability)}`]),
    ...shapes(rules).flatMap(subjectLines),
  ];
}

/** `memory 512MiB by commands[2] of policy.yaml, processes 64, …` */
function useText({ limits, timeout_ms, limited_by }: Shape): string {
  const by = limited_by as Readonly<Record<string, Shape | undefined>>;
  const all = {
    ...limits as Shape,
    ...(timeout_ms === undefined ? {} : { timeout: timeout_ms }),
  };
  return Object.entries(all).map(([name, value]) => {
    const rule = by[name];
    const whose = rule === undefined ? "" : ` by ${text(rule["index"])} of ${text(rule["file"])}`;
    return `${name} ${limitText(name, Number(value))}${whose}`;
  }).join(", ");
}

function subjectLines({ about, path, argv, host, policies }: Shape): readonly string[] {
  const what = text(path ?? (argv === undefined ? host : words(argv)));
  return shapes(policies).flatMap(({ file, effect, winner, tried, matching, refused_ending }) => {
    const head = `  ${text(about)} ${what} by ${text(file)}: ${
      effect === "unnamed"
        ? `none of ${text(tried)} rules grants it`
        : effect === "silent"
        ? "no such rules; left to the others"
        : effect === "system"
        ? "commands may read it by sandbox.system"
        : `${text(effect)} by ${text(winner)}, of ${text(tried)} rules`
    }`;
    const refused = refused_ending === undefined ? [] : [`      refuses  ${text(refused_ending)}`];
    return [
      head,
      ...refused,
      ...shapes(matching).map((rule) =>
        `      ${rule["index"] === winner ? "decides" : "matches"}  ${text(rule["index"])} ${
          text(rule["effect"])
        } ${text(rule["pattern"])}`
      ),
    ];
  });
}

function approvalLines({ asked, how, expire_ms }: Shape): readonly string[] {
  return asked === true ? [`asked for, ${text(expire_ms)} ms long: ${text(how)}`] : [];
}

function layerLines({ policy, below, refused, runtime, landlock, seccomp, bubblewrap }: Shape) {
  const lines = [`  policy      ${words(policy)}`];
  if (below !== undefined) return [...lines, `  ${text(below)}`];
  if (refused !== undefined) return [...lines, `  ${text((refused as Shape)["message"])}`];
  const { read, write, run, net } = runtime as Shape;
  lines.push(
    `  runtime     read ${words(read)}; write ${words(write)}; run ${words(run)}; net ${
      words(net)
    }`,
  );
  const { mode, abi, rules } = landlock as Shape;
  lines.push(`  landlock    ${text(mode)}${abi === null ? "" : `, ABI ${text(abi)}`}`);
  for (const rule of shapes(rules)) {
    lines.push(`                ${text(rule["path"])}: ${words(rule["rights"])}`);
  }
  if (seccomp !== null) {
    const { refused_calls, network } = seccomp as Shape;
    lines.push(`  seccomp     ${text(refused_calls)} calls refused, network ${text(network)}`);
  }
  if (bubblewrap !== null) {
    const { mode: how, argv } = bubblewrap as Shape;
    lines.push(`  bubblewrap  ${text(how)}${argv === null ? "" : `: ${words(argv)}`}`);
  }
  return lines;
}

function remedyLines(remedies: readonly Shape[]): readonly string[] {
  if (remedies.length === 0) return [];
  return [
    "",
    "what would allow it (all of these):",
    ...remedies.flatMap(({ file, key, add, how }) => [
      `  ${text(file)}${key === "" ? "" : ` ${text(key)}`}: ${text(how)}`,
      ...(add === null ? [] : [`      ${text(add)}`]),
    ]),
  ];
}
