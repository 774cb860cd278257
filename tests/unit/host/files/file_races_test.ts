import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import type { CanonicalPath } from "../../../../src/core/capability.ts";
import { ToolError } from "../../../../src/core/errors.ts";
import { canonicalEntry, canonicalize } from "../../../../src/host/paths/canonicalize.ts";
import type { FileBackend, TreeTarget } from "../../../../src/host/files/file_backend.ts";
import { createLinuxFiles } from "../../../../src/host/files/linux/files.ts";
import { createPortableFiles } from "../../../../src/host/files/portable/files.ts";
import { LIBC } from "../../sandbox/_libc.ts";
import {
  bytes,
  KEEPING,
  keeping,
  LONG,
  names,
  OVERWRITING,
  paint,
  picture,
  text,
} from "./_backends.ts";
import { withDirectoryInMemory } from "./_temporary.ts";

/** Longer than all that lies inside. */
const SENTINEL = "sentinel-of-what-lies-outside ".repeat(1_000);
const ROUNDS = 200;

/** Runs `attack` while a program swaps a file and a directory in `w/in` for links that lead to `out`. */
async function whileSwapping(attack: (root: string) => void): Promise<void> {
  await withDirectoryInMemory(async (root) => {
    paint(root, [
      "w/",
      "w/in/",
      "w/in/dir/",
      "w/in/dir/file = inside",
      "w/in/dir/sub/",
      "w/in/dir/sub/file = inside",
      "w/in/file = inside",
      "out/",
      `out/secret = ${SENTINEL}`,
      `out/file = ${SENTINEL}`,
      "out/sub/",
      `out/sub/file = ${SENTINEL}`,
    ]);
    const before = picture(`${root}/out`);
    const flipper = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "--quiet",
        "-A",
        "--no-config",
        "--no-lock",
        fromFileUrl(import.meta.resolve("./_flipper.ts")),
        `${root}/w/in`,
        `${root}/out`,
      ],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    const output = flipper.stdout.getReader();
    await output.read();
    try {
      attack(`${root}/w`);
    } finally {
      await flipper.stdin.close();
      await output.cancel();
      await flipper.status;
    }
    assertEquals(picture(`${root}/out`), before);
    requireInside(`${root}/w`);
  });
}

type Attack = (files: FileBackend, at: (words: string) => TreeTarget, round: number) => void;

const expectation = { createParents: true, expect: "anything" } as const;
const attacks: Readonly<Record<string, Attack>> = {
  append: (files, at) =>
    files.append(at("in/dir/file"), bytes("."), { createParents: true, ...LONG }),
  "append to what is swapped": (files, at) =>
    files.append(at("in/file"), bytes("."), { createParents: true, ...LONG }),
  apply: (files, at, round) =>
    files.apply([
      { kind: "write", target: at("in/dir/file"), bytes: bytes("inside"), ...expectation },
      { kind: "write", target: at("in/file"), bytes: bytes("inside"), ...expectation },
      {
        kind: "write",
        target: at(`in/dir/sub/new${round}`),
        bytes: bytes("inside"),
        ...expectation,
      },
      { kind: "remove", target: at("in/dir/sub/file"), expect: "anything" },
    ], LONG),
  backUp: (files, at) => files.backUp(at("in/dir/file"), keeping({ keep: 2 })),
  "backUp of what is swapped": (files, at) => files.backUp(at("in/file"), keeping({ keep: 2 })),
  restore: (files, at) => {
    const name = files.backUp(at("in/dir/file"), keeping({ keep: 2 }));
    files.restore(at("in/dir/file"), at(`in/dir/${name}`), LONG);
  },
  remove: (files, at, round) => {
    files.write(at(`in/dir/tree/${round}/x`), bytes("x"), expectation);
    files.remove(at(round % 2 === 0 ? "in/dir/tree" : "in/dir/sub"), { ...LONG, recursive: true });
  },
  "remove of what is swapped": (files, at) =>
    files.remove(at("in/dir"), { ...LONG, recursive: true }),
  "remove of a file that is swapped": (files, at) =>
    files.remove(at("in/file"), { ...LONG, recursive: false }),
  copy: (files, at, round) => files.copy(at("in/dir"), at(`in/copy${round}`), KEEPING),
  "copy of a file": (files, at) => files.copy(at("in/file"), at("in/dir/file"), OVERWRITING),
  "copy into what is swapped": (files, at, round) =>
    files.copy(at("in/dir/sub"), at(`in/dir/copy${round}`), KEEPING),
  move: (files, at, round) => {
    files.move(at("in/dir/sub"), at(`in/dir/moved${round}`), KEEPING);
    files.move(at(`in/dir/moved${round}`), at("in/dir/sub"), KEEPING);
  },
  "move of what is swapped": (files, at, round) => {
    files.move(at("in/dir"), at(`in/moved${round}`), KEEPING);
    files.move(at(`in/moved${round}`), at("in/dir"), KEEPING);
  },
  "move over what is swapped": (files, at) =>
    files.move(at("in/dir/file"), at("in/file"), OVERWRITING),
  "copy of what holds it": (files, at, round) => {
    files.copy(at("in"), at(`copy${round}`), KEEPING);
  },
  "remove of what holds it": (files, at) => files.remove(at("in"), { ...LONG, recursive: true }),
  "survey of what holds it": (files, at) => {
    const { bytes } = files.countTree(at("in"), LONG);
    assert(bytes < SENTINEL.length, "counted what lies outside");
  },
  createDirectory: (files, at, round) =>
    files.createDirectory(at(`in/dir/new${round}/below`), { parents: true }),
};

