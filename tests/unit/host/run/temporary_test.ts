import { assert, assertEquals } from "@std/assert";
import { KeptFolders, type RunFolders } from "../../../../src/host/run/kept_folders.ts";
import type { CanonicalPath } from "../../../../src/core/capability.ts";
import { asNamed, inTemporary } from "../../../../src/host/run/temporary.ts";

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
      assertEquals([environment["GOENV"], environment["GOPATH"]], ["/c/go-env", undefined]);
      return Promise.resolve();
    });
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});

Deno.test("a run's folder is the next one's where nothing was ever done in it, and only then", async () => {
  const root = Deno.realPathSync(Deno.makeTempDirSync());
  const kept = new KeptFolders();
  const partsOf = (keptFolders: RunFolders) => ({ temporaryRoot: root, caches: null, keptFolders });
  const run = async (
    work: (folder: string) => void,
    left: (folder: string) => void = () => {},
  ): Promise<string> => {
    const folders = kept.ofRun();
    const folder = await inTemporary(partsOf(folders), {}, ({ temporary }) => {
      assert(temporary !== null);
      assertEquals([...Deno.readDirSync(temporary)], []);
      work(temporary);
      return Promise.resolve(temporary);
    });
    left(folder);
    folders.settle();
    return folder;
  };
  try {
    const first = await run(() => {});
    assertEquals(await run(() => {}), first);
    const touches: readonly ((folder: string) => void)[] = [
      (folder) => Deno.writeTextFileSync(`${folder}/a`, ""),
      (folder) => {
        Deno.mkdirSync(`${folder}/a`);
        Deno.removeSync(`${folder}/a`);
      },
      (folder) => Deno.chmodSync(folder, 0o777),
      (folder) => Deno.removeSync(folder),
      (folder) => {
        Deno.removeSync(folder);
        Deno.symlinkSync("/etc", folder);
      },
    ];
    for (const touch of touches) {
      const touched = await run(touch);
      assertEquals([...Deno.readDirSync(root)], []);
      const next = await run(() => {});
      assert(next !== touched);
      assertEquals(await run(() => {}), next);
    }
    for (const touch of touches) {
      // What a run has left behind touches it after its time.
      const left = await run(() => {}, touch);
      assertEquals([...Deno.readDirSync(root)], []);
      assert(await run(() => {}) !== left);
    }
    const early = kept.ofRun();
    const over = await inTemporary(
      partsOf(early),
      {},
      ({ temporary }) => Promise.resolve(temporary),
    );
    assert(await run(() => {}) !== over, "what it has started may still be there");
    early.settle();
    // Two that run at a time have one each.
    const [one, other] = await Promise.all([
      inTemporary(partsOf(kept.ofRun()), {}, async ({ temporary }) => {
        await null;
        return temporary;
      }),
      inTemporary(partsOf(kept.ofRun()), {}, async ({ temporary }) => {
        await null;
        return temporary;
      }),
    ]);
    assert(one !== other);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});

Deno.test("what lines have in place of /tmp stays from run to run, one folder an agent", async () => {
  const root = Deno.realPathSync(Deno.makeTempDirSync());
  const parts = { temporaryRoot: root, caches: null };
  const run = (kept: string, work: (folder: string) => void): Promise<string> =>
    inTemporary(parts, {}, ({ temporary, environment }) => {
      assertEquals(environment["TMPDIR"], temporary);
      work(temporary ?? "");
      return Promise.resolve(temporary ?? "");
    }, { kept });
  try {
    const first = await run("root", (folder) => Deno.writeTextFileSync(`${folder}/a`, "a"));
    assertEquals(await run("root", (folder) => Deno.readTextFileSync(`${folder}/a`)), first);
    assertEquals((Deno.statSync(first).mode ?? 0) & 0o777, 0o700);
    const other = await run("../a/b", (folder) => {
      assertEquals([...Deno.readDirSync(folder)], []);
    });
    assertEquals([first, other].map((one) => one.slice(0, one.lastIndexOf("/"))), [root, root]);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});

Deno.test("a line's output says the name that the line has for its folder", () => {
  const folder = "/tmp/toolgate-1/tmp-root" as CanonicalPath;
  const cases = [
    ["", ""],
    ["a /tmp b", "a /tmp b"],
    [`${folder}/a\n`, "/tmp/a\n"],
    [`${folder}${folder}\n/x ${folder}`, "/tmp/tmp\n/x /tmp"],
    [`/${folder} é ${folder.slice(0, -1)}`, `//tmp é ${folder.slice(0, -1)}`],
  ] as const;
  for (const [said, expected] of cases) {
    const bytes = asNamed(new TextEncoder().encode(said), folder);
    assertEquals(new TextDecoder().decode(bytes), expected);
  }
});
