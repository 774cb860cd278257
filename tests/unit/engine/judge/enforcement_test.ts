import { assert, assertEquals, assertThrows } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import { enforcementOf, namesOf } from "../../../../src/engine/judge/_enforcement.ts";
import type { Grant } from "../../../../src/policy/grant.ts";
import { DEFAULTS, type Sandbox } from "../../../../src/policy/model.ts";
import type { Boundary, SpawnBoundary } from "../../../../src/sandbox/boundary.ts";
import { RIGHTS } from "../../../../src/sandbox/landlock_rules.ts";
import { SYSTEM_PATHS } from "../../../../src/sandbox/system_paths.ts";
import { grantOf } from "../../host/_rulebook.ts";
import { canonical, program } from "../../policy/_fixtures.ts";

/** The C library is opened once a process and never closed. */
const LIBRARY_STAYS = { sanitizeResources: false };
const ROOT = canonical("/secret-place/project");

function boundaryOf(parts: Partial<Boundary> = {}): Boundary {
  return { read: [], write: [], connect: [], spawn: null, ...parts };
}

const SPAWN: SpawnBoundary = {
  programs: ["/usr/bin/cat"],
  system: SYSTEM_PATHS,
  read: [ROOT],
  write: [],
  list: [],
  network: false,
};

function shown(
  boundary: Boundary,
  grant: Partial<Grant> = {},
  sandbox: Partial<Sandbox> = {},
) {
  return enforcementOf({
    grant: grantOf(ROOT, grant),
    sandbox: { ...DEFAULTS.sandbox, ...sandbox },
    boundary: () => boundary,
  });
}

Deno.test(
  "paths are shown from the workspace, those outside as they were asked for or not at all",
  LIBRARY_STAYS,
  () => {
    const outside = canonical("/elsewhere/deep/file");
    const read = [{ requested: "../link", path: outside, tree: false }];
    const { runtime } = shown(
      boundaryOf({
        read: [
          ROOT,
          canonical(`${ROOT}/src/a.ts`),
          outside,
          canonical("/elsewhere/deep"),
          canonical("/home/somebody/key"),
          canonical("/usr/lib/x"),
        ],
      }),
      { read },
    );
    assertEquals(runtime?.read, [
      ".",
      "./src/a.ts",
      "../link",
      "(the folder of ../link)",
      "(a path outside the workspace)",
      "/usr/lib/x",
    ]);
    const whole = JSON.stringify(runtime);
    assert(!whole.includes("secret-place") && !whole.includes("somebody"), whole);
  },
);

Deno.test("long lists are cut, and what is more is counted", LIBRARY_STAYS, () => {
  const read = Array.from({ length: 60 }, (_, at) => canonical(`${ROOT}/${at}`));
  const { runtime, landlock } = shown(boundaryOf({ read }));
  assertEquals([(runtime?.read as string[]).length, (runtime?.read as string[]).at(-1)], [
    51,
    "and 10 more",
  ]);
  assertEquals(landlock?.rules.length, 50);
});

Deno.test(
  "each layer is shown as the policy wants it and as the call needs it",
  LIBRARY_STAYS,
  () => {
    const plain = shown(boundaryOf({ read: [ROOT] }));
    assertEquals([plain.seccomp, plain.bubblewrap], [null, null]);
    assertEquals([plain.runtime?.write, plain.runtime?.run, plain.runtime?.net], [
      false,
      false,
      false,
    ]);
    const off = shown(boundaryOf({ read: [ROOT] }), {}, { kernel: "off" });
    assertEquals(off.landlock, { mode: "off", abi: null, rules: [] });
    const spawn = [{ argv: ["cat", "a"], program: program("cat"), cwd: ROOT }];
    const starting = shown(boundaryOf({ spawn: SPAWN }), { spawn });
    assertEquals(starting.seccomp?.network, false);
    assert((starting.seccomp?.refused_calls ?? 0) > 10);
    assertEquals(starting.runtime?.run, ["/usr/bin/cat"]);
    assertEquals(starting.bubblewrap, { mode: "off", argv: null });
    const { bubblewrap } = shown(boundaryOf({ spawn: SPAWN }), { spawn }, { bubblewrap: "auto" });
    assertEquals(bubblewrap?.argv?.slice(0, 1), ["bwrap"]);
    assertEquals(bubblewrap?.argv?.slice(-2), ["cat", "a"]);
    assert(!JSON.stringify(bubblewrap).includes("secret-place"));
  },
);

Deno.test("the system's own folders are one line among the kernel's rules", LIBRARY_STAYS, () => {
  const { landlock } = shown(boundaryOf({ spawn: SPAWN }));
  const system = landlock?.rules.filter(({ path }) => path.startsWith("(sandbox.system: ")) ?? [];
  assertEquals(system.length, 1);
  assert(system[0]?.rights.includes("execute"), JSON.stringify(system));
  assert(landlock?.rules.some(({ path }) => path === "."));
});

Deno.test("what the machine cannot give is told as the refusal that a call would meet", () => {
  const refusing = (error: unknown) => () =>
    enforcementOf({
      grant: grantOf(ROOT, {}),
      sandbox: DEFAULTS.sandbox,
      boundary: () => {
        throw error;
      },
    });
  assertEquals(refusing(new ToolError("NATIVE_DENIED", "no bubblewrap"))(), {
    refused: { code: "NATIVE_DENIED", message: "no bubblewrap" },
  });
  assertThrows(refusing(new TypeError("a defect")), TypeError, "a defect");
});

Deno.test("rights have the kernel's names", () => {
  assertEquals(namesOf(0), []);
  assertEquals(namesOf(RIGHTS.READ_FILE | RIGHTS.EXECUTE).toSorted(), ["execute", "read_file"]);
  const all = Object.values(RIGHTS).reduce((sum, bit) => sum | bit, 0);
  assertEquals(namesOf(all).length, Object.keys(RIGHTS).length);
});