for (const [what, attack] of Object.entries(attacks)) {
  Deno.test(`${what}: ${ROUNDS} rounds against a program that swaps links reach nothing outside`, async () => {
    await whileSwapping((base) => {
      const files = createLinuxFiles(LIBC);
      let done = 0;
      // Where the other program does not get to run, what it left may be a link all the while.
      for (let round = 0; round < ROUNDS || done === 0 && round < 100 * ROUNDS; round++) {
        const at = (words: string): TreeTarget => {
          const path = round % 3 === 0
            ? canonicalEntry(base as CanonicalPath, words)
            : canonicalize(base as CanonicalPath, words);
          // The policy layer's part: what leads outside is not touched.
          if (!path.startsWith(`${base}/`)) {
            throw new ToolError("PATH_OUTSIDE_WORKSPACE", "outside");
          }
          return { path, shown: words, require: () => {}, admit: () => null };
        };
        try {
          attack(files, at, round);
          done++;
        } catch (error) {
          if (!(error instanceof ToolError)) throw error;
        }
        heal(base, files, at, round);
      }
      assert(done > 0);
    });
  });
}

Deno.test("over the runtime, too, what is read while links are swapped is never what lies outside", async () => {
  await whileSwapping((base) => {
    const files = createPortableFiles();
    let read = 0;
    for (let round = 0; round < 20 * ROUNDS || read === 0 && round < 1_000 * ROUNDS; round++) {
      const shown = round % 2 === 0 ? "in/file" : "in/dir/file";
      const target = { path: `${base}/${shown}` as CanonicalPath, shown };
      try {
        const { bytes } = round % 4 < 2 ? files.read(target, 1e6) : files.readStart(target, 100);
        assertEquals(text(bytes), "inside");
        read++;
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
      }
    }
    assert(read > 0);
  });
});

/** Puts back what a round took away, and what keeps the other program from swapping on. */
function heal(
  base: string,
  files: FileBackend,
  at: (words: string) => TreeTarget,
  round: number,
): void {
  const steps: readonly (() => unknown)[] = [
    () => round % 10 === 0 && Deno.removeSync(`${base}/in/dir.away`, { recursive: true }),
    () => files.write(at("in/dir/file"), bytes("inside"), expectation),
    () => files.write(at("in/dir/sub/file"), bytes("inside"), expectation),
    () => files.write(at("in/file"), bytes("inside"), expectation),
    () => Deno.symlinkSync(`${base}/../out/secret`, `${base}/in/file-link`),
    () => Deno.symlinkSync(`${base}/../out`, `${base}/in/dir-link`),
  ];
  for (const step of steps) {
    try {
      step();
    } catch {
      // It is there, or is swapped just now.
    }
  }
}

/** Nothing of the outside was brought in; links may lead there, and were not followed. */
function requireInside(directory: string): void {
  for (const name of names(directory)) {
    const path = `${directory}/${name}`;
    const info = Deno.lstatSync(path);
    if (info.isDirectory) requireInside(path);
    else if (info.isFile) assert(!Deno.readTextFileSync(path).includes(SENTINEL), path);
  }
}
