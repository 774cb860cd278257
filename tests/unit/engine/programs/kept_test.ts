/** What programs get of the user's own: who commits, and where caches lie. */

import { assert, assertEquals } from "@std/assert";
import { openCaches } from "../../../../src/engine/programs/_caches.ts";
import { identityOf } from "../../../../src/engine/programs/_git_config.ts";
import { inTemporary } from "../../../../src/host/run/temporary.ts";
import { canonical, pathRule, rulebook } from "../../policy/_fixtures.ts";

Deno.test("of git's settings who commits is taken, and nothing else", () => {
  const cases: readonly (readonly [texts: readonly string[], expected: Record<string, string>])[] =
    [
      [[""], {}],
      [["[user]\n\tname = A B\n\temail = a@b.c\n"], { name: "A B", email: "a@b.c" }],
      [['[User] NAME=A ; said\n# no\nEmail = "a@b.c" # x'], { name: "A", email: "a@b.c" }],
      [['[user]\nname = "A # \\"B\\" "\n'], { name: 'A # "B"' }],
      [['[user "x"]\nname = no\n[core]\nname = no\npager = evil'], {}],
      [["[alias]\nuser = !evil\n[include]\npath = /x"], {}],
      [["[user]\nname = first", "[user]\nname = later\n"], { name: "later" }],
      [["[user]\nname = \nemail"], {}],
    ];
  for (const [texts, expected] of cases) {
    assertEquals(Object.fromEntries(identityOf(texts)), expected, texts.join("|"));
  }
});

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
    assertEquals(open("/w/one", "off"), null);
    assertEquals(open("/w/one", "/dev/null/x"), null);
    Deno.chmodSync(one, 0o777);
    assertEquals(open(), null);
    Deno.removeSync(one);
    Deno.symlinkSync(other, one);
    assertEquals(open(), null);
  } finally {
    Deno.removeSync(base, { recursive: true });
  }
});

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

Deno.test("a run's folder is open beside the rules, and to no more than the folder", () => {
  const rules = rulebook([
    { paths: [pathRule("allow", ["**"]), pathRule("deny", ["/tmp/r/run-1/shut/**"])] },
    { extensions: { read: null, write: { allow: null, deny: [".so"] } } },
  ]);
  const own = rules.withFolder(canonical("/tmp/r/run-1"));
  const cases = [
    ["write", "/tmp/r/run-1/a", "deny", "allow"],
    ["read", "/tmp/r/run-1", "deny", "allow"],
    ["write", "/tmp/r/run-1/a/b/c", "deny", "allow"],
    ["write", "/tmp/r/run-1/shut/a", "deny", "deny"],
    ["write", "/tmp/r/run-1/a.so", "deny", "deny"],
    ["write", "/tmp/r/run-2/a", "deny", "deny"],
    ["read", "/tmp/r/run-11", "deny", "deny"],
    ["read", "/tmp/r", "deny", "deny"],
    ["write", "/w/project/a", "allow", "allow"],
  ] as const;
  for (const [access, path, before, after] of cases) {
    const effects = [rules, own].map((one) => one.judgePath(access, canonical(path)).effect);
    assertEquals(effects, [before, after], `${access} ${path}`);
  }
});
