import { assertEquals } from "@std/assert";
import { beginListener, expectedRead } from "../../../src/cli/begin_listener.ts";
import { COMMANDS } from "../../../src/cli/commands.ts";
import type { Embedded } from "../../../src/cli/embedded.ts";
import { type PathRule, type Policy, SILENT_POLICY } from "../../../src/policy/model.ts";

const ALL: PathRule = { effect: "allow", access: ["read", "write"], match: ["**"] };

/** What is expected of a build with this policy, and this command line. */
function expected(
  policy: Partial<Policy>,
  values: Readonly<Record<string, string[]>> = {},
  more: Partial<Embedded> = {},
): string | null {
  const loaded = { source: "(built in)", policy: { ...SILENT_POLICY, paths: [ALL], ...policy } };
  // Sealed, so that no policy of this machine counts.
  return expectedRead({
    embedded: { version: "1", sealed: true, policy: loaded, ...more },
    values,
  });
}

const rules = (...paths: readonly PathRule[]) => ({ paths });
const allow = (...match: readonly string[]): PathRule => ({ ...ALL, match });

Deno.test("a listener is begun ahead where the built-in policy holds alone and its workspace is all that may be read", async () => {
  const here = Deno.realPathSync(".");
  const folder = await Deno.makeTempDir();
  const root = Deno.realPathSync(folder);
  try {
    const own: readonly [ReturnType<typeof expected>, string | null][] = [
      [expected({}), here],
      [expected({ workspace: folder }), root],
      [expected({ workspace: "." }, { root: [folder] }), root],
      [expected({}, { sandbox: ["required"] }), here],
      [expected(rules(allow("src/**"), allow("**"))), here],
      [expected(rules(ALL, { ...allow("/etc/x"), effect: "deny" })), here],
      [expected(rules(ALL, { ...allow("/etc/x"), access: ["write"] })), here],
      // What may be read is less than the workspace, or more.
      [expected({ paths: null }), null],
      [expected(rules(allow("src/**"))), null],
      [expected(rules({ ...ALL, access: ["write"] })), null],
      [expected(rules({ ...ALL, effect: "deny" })), null],
      ...["/etc/x", "~/x", "../x"].map((glob) =>
        [expected(rules(ALL, allow(glob))), null] as [string | null, null]
      ),
      // Others have a say.
      [expected({}, { policy: ["p.yaml"] }), null],
      [expected({}, { agent: ["someone"] }), null],
      [expected({}, {}, { agent: "someone" }), null],
      [expected({}, { root: [`${folder}/gone`] }), null],
      // The main thread hears alone.
      [expected({}, { listen: ["unix:/s"] }), null],
      [expected({}, { audit: ["log"] }), null],
      [expected({}, {}, { telemetry: true }), null],
      [expected({ recovery: { timeout: { retries: 1 } } } as Partial<Policy>), null],
    ];
    assertEquals(own.map(([path]) => path), own.map(([, path]) => path));
    for (
      const name of ["TOOLGATE_ROOT", "TOOLGATE_AGENT", "TOOLGATE_AUDIT_LOG", "TOOLGATE_POLICY"]
    ) {
      Deno.env.set(name, folder);
      try {
        assertEquals(expected({}), null, name);
      } finally {
        Deno.env.delete(name);
      }
    }
  } finally {
    await Deno.remove(folder);
  }
});

Deno.test("serve begins it, nothing else does, and nobody from source", () => {
  const begin = Object.entries(COMMANDS).filter(([, command]) => command.begin !== undefined);
  assertEquals(begin.map(([name]) => name), ["serve"]);
  const policy = { source: "(built in)", policy: { ...SILENT_POLICY, paths: [ALL] } };
  const embedded: Embedded = { version: "1", sealed: true, policy };
  assertEquals(beginListener({ embedded, values: {} }), null);
});
