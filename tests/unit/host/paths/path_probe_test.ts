import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import type { CanonicalPath } from "../../../../src/core/capability.ts";
import { ToolError } from "../../../../src/core/errors.ts";
import { resolvePath } from "../../../../src/host/paths/canonicalize.ts";
import {
  createKernelProbe,
  type PathProbe,
  RUNTIME_PROBE,
} from "../../../../src/host/paths/path_probe.ts";
import { openLibc } from "../../../../src/sandbox/kernel/libc.ts";

/** Paths below a folder, and whether each says by its words alone where it leads. Links are laid out below. */
const PATHS: readonly (readonly [string, boolean])[] = [
  ["folder", true],
  ["folder/file", true],
  ["folder/gone", true],
  ["folder/gone/further", true],
  ["gone", true],
  // What goes on behind a file is looked at part by part.
  ["folder/file/further", false],
  ["to-folder", false],
  ["to-folder/file", false],
  ["to-folder/gone", false],
  ["folder/to-file", false],
  ["dangling", false],
  ["dangling/further", false],
  ["loop", false],
  ["loop/further", false],
];

/** Words that are no names: asked for part by part, whoever is asked. */
const ODD = ["folder/../folder/file", "to-folder/..", "folder/./file", "folder//file", "folder/"];

async function withLinks(body: (root: CanonicalPath) => void): Promise<void> {
  const root = Deno.realPathSync(await Deno.makeTempDir({ prefix: "toolgate-probe-" }));
  try {
    Deno.mkdirSync(join(root, "folder"));
    Deno.writeTextFileSync(join(root, "folder/file"), "");
    Deno.symlinkSync("folder", join(root, "to-folder"));
    Deno.symlinkSync("file", join(root, "folder/to-file"));
    Deno.symlinkSync(join(root, "gone"), join(root, "dangling"));
    Deno.symlinkSync("loop", join(root, "loop"));
    body(root as CanonicalPath);
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

// Opened once, for all tests of this file.
const libc = openLibc();
/** Who is asked, and whether it knows what is not there. */
const PROBES: readonly (readonly [string, PathProbe, boolean])[] = [
  ["the runtime", RUNTIME_PROBE, false],
  ...(libc === null ? [] : [["the kernel", createKernelProbe(libc), true] as const]),
];

Deno.test("a path is straight where no link is on its way nor at its end, and never where one is", async () => {
  await withLinks((root) => {
    for (const [who, probe, knowsMissing] of PROBES) {
      for (const [path, straight] of PATHS) {
        const expected = straight && (knowsMissing || !path.includes("gone"));
        assertEquals(probe.isStraight(join(root, path)), expected, `${who}: ${path}`);
      }
    }
  });
});

Deno.test("a path leads to the same place whether it is asked for whole first or part by part", async () => {
  await withLinks((root) => {
    for (const [who, probe] of PROBES) {
      for (const base of ["/" as CanonicalPath, root]) {
        for (const path of [...PATHS.map(([path]) => path), ...ODD]) {
          const asked: string[] = [];
          const led = (whole: boolean): string => {
            try {
              return resolvePath(
                base,
                `${root}/${path}`,
                probe.entryAt,
                whole ? (text) => (asked.push(text), probe.isStraight(text)) : undefined,
              );
            } catch (error) {
              assert(error instanceof ToolError);
              return error.code;
            }
          };
          assertEquals(led(true), led(false), `${who}: ${path} from ${base}`);
          assertEquals(asked.length, ODD.includes(path) ? 0 : 1, path);
        }
      }
    }
  });
});
