/** A process that changes files over and over until it is killed, or for as many rounds as it is told. */

import type { CanonicalPath } from "../../../../src/core/capability.ts";
import { ToolError } from "../../../../src/core/errors.ts";
import { sha256 } from "../../../../src/core/sha256.ts";
import type { Change, FileBackend } from "../../../../src/host/files/file_backend.ts";
import { createLinuxFiles } from "../../../../src/host/files/linux/files.ts";
import { createPortableFiles } from "../../../../src/host/files/portable/files.ts";
import { openLibc } from "../../../../src/sandbox/kernel/libc.ts";

const [what = "", root = "", name = "", rounds = "Infinity", backend = ""] = Deno.args;
const libc = openLibc();
if (libc === null) throw new Error("no C library");
const files: FileBackend = backend === "the runtime"
  ? createPortableFiles()
  : createLinuxFiles(libc);

const LONG = { checkpoint: () => {} };
const at = (path: string) => ({ path: `${root}/${path}` as CanonicalPath, shown: path });
const tree = (path: string) => ({ ...at(path), require: () => {}, admit: () => null });
const bytes = (words: string) => new TextEncoder().encode(words);
const keeping = { ...LONG, keep: 3, ageMs: null, now: Date.now(), require: () => {} };
/** As long as a file that takes several writes; all of one letter. */
const contents = (round: number) => bytes(String.fromCharCode(97 + round % 26).repeat(200_000));

/** Adds one to the number in a file, as an edit does: read, change, write if it is still what was read. */
function increment(): void {
  for (;;) {
    const { bytes: read } = files.read(at("number"), 1_000);
    const next = Number(new TextDecoder().decode(read)) + 1;
    const expect = { sha256: sha256(read) };
    try {
      files.write(at("number"), bytes(String(next)), { createParents: false, expect });
      return;
    } catch (error) {
      if (!(error instanceof ToolError) || error.code !== "STALE_FILE") throw error;
    }
  }
}

const changes: Readonly<Record<string, (round: number) => unknown>> = {
  write: (round) =>
    files.write(at("f"), contents(round), { createParents: false, expect: "anything" }),
  append: (round) =>
    files.append(at("log"), bytes(`${name} ${round}\n`), { createParents: false, ...LONG }),
  increment,
  backUp: () => files.backUp(at("f"), keeping),
  backUpAll: () => files.backUp(at("f"), { ...keeping, keep: null }),
  apply: (round) => {
    const write = (path: string): Change => ({
      kind: "write",
      target: at(path),
      bytes: contents(round),
      createParents: false,
      expect: "anything",
    });
    const [to, from] = round % 2 === 0 ? ["d/x", "d/y"] : ["d/y", "d/x"];
    files.apply([write("f"), write("g"), write(to), { ...removal(from) }], LONG);
  },
  copy: () => {
    files.copy(tree("t"), tree("u"), { ...LONG, overwrite: false });
    files.remove(tree("u"), { ...LONG, recursive: true });
  },
  move: (round) => {
    const [from, to] = round % 2 === 0 ? ["t", "d/t"] : ["d/t", "t"];
    files.move(tree(from), tree(to), { ...LONG, overwrite: false });
  },
};

function removal(path: string): Change {
  return { kind: "remove", target: at(path), expect: "anything" };
}

const change = changes[what];
if (change === undefined) throw new Error(`no change ${what}`);
console.log("changing");
for (let round = 0; round < Number(rounds); round++) change(round);
