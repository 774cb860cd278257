import { assertEquals } from "@std/assert";
import type { CanonicalPath } from "../../../src/core/capability.ts";
import { permissionSetOf } from "../../../src/sandbox/permission_set.ts";
import { boundaryOf, spawnOf } from "./_run_held.ts";

const at = (path: string): CanonicalPath => path as CanonicalPath;
const never = (): boolean => false;

Deno.test("permissionSetOf names what the boundary names and denies every other kind", () => {
  const nothing = {
    read: false,
    write: false,
    run: false,
    net: false,
    ffi: true,
    env: false,
    sys: false,
    import: false,
  } as const;
  const spawn = spawnOf(at("/w"));
  const cases = [
    [{}, nothing],
    [{ read: [at("/w"), at("/w")] }, { ...nothing, read: ["/w"] }],
    [{ read: [at("/r")], write: [at("/w")] }, {
      ...nothing,
      read: ["/r", "/w"],
      write: ["/w"],
    }],
    [{ connect: ["a.example:443"] }, { ...nothing, net: ["a.example:443"] }],
    [{ spawn }, { ...nothing, run: true }],
    [{ spawn: { ...spawn, programs: ["/bin/ls"] } }, { ...nothing, run: ["/bin/ls"] }],
    [{ spawn: { ...spawn, programs: [] } }, nothing],
  ] as const;
  for (const [parts, expected] of cases) {
    assertEquals(permissionSetOf(boundaryOf(parts), never) as unknown, expected);
  }
});

Deno.test("permissionSetOf inherits a kind whose paths the ceiling denies in part", () => {
  const set = permissionSetOf(
    boundaryOf({ read: [at("/r")], write: [at("/w")] }),
    (kind, path) => kind === "write" && path === "/w",
  );
  assertEquals(set.read, ["/r", "/w"]);
  assertEquals(set.write, "inherit");
});

Deno.test("permissionSetOf inherits networks where the ceiling is one: the runtime compares no network with itself", () => {
  const net = (place: string, all: boolean) =>
    permissionSetOf(boundaryOf({ connect: [place] }), never, () => all).net;
  assertEquals(net("1.0.0.0/8:443", true), ["1.0.0.0/8:443"]);
  assertEquals(net("1.0.0.0/8:443", false), "inherit");
  assertEquals(net("10.0.0.1:443", false), ["10.0.0.1:443"]);
});
