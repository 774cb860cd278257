import { assertEquals } from "@std/assert";
import { AgreedCheck } from "../../../../src/engine/pool/agreed_check.ts";
import { atOnce } from "../../../../src/engine/turns.ts";
import { createIdentityProbe } from "../../../../src/host/paths/identity.ts";
import { openLibc } from "../../../../src/sandbox/kernel/libc.ts";
import { withDirectory } from "../../host/files/_temporary.ts";
import { jobOf } from "./_stand_in_threads.ts";

Deno.test(
  "a call runs where all is as somebody agreed to it, and expires where anything is not",
  // The C library stays open as long as the process.
  { sanitizeResources: false },
  () =>
    withDirectory((base) => {
      const check = new AgreedCheck();
      const { tool } = jobOf("read");
      assertEquals(check.changed({ tool }, "none"), null);
      const probe = createIdentityProbe(openLibc());
      Deno.mkdirSync(`${base}/sub`);
      const agreed = [{
        requested: null,
        base,
        path: base,
        identity: probe.identityOf(base),
        tree: atOnce(probe.treeIdentityOf(base)),
      }];
      for (const thread of ["compares again", "none"] as const) {
        assertEquals(check.changed({ tool, agreed }, thread), null);
      }
      Deno.writeTextFileSync(`${base}/sub/new`, "");
      for (const thread of ["compares again", "none"] as const) {
        assertEquals(check.changed({ tool, agreed }, thread)?.code, "APPROVAL_EXPIRED");
      }
      // One that compares again sees for itself what lies at a single path.
      const single = [{ requested: null, base, path: base, identity: "another", tree: null }];
      assertEquals(check.changed({ tool, agreed: single }, "compares again"), null);
      assertEquals(check.changed({ tool, agreed: single }, "none")?.code, "APPROVAL_EXPIRED");
    }),
);
