/** Judges paths by the path rules and extensions of all policies. */

import type { CanonicalPath } from "../../core/capability.ts";
import { printable } from "../../core/printable.ts";
import type { CompiledPolicy } from "../_compiled.ts";
import {
  findPath,
  type PathFinding,
  type PathPlace,
  pathPlace,
  referenceTo,
} from "../match/path_rules.ts";
import { allowed, denied, ruled, shortList, strictest } from "./_verdict.ts";
import { segmentsOf } from "../match/path.ts";
import { type Access, type Effect, EFFECTS, type ExtensionRule } from "../model.ts";
import type { EntryJudge, Verdict } from "../rulebook.ts";

/** Extensions are rules for files. */
export type PathKind = "file" | "directory";

export interface PathQuestion {
  readonly access: Access;
  readonly path: CanonicalPath;
  readonly kind: PathKind;
  /** As the request wrote it: what messages call a path outside the workspace. */
  readonly requested?: string;
}

const DOING = { read: "reading", write: "writing to" } as const;

/** Judges one path; `outside` may speak for a path that no rule names and that lies outside the workspace. */
export function judgePath(
  policies: readonly CompiledPolicy[],
  question: PathQuestion,
  outside?: (path: CanonicalPath) => Verdict | null,
): Verdict {
  const names = segmentsOf(question.path);
  const action = `${DOING[question.access]} ${displayed(policies, question)}`;
  const verdicts: Verdict[] = [];
  for (const policy of policies) {
    if (policy.paths !== null) {
      const finding = findPath(policy.paths[question.access], names);
      verdicts.push(
        finding.effect === "unnamed"
          ? judgeUnnamed(policy, question, action, outside)
          : ruled(finding.effect, "PATH_DENIED", action, finding.rule.reference),
      );
    }
    if (question.kind === "file") {
      const verdict = judgeExtension(policy, question, names[names.length - 1] ?? "", action);
      if (verdict !== null) verdicts.push(verdict);
    }
  }
  return strictest(verdicts, allowed(`${action} is allowed`));
}

/** Judges a path where only what rules say outright counts: null where no rule denies it or asks. */
export function judgeNamed(
  policies: readonly CompiledPolicy[],
  question: PathQuestion,
): Verdict | null {
  const names = segmentsOf(question.path);
  const action = `${DOING[question.access]} ${displayed(policies, question)}`;
  const verdicts = policies.flatMap((policy) => {
    if (policy.paths === null) return [];
    const finding: PathFinding = findPath(policy.paths[question.access], names);
    if (finding.effect === "unnamed" || finding.effect === "allow") return [];
    return [ruled(finding.effect, "PATH_DENIED", action, finding.rule.reference)];
  });
  return verdicts.length === 0 ? null : strictest(verdicts, verdicts[0]!);
}

function judgeUnnamed(
  policy: CompiledPolicy,
  { access, path }: PathQuestion,
  action: string,
  outside: ((path: CanonicalPath) => Verdict | null) | undefined,
): Verdict {
  const inside = lies(path, policy.workspace);
  const spared = inside ? null : outside?.(path) ?? null;
  if (spared !== null) return spared;
  const granted = policy.paths?.[access].granted ?? [];
  const may = access === "read" ? "may be read" : "may be written";
  const hint = granted.length === 0 ? `nothing ${may}` : `what ${may}: ${shortList(granted)}`;
  const because = inside ? "no rule names it" : "it lies outside the workspace";
  return denied(
    inside ? "PATH_DENIED" : "PATH_OUTSIDE_WORKSPACE",
    `${action} is not allowed by ${policy.source} paths: ${because}; ${hint}`,
    { file: policy.source, index: "paths" },
  );
}

/** The effect of `judgePath` on entries of a tree, without the words for it. */
export function judgeBelow(
  policies: readonly CompiledPolicy[],
  access: Access,
  directory: CanonicalPath,
): EntryJudge {
  const names = segmentsOf(directory);
  return judgeOf(policies.map(({ paths, extensions }) => ({
    place: paths === null ? null : pathPlace(paths[access], names),
    extension: extensions[access],
  })));
}

