/** The child agents of who speaks over a pipe, where a policy says how they are started. */

import type { Invocation } from "../invocation.ts";
import type { Session } from "../session.ts";
import type { PipeChildren } from "./pipe_children.ts";

/** Null where the policies say of no child agents how they are started. */
export async function childrenOf(
  session: Session,
  invocation: Invocation,
): Promise<PipeChildren | null> {
  if (session.policies.every(({ policy: { children } }) => children === null)) return null;
  const { PipeChildren } = await import("./pipe_children.ts");
  return await PipeChildren.open(session, invocation);
}
