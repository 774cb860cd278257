import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { createLinuxFiles } from "../../../../src/host/files/linux/files.ts";
import { isTemporary } from "../../../../src/host/files/_temporary_names.ts";
import { Random } from "../../../random.ts";
import { LIBC } from "../../sandbox/_libc.ts";
import { ALONE, at, bytes, names, paint, picture } from "./_backends.ts";
import { withDirectory } from "./_temporary.ts";

/** How often each backend is killed. */
const KILLS: Readonly<Record<string, number>> = { descriptors: 8, "the runtime": 4 };
const LONGEST_LIFE_MS = 40;
const SIZE = 200_000;
const FULL = "z".repeat(SIZE);

/** Whether a text is what one round wrote, whole. */
const isWhole = (text: string | undefined): boolean =>
  text !== undefined && text === (text[0] ?? "").repeat(SIZE);

interface Case {
  readonly before: readonly string[];
  /** What may be there after the death: paths and contents of all that is not temporary. */
  readonly check: (files: ReadonlyMap<string, string>) => void;
}

const TREE = [
  "t/",
  "t/a = a",
  "t/b/",
  ...[...Array(30).keys()].map((n) => `t/b/${n} = ${n}`),
  "t/l -> a",
];
const inTree = (files: ReadonlyMap<string, string>, name: string): number =>
  [...files.keys()].filter((path) => path === name || path.startsWith(`${name}/`)).length;

const cases: Readonly<Record<string, Case>> = {
  write: {
    before: [`f = ${FULL}`],
    check: (files) => assert(isWhole(files.get("f"))),
  },
  append: {
    before: ["log = "],
    check(files) {
      const lines = (files.get("log") ?? "").split("\n");
      assertEquals(lines, [...lines.slice(0, -1).map((_, round) => `it ${round}`), ""]);
    },
  },
  backUp: {
    before: [`f = ${FULL}`],
    check(files) {
      for (const text of files.values()) assert(isWhole(text));
      // Three are kept; a fourth is made before the first goes.
      assert(files.size >= 1 && files.size <= 5, [...files.keys()].join());
    },
  },
  apply: {
    before: ["d/", `d/y = ${FULL}`, `f = ${FULL}`, `g = ${FULL}`],
    check(files) {
      for (const path of ["f", "g"]) assert(isWhole(files.get(path)), path);
      assert(isWhole(files.get("d/x")) || isWhole(files.get("d/y")));
      for (const [path, text] of files) assert(path === "d" || isWhole(text), path);
    },
  },
  copy: {
    before: TREE,
    check(files) {
      assertEquals(inTree(files, "t"), TREE.length);
      // Whole, on its way out, or not there; never there without its last entry on its way in.
      if (files.has("u/a")) assertEquals(files.get("u/a"), "a");
    },
  },
  move: {
    before: ["d/", ...TREE],
    check(files) {
      assertEquals([inTree(files, "t"), inTree(files, "d/t")].sort((a, b) => a - b), [
        0,
        TREE.length,
      ]);
    },
  },
};

/** Starts the changes, and kills who makes them at some moment. */
async function killSome(
  what: string,
  root: string,
  life: number,
  backend: string,
): Promise<void> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--quiet",
      "-A",
      "--no-lock",
      "--no-check",
      "--cached-only",
      fromFileUrl(import.meta.resolve("./_changer.ts")),
      what,
      root,
      "it",
      "Infinity",
      backend,
    ],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const output = child.stdout.getReader();
  await output.read();
  await new Promise((resolve) => setTimeout(resolve, life));
  child.kill("SIGKILL");
  await output.cancel();
  const { signal } = await child.status;
  assertEquals(signal, "SIGKILL", "it failed before it was killed");
}

function filesOf(root: string): ReadonlyMap<string, string> {
  return new Map(
    picture(root).map((entry): [string, string] => {
      const [path = "", text = ""] = entry.split(/ = | -> /, 2);
      return [path.replace(/\/$/, ""), text];
    }).filter(([path]) => !path.split("/").some(isTemporary)),
  );
}

for (const [backend, kills] of Object.entries(KILLS)) {
  for (const [what, { before, check }] of Object.entries(cases)) {
    Deno.test(`${what}: killed ${kills} times over ${backend}, it has left old or new, and the next write clears the rest`, async () => {
      const random = new Random(what.length);
      for (let kill = 0; kill < kills; kill++) {
        await withDirectory(async (root) => {
          paint(root, before);
          await killSome(what, root, random.below(LONGEST_LIFE_MS), backend);
          const left = filesOf(root);
          check(left);
          for (const directory of [root, ...before.includes("d/") ? [`${root}/d`] : []]) {
            createLinuxFiles(LIBC).write(at(`${directory}/after`), bytes("x"), ALONE);
            Deno.removeSync(`${directory}/after`);
            assertEquals(names(directory).filter(isTemporary), []);
          }
          assertEquals(filesOf(root), left);
        });
      }
    });
  }
}
