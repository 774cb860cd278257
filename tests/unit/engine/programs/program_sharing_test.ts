import { assert, assertEquals } from "@std/assert";
import type { ProcessWatch } from "../../../../src/engine/programs/process_watch.ts";
import { ProgramSharing } from "../../../../src/engine/programs/program_sharing.ts";

Deno.test("engines of one process number their jobs together, and have one watch", () => {
  const sharing = new ProgramSharing();
  assertEquals([sharing.numbers.next(), sharing.numbers.next()], [1, 2]);
  let opened = 0;
  const open = () => {
    opened++;
    return { close: () => {} } as unknown as ProcessWatch;
  };
  const follower = { isUnderWay: () => false, onExceeded: () => {} };
  const [one, other] = [open, open].map((how) => sharing.watching(how).join({ ...follower }));
  assertEquals([one === null, other === null, opened], [false, false, 1]);
});

Deno.test("temporary folders lie in the first, which goes with the last that is used", () => {
  const isThere = (path: string): boolean => {
    try {
      return Deno.statSync(path).isDirectory;
    } catch {
      return false;
    }
  };
  const sharing = new ProgramSharing();
  const folders = [1, 2, 3].map(() => sharing.takeTemporary() ?? "");
  const [first = "", second = "", third = ""] = folders;
  assertEquals(sharing.root, first);
  assert([second, third].every((path) => path.startsWith(`${first}/`)));
  sharing.leaveTemporary(second);
  assertEquals(folders.map(isThere), [true, false, true]);
  sharing.leaveTemporary(first);
  assertEquals(folders.map(isThere), [true, false, true]);
  sharing.leaveTemporary(third);
  assertEquals([folders.map(isThere), sharing.root], [[false, false, false], null]);
  // Another begins anew.
  const next = sharing.takeTemporary() ?? "";
  assertEquals([isThere(next), next === first], [true, false]);
  sharing.leaveTemporary(next);
});
