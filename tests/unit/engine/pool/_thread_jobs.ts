/** Jobs for a real thread of the pool. */

import type { ToWorker } from "../../../../src/engine/pool/_protocol.ts";
import type { PathGrant } from "../../../../src/policy/grant.ts";
import type { Workspace } from "../../../binary/toolgate.ts";
import { canonical, pathRule, policy } from "../../policy/_fixtures.ts";
import { RealThread } from "./_thread.ts";

/** The next messages of a thread wait on shared memory, which outlives a test that does not read them all. */
export const RINGS_STAY = { sanitizeOps: false };

/** A thread that may read the workspace. */
export function threadIn(
  workspace: Workspace,
  more: Partial<ConstructorParameters<typeof RealThread>[0]> = {},
) {
  const root = canonical(workspace.root);
  const sections = policy({ paths: [pathRule("allow", ["**"])] });
  return new RealThread({
    boundary: { read: [root], write: [], connect: [], spawn: null },
    policies: [{ source: "p.yaml", policy: sections, workspace: root }],
    ...more,
  });
}

/** A call of this number. */
export function job(
  number: number,
  tool: string,
  input: Readonly<Record<string, unknown>>,
  read: readonly PathGrant[] = [],
  timeoutMs = 60_000,
): Extract<ToWorker, { kind: "job" }> {
  return {
    kind: "job",
    job: number,
    tool,
    manifest: null,
    input,
    texts: 0,
    grant: { read, write: [], spawn: [], connect: [], timeoutMs },
    preview: false,
    stream: false,
    subject: null,
    share: null,
    agreed: [],
  };
}

/** A grant to read one file. */
export const reading = (workspace: Workspace, path: string): PathGrant => ({
  requested: path,
  path: canonical(workspace.path(path)),
  tree: false,
});
