import { assert, assertEquals } from "@std/assert";
import { inTemporary } from "../../../../src/host/run/temporary.ts";

Deno.test("a run's folder goes with it, whatever the modes of what lies there; what is set goes before", async () => {
  const root = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    const given = { TMPDIR: "/elsewhere", GOPATH: "/set" };
    const parts = { temporaryRoot: root, caches: null };
    await inTemporary(parts, given, ({ environment, temporary }) => {
      assert(temporary?.startsWith(`${root}/run-`) === true);
      const { TMPDIR, TMP, GOPATH, GOCACHE } = environment;
      assertEquals([TMPDIR, TMP, GOPATH], [temporary, undefined, "/set"]);
      assertEquals(GOCACHE, `${temporary}/.cache/go-build`);
      Deno.mkdirSync(`${temporary}/a/b`, { recursive: true });
      Deno.writeTextFileSync(`${temporary}/a/b/c`, "");
      Deno.chmodSync(`${temporary}/a/b`, 0o500);
      Deno.chmodSync(`${temporary}/a`, 0);
      return Promise.resolve();
    });
    assertEquals([...Deno.readDirSync(root)], []);
    const none = { temporaryRoot: null, caches: "/c" };
    await inTemporary(none, {}, ({ environment, temporary }) => {
      assertEquals([environment["XDG_CACHE_HOME"], environment["TMPDIR"], temporary], [
        "/c",
        undefined,
        null,
      ]);
      return Promise.resolve();
    });
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});
