import { assert, assertEquals } from "@std/assert";
import { openCaches } from "../../../../src/engine/programs/_caches.ts";
import { canonical } from "../../policy/_fixtures.ts";

Deno.test("each workspace has its own caches, in a folder that nobody else may write to", () => {
  const base = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    const open = (path = "/w/one", setting = base) =>
      openCaches(setting, canonical(path), () => Deno.uid());
    const [one, other] = [open() ?? "", open("/w/other") ?? ""];
    assert(one !== "" && other !== "" && one !== other, `${one} ${other}`);
    assertEquals(openCaches(base, canonical("/w/one"), () => 12345), null);
    assertEquals((Deno.statSync(one).mode ?? 0) & 0o077, 0);
    assertEquals(open(), one);
    const settings = `GOPATH=${one}/go\nGOCACHE=${one}/go-build\n`;
    assertEquals(Deno.readTextFileSync(`${one}/go-env`), settings);
    Deno.writeTextFileSync(`${other}/mine`, "mine");
    Deno.removeSync(`${one}/go-env`);
    Deno.symlinkSync(`${other}/mine`, `${one}/go-env`);
    assertEquals(open(), one);
    assertEquals(Deno.readTextFileSync(`${one}/go-env`), settings, "as it was meant");
    assertEquals(Deno.readTextFileSync(`${other}/mine`), "mine", "no link is written through");
    assertEquals(open("/w/one", "off"), null);
    assertEquals(open("/w/one", "/dev/null/x"), null);
    Deno.chmodSync(one, 0o777);
    assertEquals(open(), null);
    Deno.removeSync(one, { recursive: true });
    Deno.symlinkSync(other, one);
    assertEquals(open(), null);
  } finally {
    Deno.removeSync(base, { recursive: true });
  }
});
