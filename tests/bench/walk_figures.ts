/** Drawing the kernel's rules for programs of a tree beside `find` through the same tree, in the same run. */

import type { CanonicalPath } from "../../src/core/capability.ts";
import { createLandlockPaths } from "../../src/host/scan/landlock_paths.ts";
import { alternate } from "../../scripts/_bench_figures.ts";
import { pathRule } from "../unit/policy/_fixtures.ts";
import { rulebookOf } from "../unit/host/_rulebook.ts";
import { openLibc } from "../../src/sandbox/kernel/libc.ts";
import type { SearchFigure } from "./search_figures.ts";

const FILES = 20_000;
const FILES_IN_FOLDER = 12;
const ROUNDS = 15;

/** Each source lists once, as a single call does: nothing is remembered from round to round. */
export async function walkFigures(): Promise<readonly SearchFigure[]> {
  const root = Deno.realPathSync(await Deno.makeTempDir({ prefix: "toolgate-bench-" }));
  try {
    writeFolders(root);
    const rulebook = rulebookOf(root as CanonicalPath, {
      paths: [
        pathRule("allow", ["**"]),
        pathRule("deny", ["**/.git/**"], ["write"]),
        pathRule("deny", ["**/.env", "**/.env.*.*", "**/*.{pem,key,p12}", "**/id_{rsa,ed25519}*"]),
      ],
    });
    const libc = openLibc();
    const list = () => {
      createLandlockPaths(rulebook, undefined, { roots: null, libc }).list();
    };
    const find = () => {
      const { success } = new Deno.Command("find", { args: [root], stdout: "null" }).outputSync();
      if (!success) throw new Error("find failed");
    };
    return [{
      figure: "rules of the kernel for 20,000 files : find",
      unit: "ms",
      pair: alternate(() => timed(list), () => timed(find), ROUNDS),
      target: 2,
      at: "most",
    }];
  } finally {
    await Deno.remove(root, { recursive: true });
  }
}

function timed(action: () => void): number {
  const started = performance.now();
  action();
  return performance.now() - started;
}

/** Folders of twelve files each, seven below each other at the most. */
function writeFolders(root: string): void {
  const folders = [root];
  for (let made = 0; made < FILES; made += FILES_IN_FOLDER) {
    const above = folders[Math.floor((folders.length - 1) / 4)]!;
    const folder = `${above}/part${folders.length}`;
    Deno.mkdirSync(folder);
    folders.push(folder);
    for (let file = 0; file < FILES_IN_FOLDER; file++) {
      Deno.writeTextFileSync(`${folder}/module_${file}.ts`, "");
    }
  }
  Deno.writeTextFileSync(`${root}/.env`, "");
}
