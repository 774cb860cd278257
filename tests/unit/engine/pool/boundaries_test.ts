import { assertEquals } from "@std/assert";
import type { CanonicalPath } from "../../../../src/core/capability.ts";
import { createBoundaries } from "../../../../src/engine/pool/boundaries.ts";
import type { ProgramSupport } from "../../../../src/engine/programs/program_support.ts";
import type { Job } from "../../../../src/engine/runner.ts";
import { rulesOf } from "../../../../src/sandbox/landlock_rules.ts";
import { permissionSetOf } from "../../../../src/sandbox/permission_set.ts";
import { rulebookOf } from "../../host/_rulebook.ts";
import { withDirectory } from "../../host/files/_temporary.ts";

function never(): never {
  throw new Error("no program is started here");
}

Deno.test("what may be written and is not there: the runtime names it, the kernel the folder it begins in", async () => {
  await withDirectory((root) => {
    Deno.mkdirSync(`${root}/gen`);
    Deno.writeTextFileSync(`${root}/file.txt`, "");
    const rulebook = rulebookOf(root, {
      paths: [{
        effect: "allow",
        access: ["write"],
        match: ["gen/**", "sub/out/**", "file.txt"],
      }],
    });
    const boundaries = createBoundaries(rulebook, never);
    const { boundary, state } = boundaries.ofLane("write");
    assertEquals(permissionSetOf(boundary).write, [
      `${root}/file.txt`,
      `${root}/gen`,
      `${root}/sub/out`,
    ]);
    const paths = (of: typeof boundary) => rulesOf(of, 7).paths.map(({ path }) => path).toSorted();
    assertEquals(paths(boundary), [root, `${root}/gen`] as CanonicalPath[]);

    // Once it is there the thread is made anew, with less.
    Deno.removeSync(`${root}/file.txt`);
    Deno.mkdirSync(`${root}/sub/out`, { recursive: true });
    Deno.mkdirSync(`${root}/file.txt`);
    const later = boundaries.ofLane("write");
    assertEquals(later.state === state, false);
    assertEquals(paths(later.boundary), [`${root}/file.txt`, `${root}/gen`, `${root}/sub/out`]);
  });
});

Deno.test("a thread of many calls may start what a call was granted by another name, and keep temporary files", async () => {
  await withDirectory((root) => {
    const rulebook = rulebookOf(root, { paths: [] });
    const temporary = "/elsewhere/temporary" as CanonicalPath;
    const spawn = {
      programs: ["/usr/bin/cat"],
      system: [],
      read: [],
      write: [`${root}/made/later` as CanonicalPath, temporary],
      temporary,
      list: [],
      network: false,
    };
    const support = { ofThread: () => ({ spawn, state: "listed" }) } as unknown as ProgramSupport;
    const boundaries = createBoundaries(rulebook, () => support);
    const drawn = (start: string) => {
      const program = { path: root, start, names: [start] };
      const grant = { spawn: [{ argv: [start], program, cwd: root }] };
      const { boundary, state } = boundaries.ofLane("spawn", { grant } as unknown as Job);
      return { run: permissionSetOf(boundary).run, write: permissionSetOf(boundary).write, state };
    };
    const usual = drawn("/usr/bin/cat");
    assertEquals(usual.run, ["/usr/bin/cat"]);
    assertEquals(usual.write, ["/elsewhere/temporary"]);
    const other = drawn(`${root}/.venv/bin/cat`);
    assertEquals(other.run, ["/usr/bin/cat", `${root}/.venv/bin/cat`]);
    // The thread is made anew for it, and not again for every other call.
    assertEquals(other.state === usual.state, false);
    assertEquals(drawn("/usr/bin/cat"), other);
  });
});
