/** Which names in /tmp lines have for themselves: none that a rule or the workspace speaks of. */

import { assertEquals } from "@std/assert";
import { ownTemporary } from "../../../../src/engine/judge/own_temporary.ts";
import type { Rulebook } from "../../../../src/policy/rulebook.ts";

type Parts = Parameters<typeof ownTemporary>[0];

function partsOf(workspace: string, roots: readonly string[], temporary = true): Parts {
  const settings = { workspace, sandbox: { temporary, system: null } };
  return { settings, scope: { read: roots, write: roots } } as unknown as Pick<
    Rulebook,
    "settings" | "scope"
  >;
}

/** Workspace, other roots, a name, whether more may follow it, and whether it is one's own. */
const NAMES: readonly (readonly [string, readonly string[], string, boolean, boolean])[] = [
  ["/w", [], "/tmp/x", false, true],
  ["/w", [], "/tmp", false, true],
  ["/w", [], "/tmp/", true, true],
  ["/w", [], "/tmp/../etc/passwd", false, false],
  ["/w", [], "/tmp/toolgate-1/run-2/x", false, false],
  ["/tmp/ws", [], "/tmp/ws/a", false, false],
  ["/tmp/ws", [], "/tmp//ws/a", false, false],
  ["/tmp/ws", [], "/tmp/./ws", false, false],
  ["/tmp/ws", [], "/tmp/other", false, true],
  // Its end is not known: it may come out as the workspace.
  ["/tmp/ws", [], "/tmp/", true, false],
  ["/tmp/ws", [], "/tmp/w", true, false],
  ["/tmp/ws", [], "/tmp/other/", true, true],
  ["/w", ["/tmp/shared"], "/tmp/shared/a", false, false],
  ["/w", ["/tmp"], "/tmp/x", false, false],
  ["/w", ["/"], "/tmp/x", false, false],
];

Deno.test("names in /tmp are a line's own, but for what the policy names there", () => {
  for (const [workspace, roots, path, open, expected] of NAMES) {
    const isOwn = ownTemporary(partsOf(workspace, roots));
    assertEquals(isOwn(path, open), expected, `${workspace} ${roots} ${path} ${open}`);
  }
  assertEquals(ownTemporary(partsOf("/w", [], false))("/tmp/x", false), false);
});
