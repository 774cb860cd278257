import { assert, assertEquals } from "@std/assert";
import type { CanonicalPath } from "../../../../src/core/capability.ts";
import { SystemReach } from "../../../../src/engine/programs/_system_reach.ts";
import { createKernelProbe } from "../../../../src/host/paths/path_probe.ts";
import { LIBC } from "../../sandbox/_libc.ts";

Deno.test("of the system programs are given what they need, and what lies behind its links is its own", () => {
  const root = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    for (const folder of ["parts", "parts/lib", "parts/bin", "aside"]) {
      Deno.mkdirSync(`${root}/${folder}`);
    }
    Deno.symlinkSync("parts", `${root}/link`);
    const system = [`${root}/link`, `${root}/nowhere`, `${root}/parts/bin`];
    const reach = new SystemReach(LIBC, createKernelProbe(LIBC), system);
    const holds = (path: string) => reach.holds({ path: `${root}/${path}` as CanonicalPath });
    assertEquals([holds("parts/bin/tool"), holds("aside/tool"), holds("link/tool")], [
      true,
      false,
      false,
    ]);
    assertEquals(reach.libraries(), system.slice(0, 2));
    assertEquals(reach.of({ beyond: "system" }, true), system);
    assertEquals(reach.of({ beyond: "system" }, false), system.slice(0, 2));
    const basics = reach.of({ beyond: "nothing" }, true);
    assertEquals(
      reach.of({ beyond: "nothing" }, false),
      basics.filter((path) => !path.endsWith("/bin")),
    );
    assert(reach.real().includes(`${root}/parts` as CanonicalPath));
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});
