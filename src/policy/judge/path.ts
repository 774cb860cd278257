/** Judges paths by the path rules and extensions of all policies. */

import type { CanonicalPath } from "../../core/capability.ts";
import { printable } from "../../core/printable.ts";
import type { CompiledPolicy } from "../_compiled.ts";
import { findPath, type PathPlace, pathPlace, referenceTo } from "../match/path_rules.ts";
import { allowed, denied, ruled, shortList, strictest } from "./_verdict.ts";
import { segmentsOf } from "../match/path.ts";
import type { EndingRefusal, PathQuestion } from "./question.ts";
import { type Access, type Effect, EFFECTS, type ExtensionRule } from "../model.ts";
import type { EntryJudge, Verdict } from "../rulebook.ts";

const DOING = { read: "reading", write: "writing to" } as const;

/** Judges one path by the path rules and extensions of all policies. */
export function judgePath(policies: readonly CompiledPolicy[], question: PathQuestion): Verdict {
  const names = segmentsOf(question.path);
  const action = `${DOING[question.access]} ${displayed(policies, question)}`;
  const verdicts: Verdict[] = [];
  for (const policy of policies) {
    if (policy.paths !== null) {
      const finding = findPath(policy.paths[question.access], names);
      if (finding.effect !== "unnamed") {
        verdicts.push(ruled(finding.effect, "PATH_DENIED", action, finding.rule.reference));
      } else if (question.restrictedOnly !== true) {
        verdicts.push(judgeUnnamed(policy, question, action));
      }
    }
    if (question.kind === "file") {
      const refusal = refusedEnding(policy, question.access, names[names.length - 1] ?? "");
      if (refusal !== null) verdicts.push(judgeEnding(policy, refusal, action));
    }
  }
  return strictest(verdicts, allowed(`${action} is allowed`));
}

function judgeUnnamed(
  policy: CompiledPolicy,
  question: PathQuestion,
  action: string,
): Verdict {
  if (isOpen(policy, question)) return allowed("commands may read it by sandbox.system");
  const { access, path } = question;
  const inside = lies(path, policy.workspace);
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
    names() {
      const rules = policies.flatMap(({ place }) => place === null ? [] : [place.named()]);
      if (rules.includes(null)) return null;
      return {
        rules: rules.flatMap((named) => named ?? []),
        endings: policies.flatMap(({ extension }) =>
          extension === null ? [] : [...extension.deny, ...extension.allow ?? []]
        ),
        usual: {
          file: strictestEffect(policies.flatMap(({ place, extension }) => [
            place?.usual() ?? "allow",
            extension !== null && extension.allow !== null ? "deny" : "allow",
          ])),
          directory: strictestEffect(policies.map(({ place }) => place?.usual() ?? "allow")),
        },
      };
    },
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

function strictestEffect(effects: readonly Effect[]): Effect {
  return EFFECTS.findLast((effect) => effects.includes(effect)) ?? "allow";
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

/** How the name of a file fares by the endings of one policy: null where nothing is against it. */
export function refusedEnding(
  { extensions }: CompiledPolicy,
  access: Access,
  name: string,
): EndingRefusal | null {
  const rule = extensions[access];
  if (rule === null) return null;
  const lower = name.toLowerCase();
  const allowed = rule.allow ?? [];
  const denied = deniedEnding(rule, lower);
  if (denied !== undefined) return { index: `extensions.${access}.deny`, denied, allowed };
  if (rule.allow === null || hasAllowedEnding(rule.allow, lower)) return null;
  return { index: `extensions.${access}.allow`, denied: null, allowed };
}

function judgeEnding(
  { source }: CompiledPolicy,
  { index, denied: ending, allowed }: EndingRefusal,
  action: string,
): Verdict {
  const by = `by ${source} ${index}`;
  const endings = allowed.length === 0 ? "none is" : `these are: ${shortList(allowed)}`;
  const reason = ending === null
    ? `${action} is not allowed ${by}: of all endings ${endings}`
    : `${action} is denied ${by}: names ending in ${ending}`;
  return denied("EXTENSION_DENIED", reason, referenceTo(source, index));
}

/** Whether anything below a directory could be other than allowed; true when unsure. */
export function mayDenyBelow(
  policies: readonly CompiledPolicy[],
  access: Access,
  directory: CanonicalPath,
): boolean {
  return judgeBelow(policies, access, directory).mayDeny;
}

/** Whether a path that no rule of this policy names may be read all the same: see {@linkcode PathQuestion.open}. */
export function isOpen(
  { workspace }: Pick<CompiledPolicy, "workspace">,
  { path, open }: Pick<PathQuestion, "path" | "open">,
): boolean {
  return open !== undefined && !lies(path, workspace) && open.some((entry) => lies(path, entry));
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
