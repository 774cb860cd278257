import { assert, assertEquals } from "@std/assert";
import type { CanonicalPath } from "../../../src/core/capability.ts";
import { moduleRules, RIGHTS, rulesOf } from "../../../src/sandbox/landlock_rules.ts";
import { DEVICES } from "../../../src/sandbox/system_paths.ts";
import { boundaryOf, spawnOf } from "./_run_held.ts";

const at = (path: string): CanonicalPath => path as CanonicalPath;

function rightsOn(rules: ReturnType<typeof rulesOf>, path: string): readonly string[] {
  const bits = rules.paths.find((rule) => rule.path === path)?.rights ?? 0;
  return Object.entries(RIGHTS).filter(([, bit]) => (bits & bit) !== 0).map(([name]) => name);
}

Deno.test("rulesOf handles all that each kernel knows", () => {
  const cases: readonly (readonly [number, number, number, number])[] = [
    [1, 0x1fff, 0, 0],
    [2, 0x3fff, 0, 0],
    [3, 0x7fff, 0, 0],
    [4, 0x7fff, 3, 0],
    [5, 0xffff, 3, 0],
    [6, 0xffff, 3, 3],
    [7, 0xffff, 3, 3],
    [9, 0x1ffff, 3, 3],
    [12, 0x1ffff, 3, 3],
  ];
  for (const [abi, handled, network, scoped] of cases) {
    const rules = rulesOf(boundaryOf({ write: [at("/w")] }), abi);
    assertEquals([rules.handled, rules.handledNetwork, rules.scoped], [handled, network, scoped]);
    for (const { rights } of rules.paths) assertEquals(rights & ~handled, 0);
  }
});

Deno.test("rulesOf gives readers reading, writers no devices or sockets", () => {
  const rules = rulesOf(boundaryOf({ read: [at("/r")], write: [at("/w")] }), 7);
  assertEquals(rightsOn(rules, "/r"), ["READ_FILE", "READ_DIR"]);
  assertEquals(rightsOn(rules, "/w"), [
    "WRITE_FILE",
    "READ_FILE",
    "READ_DIR",
    "REMOVE_DIR",
    "REMOVE_FILE",
    "MAKE_DIR",
    "MAKE_REG",
    "MAKE_SYM",
    "REFER",
    "TRUNCATE",
  ]);
  assertEquals(rules.paths.length, 2);
  assert(rules.paths.every(({ links }) => !links));
});

Deno.test("rulesOf holds a thread that starts programs by what its programs may do", () => {
  const spawn = spawnOf(at("/w/src"), {
    system: ["/usr"],
    list: [at("/w")],
    programs: ["/w/tool"],
  });
  const rules = rulesOf(boundaryOf({ read: [at("/w")], write: [at("/w")], spawn }), 7);
  assertEquals(rightsOn(rules, "/w"), ["READ_DIR"]);
  assertEquals(rightsOn(rules, "/usr"), ["EXECUTE", "READ_FILE", "READ_DIR"]);
  assertEquals(rightsOn(rules, "/w/tool"), ["EXECUTE", "READ_FILE", "READ_DIR"]);
  for (const right of ["EXECUTE", "WRITE_FILE", "MAKE_REG", "REMOVE_FILE", "MAKE_SYM"]) {
    assert(rightsOn(rules, "/w/src").includes(right));
  }
  for (const { path, write } of DEVICES) {
    assertEquals(rightsOn(rules, path).includes("WRITE_FILE"), write);
    assert(rightsOn(rules, path).includes("READ_FILE"));
  }
  assert(!rules.paths.some(({ path }) => path === "/proc" || path === "/dev"));
});

Deno.test("rulesOf lets threads connect to named ports alone, and programs with network anywhere", () => {
  const connect = ["a.example:443", "[2001:db8::1]:8080", "b.example:443", "c.example:0", "d:x"];
  assertEquals(rulesOf(boundaryOf({ connect }), 4).ports, [443, 8080]);
  assertEquals(rulesOf(boundaryOf({ connect }), 3).ports, []);
  assertEquals(rulesOf(boundaryOf({ connect: ["8.0.0.0/7:443", "[::1]:80"] }), 4).ports, [443, 80]);
  for (const any of ["8.0.0.0/7", "a.example", "[::1]"]) {
    const rules = rulesOf(boundaryOf({ connect: ["b.example:443", any] }), 4);
    assertEquals(
      [rules.ports, rules.handledNetwork],
      [[], 1],
      `${any}: any port, and no listening`,
    );
  }
  const open = rulesOf(boundaryOf({ spawn: spawnOf(at("/w"), { network: true }) }), 7);
  assertEquals(open.handledNetwork, 0);
  // Where each holds itself it is Toolgate that binds and connects for it.
  const coarse = rulesOf(boundaryOf({ spawn: { ...spawnOf(at("/w")), coarse: true } }), 7);
  assertEquals(coarse.handledNetwork, 0);
  assertEquals(rulesOf(boundaryOf({ spawn: spawnOf(at("/w")) }), 7).handledNetwork, 3);
});

Deno.test("moduleRules: the files of one call, nothing to execute, nothing to connect to", () => {
  const rules = moduleRules({
    trees: [at("/w/data")],
    files: [at("/w/a.txt")],
    list: [at("/w")],
    writableTrees: [at("/w/out")],
    writableFiles: [at("/w/b.txt")],
  }, 7);
  assertEquals(rightsOn(rules, "/w/data"), ["READ_FILE", "READ_DIR"]);
  assertEquals(rightsOn(rules, "/w/a.txt"), ["READ_FILE"]);
  assertEquals(rightsOn(rules, "/w"), ["READ_DIR"]);
  assertEquals(rightsOn(rules, "/w/b.txt"), ["WRITE_FILE", "READ_FILE", "TRUNCATE"]);
  assert(rules.paths.every(({ rights }) => (rights & RIGHTS.EXECUTE) === 0));
  assertEquals(rules.paths.map(({ file = false }) => file), [false, true, false, false, true]);
  assertEquals([rules.ports, rules.handledNetwork, rules.scoped], [[], 3, 3]);
});
