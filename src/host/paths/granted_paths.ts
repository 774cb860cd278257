/** From the words of a tool to the canonical path that the grant gives it. */

import { siblingOf } from "../../core/path_text.ts";
import type { CanonicalPath } from "../../core/capability.ts";
import { ToolError } from "../../core/errors.ts";
import type { Grant, PathGrant } from "../../policy/grant.ts";
import type { Access, Effect } from "../../policy/model.ts";
import { EFFECTS } from "../../policy/model.ts";
import type { EntryJudge, Rulebook } from "../../policy/rulebook.ts";
import { isWithin } from "../../sandbox/within.ts";
import type { Admit, EntryAdmits, EntryKind, Target, TreeTarget } from "../files/file_backend.ts";

/** A tree whose entries can be judged on the way down. */
export interface JudgedTree extends TreeTarget {
  /** Of its own entries; null where nothing below it can be refused. */
  readonly judge: () => EntryAdmits | null;
}

/** The paths of one grant, by the words of the tool that was granted them. */
export interface GrantedPaths {
  /** What is, or is to be, a file: a path that the tool named, or that lies below a `tree` it named. */
  file(access: Access, path: string): Target;
  /** As `file`, of whatever kind: to be asked about when that is known. Below no tree nothing is admitted. */
  entry(access: Access, path: string): TreeTarget;
  /** As `entry`, and throws where no tree holds it. */
  tree(access: Access, path: string): JudgedTree;
  /** The path of which the tool named the backups, too: to be read or to be written. */
  withBackups(path: string, accesses: readonly Access[]): Target;
  /** A backup beside such a path, if it may be used like the path itself: extensions are not asked. */
  backup(access: Access, of: Target, name: string): Target;
  /** Relative to the workspace where it lies in it, `.` for itself. */
  show(path: CanonicalPath): string;
}

/** All throw PATH_DENIED for what the grant does not hold. */
export function createGrantedPaths(grant: Grant, rulebook: Rulebook): GrantedPaths {
  const { workspace } = grant;
  const named = {
    read: new Map(grant.read.map((entry) => [entry.requested, entry])),
    write: new Map(grant.write.map((entry) => [entry.requested, entry])),
  };

  const show = (path: CanonicalPath): string => {
    if (path === workspace) return ".";
    if (workspace === "/") return path.slice(1);
    return isWithin(workspace, path) ? path.slice(workspace.length + 1) : path;
  };

  const unnamed = (access: Access, path: string): ToolError =>
    new ToolError("PATH_DENIED", `"${path}" is none of the paths that this call may ${access}`);

  /**
   * What lies in a tree may be as strict as the tree itself: where the policy asked about the tree and got its yes,
   * entries that it would ask about are covered; where it was allowed unasked, they are not.
   */
  const inTree = (access: Access, tree: PathGrant, target: Target): JudgedTree => {
    const most = strictness(rulebook.judgePath(access, tree.path, "directory").effect);
    const admits = (path: CanonicalPath, kind: EntryKind): boolean =>
      strictness(rulebook.judgePath(access, path, kind).effect) <= most;
    return {
      ...target,
      require(kind) {
        // The tree itself was judged as the directory that it is, or would be.
        if (target.path === tree.path && kind === "directory" || admits(target.path, kind)) return;
        const { effect, code, reason, rule } = rulebook.judgePath(access, target.path, kind);
        if (effect !== "deny") throw unnamed(access, target.shown);
        throw new ToolError(code ?? "PATH_DENIED", reason, { rule });
      },
      admit(directory) {
        const judge = rulebook.judgeBelow(access, directory);
        const start = directory === "/" ? 1 : directory.length + 1;
        return judge.mayDeny
          ? (path, kind) => strictness(judge.effectOf(path.slice(start), kind)) <= most
          : null;
      },
      judge: () => admitting(rulebook.judgeBelow(access, target.path), most),
    };
  };

  /** From the first of the trees that hold it which lets it be at least a directory. */
  const below = (access: Access, path: string): JudgedTree => {
    const parts = path.split("/");
    const plain = path.startsWith("/") ? parts.slice(1) : parts;
    if (!plain.some((part) => part === "" || part === "." || part === "..")) {
      const canonical = canonicalOf(workspace, path);
      const { effect } = rulebook.judgePath(access, canonical, "directory");
      for (const tree of grant[access]) {
        if (!tree.tree || !isWithin(tree.path, canonical)) continue;
        const own = rulebook.judgePath(access, tree.path, "directory").effect;
        if (canonical !== tree.path && strictness(effect) > strictness(own)) continue;
        return inTree(access, tree, { path: canonical, shown: path });
      }
    }
    throw unnamed(access, path);
  };

  const entry = (access: Access, path: string): JudgedTree => {
    const own = named[access].get(path);
    if (own === undefined) return below(access, path);
    const target = { path: own.path, shown: path };
    return own.tree ? inTree(access, own, target) : { ...target, ...ALONE };
  };

  return {
    show,
    entry,
    file(access, path) {
      const target = entry(access, path);
      target.require("file");
      return target;
    },
    tree(access, path) {
      const target = entry(access, path);
      if (target.admit !== ALONE.admit) return target;
      throw new ToolError("PATH_DENIED", `"${path}" is no tree that this call may ${access}`);
    },
    withBackups(path, accesses) {
      for (const access of accesses) {
        const own = named[access].get(path);
        if (own?.backups === true) return { path: own.path, shown: path };
      }
      throw new ToolError("PATH_DENIED", `this call was not granted the backups of "${path}"`);
    },
    backup(access, of, name) {
      const path = siblingOf(of.path, name);
      const own = rulebook.judgePath(access, of.path, "directory");
      const { effect, reason, rule } = rulebook.judgePath(access, path, "directory");
      if (strictness(effect) <= strictness(own.effect)) return { path, shown: show(path) };
      throw new ToolError("PATH_DENIED", reason, { rule });
    },
  };
}

const NOTHING: ReturnType<Admit> = () => false;
/** A path that was granted without what lies below it. */
const ALONE: Pick<JudgedTree, "require" | "admit" | "judge"> = {
  require: () => {},
  admit: () => NOTHING,
  judge: () => NONE,
};
const NONE: EntryAdmits = { admits: () => false, into: () => NONE };

/** Entries that are no stricter than `most`. */
function admitting(judge: EntryJudge, most: number): EntryAdmits | null {
  if (!judge.mayDeny) return null;
  return {
    admits: (name, kind) => strictness(judge.effectOf(name, kind)) <= most,
    into(name) {
      const below = judge.into(name);
      return below === judge ? this : admitting(below, most);
    },
  };
}

/** Links in it are no danger: what opens canonical paths refuses them. */
function canonicalOf(workspace: CanonicalPath, path: string): CanonicalPath {
  if (path.startsWith("/")) return path as CanonicalPath;
  return `${workspace === "/" ? "" : workspace}/${path}` as CanonicalPath;
}

function strictness(effect: Effect): number {
  return EFFECTS.indexOf(effect);
}