interface PolicyPlace {
  readonly place: PathPlace | null;
  readonly extension: ExtensionRule | null;
}

function judgeOf(policies: readonly PolicyPlace[]): EntryJudge {
  return {
    mayDeny: policies.some(({ place, extension }) =>
      restrictsFiles(extension) || place?.mayRestrict === true
    ),
    effectOf(name, kind) {
      let worst: Effect = "allow";
      for (const { place, extension } of policies) {
        if (kind === "file" && extension !== null && !fitsExtension(extension, name)) return "deny";
        const effect = place === null ? "allow" : place.effectOf(name);
        if (EFFECTS.indexOf(effect) > EFFECTS.indexOf(worst)) worst = effect;
      }
      return worst;
    },
    into(name) {
      const below = policies.map(({ place, extension }) => ({
        place: place === null ? null : place.into(name),
        extension,
      }));
      return below.every(({ place }, index) => place === policies[index]?.place)
        ? this
        : judgeOf(below);
    },
  };
}

function restrictsFiles(rule: ExtensionRule | null): boolean {
  return rule !== null && (rule.allow !== null || rule.deny.length > 0);
}

function fitsExtension(rule: ExtensionRule, name: string): boolean {
  const lower = name.toLowerCase();
  return deniedEnding(rule, lower) === undefined &&
    (rule.allow === null || hasAllowedEnding(rule.allow, lower));
}

function deniedEnding(rule: ExtensionRule, lower: string): string | undefined {
  return rule.deny.find((one) => lower.endsWith(one));
}

/** A file that is all ending (`.ts`) has none. */
function hasAllowedEnding(allow: readonly string[], lower: string): boolean {
  return allow.some((one) => lower.endsWith(one) && lower.length > one.length);
}

function judgeExtension(
  policy: CompiledPolicy,
  { access }: PathQuestion,
  name: string,
  action: string,
): Verdict | null {
  const rule = policy.extensions[access];
  if (rule === null) return null;
  const lower = name.toLowerCase();
  const ending = deniedEnding(rule, lower);
  const index = `extensions.${access}`;
  if (ending !== undefined) {
    const reference = referenceTo(policy.source, `${index}.deny`);
    return denied(
      "EXTENSION_DENIED",
      `${action} is denied by ${policy.source} ${index}.deny: names ending in ${ending}`,
      reference,
    );
  }
  if (rule.allow === null) return null;
  if (hasAllowedEnding(rule.allow, lower)) return null;
  const endings = rule.allow.length === 0 ? "none is" : `these are: ${shortList(rule.allow)}`;
  return denied(
    "EXTENSION_DENIED",
    `${action} is not allowed by ${policy.source} ${index}.allow: of all endings ${endings}`,
    referenceTo(policy.source, `${index}.allow`),
  );
}

/** Whether anything below a directory could be other than allowed; true when unsure. */
export function mayDenyBelow(
  policies: readonly CompiledPolicy[],
  access: Access,
  directory: CanonicalPath,
): boolean {
  return judgeBelow(policies, access, directory).mayDeny;
}

/** The verdict that lets programs read what `sandbox.system` opens to them; null for all else. */
export function onSystem(system: readonly string[], path: CanonicalPath): Verdict | null {
  return system.some((entry) => lies(path, entry))
    ? allowed("commands may read it by sandbox.system")
    : null;
}

/** Whether a canonical path is the directory or lies below it. */
export function lies(path: string, directory: string): boolean {
  return path === directory || directory === "/" || path.startsWith(`${directory}/`);
}

/** Relative to the workspace; outside it as requested, never as it really is. */
function displayed(
  policies: readonly CompiledPolicy[],
  { path, requested }: PathQuestion,
): string {
  const workspace = policies[policies.length - 1]!.workspace;
  if (path === workspace) return ".";
  if (lies(path, workspace)) {
    return printable(path.slice(workspace === "/" ? 1 : workspace.length + 1));
  }
  return requested === undefined ? "a path outside the workspace" : printable(requested);
}
