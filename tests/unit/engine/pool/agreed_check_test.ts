import { assertEquals } from "@std/assert";
import { AgreedCheck, Beginnings } from "../../../../src/engine/pool/agreed_check.ts";
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
    withDirectory(async (base) => {
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
        assertEquals(await check.changed({ tool, agreed }, thread), null);
      }
      Deno.writeTextFileSync(`${base}/sub/new`, "");
      for (const thread of ["compares again", "none"] as const) {
        assertEquals((await check.changed({ tool, agreed }, thread))?.code, "APPROVAL_EXPIRED");
      }
      // One that compares again sees for itself what lies at a single path.
      const single = [{ requested: null, base, path: base, identity: "another", tree: null }];
      assertEquals(check.changed({ tool, agreed: single }, "compares again"), null);
      assertEquals(
        (await check.changed({ tool, agreed: single }, "none"))?.code,
        "APPROVAL_EXPIRED",
      );
    }),
);

Deno.test(
  "what is compared long holds up nobody but what was given to the same thread behind it",
  // The C library stays open as long as the process.
  { sanitizeResources: false },
  () =>
    withDirectory(async (base) => {
      const beginnings = new Beginnings<object>();
      const { tool } = jobOf("read");
      for (let at = 0; at < 3_000; at++) Deno.writeTextFileSync(`${base}/${at}`, "");
      const probe = createIdentityProbe(openLibc());
      const whole = { requested: null, base, path: base, identity: probe.identityOf(base) };
      const tree = atOnce(probe.treeIdentityOf(base));
      const [one, other] = [{}, {}];
      const begun: string[] = [];
      const begin = (name: string) => (changed: { readonly code: string } | null) => {
        begun.push(`${name} ${changed?.code ?? "as agreed"}`);
      };
      beginnings.take(one, { tool, agreed: Array(40).fill({ ...whole, tree }) }, begin("long"));
      beginnings.take(one, { tool, agreed: [{ ...whole, tree: "another" }] }, begin("changed"));
      beginnings.take(one, { tool }, begin("behind"));
      beginnings.take(other, { tool }, begin("elsewhere"));
      assertEquals(begun, ["elsewhere as agreed"]);
      while (begun.length < 4) await new Promise((resolve) => setTimeout(resolve, 1));
      assertEquals(begun.slice(1), [
        "long as agreed",
        "changed APPROVAL_EXPIRED",
        "behind as agreed",
      ]);
      // Nothing is waited for any more.
      beginnings.take(one, { tool }, begin("later"));
      assertEquals(begun.at(-1), "later as agreed");
    }),
);
