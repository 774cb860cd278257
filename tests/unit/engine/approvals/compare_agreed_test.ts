import { assertEquals, assertThrows } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import type { AgreedPath } from "../../../../src/engine/approvals/agreed.ts";
import { compareAgreed } from "../../../../src/engine/approvals/compare_agreed.ts";
import { createIdentityProbe } from "../../../../src/host/paths/identity.ts";
import { Workspace } from "../../../binary/toolgate.ts";
import { canonical } from "../../policy/_fixtures.ts";
import { LIBC as libc } from "../../sandbox/_libc.ts";

/** The file `a.txt` as it is now. */
function agreedTo(workspace: Workspace): readonly AgreedPath[] {
  const path = canonical(workspace.path("a.txt"));
  const probe = createIdentityProbe(libc);
  return [{
    requested: "a.txt",
    base: canonical(workspace.root),
    path,
    identity: probe.identityOf(path),
    tree: null,
  }];
}

Deno.test("the kernel is asked what lies at each path now: whatever was done to it expires what was agreed to", async () => {
  const changes: readonly ((workspace: Workspace) => void)[] = [
    (workspace) => workspace.write("a.txt", "other"),
    (workspace) => Deno.removeSync(workspace.path("a.txt")),
    (workspace) => Deno.chmodSync(workspace.path("a.txt"), 0o600),
    (workspace) => {
      Deno.removeSync(workspace.path("a.txt"));
      Deno.symlinkSync("b.txt", workspace.path("a.txt"));
    },
    (workspace) => Deno.renameSync(workspace.path("b.txt"), workspace.path("a.txt")),
  ];
  for (const change of changes) {
    await using workspace = new Workspace({ "a.txt": "same", "b.txt": "same" });
    const agreed = agreedTo(workspace);
    compareAgreed("look", agreed, libc);
    change(workspace);
    const error = assertThrows(() => compareAgreed("look", agreed, libc), ToolError);
    assertEquals(error.code, "APPROVAL_EXPIRED", change.toString());
    // Where the kernel cannot be asked the main thread has compared.
    compareAgreed("look", agreed, null);
  }
});
