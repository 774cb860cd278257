/** What an approval was given for, path by path: compared again by whoever acts on it, as the last thing before. */

import type { CanonicalPath, ResolvedCapability } from "../../core/capability.ts";
import { ToolError } from "../../core/errors.ts";
import { printable } from "../../core/printable.ts";
import type { IdentityProbe } from "../../host/paths/identity.ts";
import type { DecidedCall } from "../judge/decided_call.ts";
import { atOnce, type Steps } from "../turns.ts";

/** One path as it was when somebody agreed. Crosses to the thread that runs the call. */
export interface AgreedPath {
  /** As the request or the command wrote it, from `base`; null where it was found otherwise. */
  readonly requested: string | null;
  readonly base: CanonicalPath;
  readonly path: CanonicalPath;
  readonly identity: string;
  /** Of what lies below; null where that is no part of it. */
  readonly tree: string | null;
}

/** Finds where words lead now, and what lies there. */
export interface AgreedProbe extends IdentityProbe {
  canonicalize(base: CanonicalPath, requested: string): CanonicalPath;
}

/** All paths that a call was decided by, as they are now. */
export function* agreedPathsOf(
  { decision, grant }: Pick<DecidedCall, "decision" | "grant">,
  probe: IdentityProbe,
): Steps<readonly AgreedPath[]> {
  const base = grant.workspace;
  const found: AgreedPath[] = [];
  for (const { capability } of decision.verdicts) {
    for (const { whole, ...one } of pathsOf(capability, base)) {
      const identity = probe.identityOf(one.path);
      found.push({ ...one, identity, tree: whole ? yield* probe.treeIdentityOf(one.path) : null });
      yield;
    }
  }
  return found;
}

type NamedPath = Pick<AgreedPath, "requested" | "base" | "path"> & { readonly whole: boolean };

function pathsOf(capability: ResolvedCapability, base: CanonicalPath): readonly NamedPath[] {
  switch (capability.kind) {
    case "fs.read":
    case "fs.write": {
      const { path, requested, tree, entry, by, contents } = capability;
      // An entry is the link itself; where it leads is a capability beside it.
      const words = entry === true ? null : requested;
      return [{
        requested: words,
        base,
        path,
        whole: tree && by !== "program" && contents !== "any",
      }];
    }
    case "process.spawn": {
      const { program, cwd, operands, project = [] } = capability;
      return [
        ...(program === null
          ? []
          : [{ requested: program.start, base, path: program.path, whole: false }]),
        { requested: null, base, path: cwd, whole: false },
        ...[...operands, ...project].map(({ requested, path }) => ({
          requested,
          base: cwd,
          path,
          whole: false,
        })),
      ];
    }
    case "net.connect":
    case "env.read":
      return [];
  }
}

/** As {@linkcode agreedSteps}, at once. */
export function requireAgreed(...args: Parameters<typeof agreedSteps>): void {
  atOnce(agreedSteps(...args));
}

/**
 * Throws APPROVAL_EXPIRED where something is not what was agreed to. `trees` false: on a thread that may not list them;
 * the main thread has compared those when it gave the call away.
 */
export function* agreedSteps(
  tool: string,
  agreed: readonly AgreedPath[],
  probe: AgreedProbe,
  { trees }: { readonly trees: boolean },
): Steps<void> {
  for (const { requested, base, path, identity, tree } of agreed) {
    const same = leadsTo(probe, base, requested) === (requested === null ? null : path) &&
      probe.identityOf(path) === identity &&
      (!trees || tree === null || (yield* probe.treeIdentityOf(path)) === tree);
    yield;
    if (same) continue;
    const what = requested === null ? "something that it uses" : `"${printable(requested, 100)}"`;
    throw new ToolError(
      "APPROVAL_EXPIRED",
      `${tool}: ${what} has changed since somebody agreed to it; nothing was run. ` +
        "Send the call again to ask for it as it is now",
    );
  }
}

/** Null where there are no words, or they lead nowhere. */
function leadsTo(probe: AgreedProbe, base: CanonicalPath, requested: string | null): string | null {
  if (requested === null) return null;
  try {
    return probe.canonicalize(base, requested);
  } catch (error) {
    if (error instanceof ToolError) return "";
    throw error;
  }
}
