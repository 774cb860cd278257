/** What `doctor` reports: one line a layer and kind, and what they come to. */

import { textWidth, wrap } from "../render/plain_text.ts";

/** What could be done to a machine, one by one. */
export type Kind =
  | "file read"
  | "file write"
  | "program start"
  | "network connect"
  | "environment"
  | "signals"
  | "ptrace"
  | "scheduling"
  | "memory"
  | "shared memory"
  | "limits"
  | "names"
  | "sockets"
  | "namespaces";

/** A layer that `doctor` tries. `launcher`: what a program gives up before it begins. */
export type DoctorLayer =
  | "policy"
  | "runtime"
  | "landlock"
  | "seccomp"
  | "launcher"
  | "bubblewrap";

/** One attempt. */
export interface Finding {
  readonly layer: DoctorLayer;
  readonly kind: Kind;
  readonly attempt: string;
  /** Null: not tried, `detail` says why. */
  readonly holds: boolean | null;
  readonly detail: string;
  /** The machine does not have this layer, or not this part of it. */
  readonly absent?: true;
}

/** An answer with its line made whole. */
export function finding(
  layer: DoctorLayer,
  kind: Kind,
  attempt: string,
  holds: boolean | null,
  detail: string,
): Finding {
  return { layer, kind, attempt, holds, detail };
}

/** What the policy requires of the machine. */
export interface Required {
  readonly kernel: "auto" | "required" | "off";
  readonly bubblewrap: "auto" | "required" | "off";
}

/** Nothing that is there lets something through, and nothing that is required is missing. */
export function isHealthy(findings: readonly Finding[], { kernel, bubblewrap }: Required): boolean {
  return findings.every(({ layer, holds, absent }) => {
    if (layer === "bubblewrap") return bubblewrap !== "required" || holds === true;
    if (holds !== false) return true;
    if (layer === "policy" || layer === "runtime") return false;
    return kernel === "required" ? false : absent === true;
  });
}

/** What this platform leaves to the other layers, one sentence each. */
export function notEnforced(os: string, findings: readonly Finding[]): readonly string[] {
  const system = os === "darwin" ? "macOS" : os === "windows" ? "Windows" : null;
  if (system !== null) {
    return [
      `${system} has neither Landlock nor seccomp nor bubblewrap: programs that were let through are held ` +
      "by nothing, and may read, write and connect as their user may",
      "the policy and the runtime's permissions hold the tools that start no program",
    ];
  }
  return findings.filter(({ holds }) => holds === false).map(({ layer, kind, detail }) =>
    `${kind} is not held by ${layer}: ${detail}`
  );
}

/** The findings for people, a line each; where that is too long for the screen, what was tried stands below. */
export function table(findings: readonly Finding[], columns: number | null): string {
  const words = (holds: boolean | null) =>
    holds === null ? "not tried" : holds ? "holds" : "MISSING";
  const width = Math.max(...findings.map(({ attempt }) => attempt.length)) + 2;
  const head = ({ layer, kind, holds }: Finding) =>
    `${layer.padEnd(12)}${kind.padEnd(17)}${words(holds)}`;
  const lines = findings.map((finding) =>
    `${head(finding).padEnd(40)}${finding.attempt.padEnd(width)}${finding.detail}`
  );
  if (columns === null || lines.every((line) => textWidth(line) <= columns)) {
    return lines.join("\n");
  }
  const indent = " ".repeat(4);
  return findings.flatMap((finding) => [
    head(finding),
    ...wrap(`${finding.attempt}: ${finding.detail}`, columns - indent.length)
      .map((line) => `${indent}${line}`),
  ]).join("\n");
}
