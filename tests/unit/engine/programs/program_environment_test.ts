import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { programEnvironmentOf } from "../../../../src/engine/programs/program_environment.ts";
import { ProgramSharing } from "../../../../src/engine/programs/program_sharing.ts";
import { rulebookOf } from "../../host/_rulebook.ts";
import { canonical, program } from "../../policy/_fixtures.ts";
import type { Policy } from "../../../../src/policy/model.ts";

const WORKSPACE = canonical("/w/project");

function environmentOf(
  sections: Partial<Policy>,
  searchPath: string | null = "/found/bin",
  sharing = new ProgramSharing(),
) {
  const { settings } = rulebookOf(WORKSPACE, { sandbox: { temporary: false }, ...sections });
  return programEnvironmentOf(settings, (name) => program(name), searchPath, sharing);
}

Deno.test("programs get what the policy passes and sets, and of the search path what Toolgate searches", () => {
  const path = Deno.env.get("PATH") ?? "";
  const cases = [
    [{ pass: ["PATH"], set: {} }, "/found/bin", "/found/bin"],
    [{ pass: ["PATH"], set: {} }, null, path],
    [{ pass: ["PATH"], set: { PATH: "/own" } }, "/found/bin", "/own"],
    [{ pass: [], set: { PATH: "/own" } }, "/found/bin", "/own"],
    [{ pass: [], set: {} }, "/found/bin", undefined],
  ] as const;
  for (const [environment, searchPath, expected] of cases) {
    const given = environmentOf({ environment }, searchPath).environment;
    assertEquals(given["PATH"], expected, JSON.stringify([environment, searchPath]));
  }
  const { environment } = environmentOf({ environment: { pass: ["HOME"], set: { A: "1" } } });
  assertEquals([environment["A"], environment["HOME"]], ["1", Deno.env.get("HOME")]);
  // Nothing else of this process.
  assertEquals(["PATH", "USER", "PWD"].filter((name) => name in environment), []);
});

Deno.test("npm tries once where there is no network, unless the policy says otherwise", () => {
  const caches = Deno.makeTempDirSync();
  const retries = (network: "deny" | "allow", set = {}, folder = caches) =>
    environmentOf({ sandbox: { caches: folder, network }, environment: { pass: [], set } })
      .environment["npm_config_fetch_retries"];
  try {
    assertEquals([retries("deny"), retries("allow"), retries("deny", {}, "off")], [
      "0",
      undefined,
      undefined,
    ]);
    assertEquals(retries("deny", { npm_config_fetch_retries: "5" }), "5");
  } finally {
    Deno.removeSync(caches, { recursive: true });
  }
});

Deno.test("a shell is looked for where lines are handed to one, a folder for temporary files is made where it is wanted", () => {
  assertEquals(environmentOf({}).shell, null);
  assertEquals(environmentOf({ shell: { mode: "sh" } }).shell?.start, "/usr/bin/sh");
  assertEquals(environmentOf({}).temporaryRoot, null);
  const sharing = new ProgramSharing();
  const wanted = { sandbox: { temporary: true } };
  const root = environmentOf(wanted, null, sharing).temporaryRoot ?? "";
  const second = environmentOf(wanted, null, sharing).temporaryRoot ?? "";
  try {
    assertEquals([Deno.statSync(root).isDirectory, Deno.realPathSync(root)], [true, root]);
    assertEquals((Deno.statSync(root).mode ?? 0) & 0o077, 0);
    Deno.writeTextFileSync(`${root}/left`, "by a program");
    // One removes all, whichever engine ends first: who outlives a killed Toolgate knows of the first alone.
    assert(second.startsWith(`${root}/`), second);
    sharing.leaveTemporary(root);
    assertEquals(Deno.statSync(second).isDirectory, true);
  } finally {
    sharing.leaveTemporary(second);
  }
  assertThrows(() => Deno.statSync(root), Deno.errors.NotFound);
  // Twice: nothing happens.
  sharing.leaveTemporary(root);
});

Deno.test("each Toolgate marks its programs by something of its own, which no low limit could be taken for", () => {
  const [one, other] = [environmentOf({}), environmentOf({})];
  assertNotEquals(one.marker, other.marker);
  assert(one.marker.length >= 32);
  assert(one.token >= 2 ** 31 && one.token < 2 ** 32, String(one.token));
  assertEquals([one.own, one.reasons], [null, []]);
  const sharing = new ProgramSharing();
  const [first, second] = [environmentOf({}, null, sharing), environmentOf({}, null, sharing)];
  assertEquals([first.marker, first.token], [second.marker, second.token]);
});
