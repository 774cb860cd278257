/** Scans that a second thread helps: they come to the same as without it, whatever becomes of the helper. */

import { assert, assertEquals, assertThrows } from "@std/assert";
import { fromFileUrl } from "@std/path";
import type { CanonicalPath } from "../../../../src/core/capability.ts";
import { ToolError } from "../../../../src/core/errors.ts";
import { createFiles } from "../../../../src/host/files/files.ts";
import { createLinuxFiles } from "../../../../src/host/files/linux/files.ts";
import { createScanMemory, ScanGiver, ScanTaker } from "../../../../src/host/scan/scan_sharing.ts";
import type { Policy } from "../../../../src/policy/model.ts";
import { pathRule } from "../../policy/_fixtures.ts";
import { inTime } from "../../../in_time.ts";
import { Random } from "../../../random.ts";
import type { Helping, Way } from "./_helper.ts";
import { grantOf, rulebookOf } from "../_rulebook.ts";
import { createRoom, EVERYTHING, quick, scanOf, write } from "./_scan.ts";
import { withDirectory } from "../files/_temporary.ts";

const TICKET = 7;
const SLEEP = new Int32Array(new SharedArrayBuffer(4));

function sleep(ms: number): void {
  Atomics.wait(SLEEP, 0, 0, ms);
}

function filesOf(root: CanonicalPath, scanShare: ScanGiver | ScanTaker, options: {
  readonly policy?: Partial<Policy>;
  readonly checkpoint?: () => void;
} = {}) {
  const { policy = { paths: [pathRule("allow", ["**"])] }, checkpoint = () => {} } = options;
  const grant = grantOf(root, { read: [{ requested: ".", path: root, tree: true }] });
  const rulebook = rulebookOf(root, policy);
  return createFiles(grant, rulebook, createLinuxFiles(quick), checkpoint, { scanShare });
}

/** Files and directories that stand between one another in the order of paths. */
function plant(root: string): void {
  const random = new Random(3);
  const files: Record<string, string> = {};
  for (let index = 0; index < 400; index++) {
    const directory = Array.from({ length: random.below(4) }, () => random.pick(["b", "d", "ü"]));
    const path = [...directory, `${random.pick(["a", "c", "e"])}${index}`].join("/");
    files[path] = random.once(20) ? "x".repeat(2000) : `${index}`;
  }
  write(root, files);
}

interface Shared {
  readonly found: readonly string[];
  /** Runs that the helper answered. */
  readonly taken: number;
  readonly calls: number;
}

/** `visit` is called before each file that the scan looks at by itself. */
async function scanShared(
  root: CanonicalPath,
  way: Way,
  visit: (path: string) => void,
): Promise<Shared> {
  const memory = createScanMemory();
  let calls = 0;
  const front = new ScanGiver(memory, TICKET, () => calls++);
  const worker = new Worker(import.meta.resolve("./_helper.ts"), { type: "module" });
  const helping: Helping = { memory, ticket: TICKET, root, way };
  worker.postMessage(helping);
  while (!front.ready) await new Promise((resolve) => setTimeout(resolve, 5));
  try {
    const parts: { place: number; found: string[] }[] = [];
    const room = createRoom();
    let taken = 0;
    const shared = {
      wanted: (place: number) => place * 10,
      take(place: number, findings: string) {
        const { wanted, found } = JSON.parse(findings);
        assertEquals(wanted, place * 10);
        taken++;
        parts.push({ place, found });
      },
    };
    const filter = () => EVERYTHING;
    filesOf(root, front).scan(".", { filter, room, limit: 1000, shared }, (file) => {
      visit(file.path);
      const contents = file.length === null
        ? ""
        : `=${new TextDecoder().decode(room.bytes.slice(0, file.length))}`;
      parts.push({ place: file.place, found: [file.path + contents] });
    });
    const found = parts.toSorted((a, b) => a.place - b.place).flatMap((part) => part.found);
    return { found, taken, calls };
  } finally {
    worker.terminate();
  }
}

for (const way of ["helps", "hangs", "throws", "shouts"] as const) {
  Deno.test(`a helper that ${way}: every file is found once, in the order of paths`, async () => {
    await withDirectory(async (root) => {
      plant(root);
      const alone = scanOf(root, createLinuxFiles(quick))();
      // However slow the helper is on a busy machine: who scans is slower then.
      await inTime(1, async (ms) => {
        const { found, taken, calls } = await scanShared(root, way, () => sleep(ms));
        assertEquals(found, alone);
        assert(calls <= 1);
        return taken > (way === "helps" ? 5 : 0) ? true : null;
      });
    });
  });
}

Deno.test("a helper is asked for once, after 256 files", async () => {
  await withDirectory((root) => {
    for (const [count, calls] of [[255, 0], [256, 1], [600, 1]] as const) {
      for (let index = 0; index < count; index++) Deno.writeTextFileSync(`${root}/${index}`, "");
      let called = 0;
      const front = new ScanGiver(createScanMemory(), TICKET, () => called++);
      const shared = { wanted: () => 0, take: () => {} };
      const options = { filter: () => EVERYTHING, room: createRoom(), limit: 10, shared };
      filesOf(root, front).scan(".", options, () => {});
      assertEquals(called, calls);
    }
  });
});

Deno.test("what a visit throws ends the scan, and the help", async () => {
  await withDirectory(async (root) => {
    plant(root);
    let visited = 0;
    const error = await scanShared(root, "helps", () => {
      sleep(1);
      if (++visited === 5) throw new ToolError("CANCELLED", "cancelled");
    }).catch((error) => error);
    assertEquals(error.code, "CANCELLED");
  });
});

Deno.test("files and directories that are swapped for links meanwhile lead neither thread outside", async () => {
  await withDirectory(async (base) => {
    const root = `${base}/in` as CanonicalPath;
    const names = Array.from({ length: 60 }, (_, index) => `f${index}`);
    const inside = names.map((name) => [`in/dir/${name}`, "inside"]);
    const outside = names.map((name) => [`out/${name}`, "sentinel"]);
    write(base, Object.fromEntries([...inside, ...outside, ["out/secret", "sentinel"]]));
    write(base, { "in/file": "inside", "in/other/x": "inside" });
    const flipper = new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "--quiet",
        "-A",
        "--no-config",
        "--no-lock",
        fromFileUrl(import.meta.resolve("../files/_flipper.ts")),
        root,
        `${base}/out`,
      ],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    const output = flipper.stdout.getReader();
    await output.read();
    try {
      let taken = 0;
      for (let round = 0; round < 15 || taken === 0; round++) {
        const shared = await scanShared(root, "helps", () => sleep(0.2));
        taken += shared.taken;
        assert(!shared.found.join().includes("sentinel"), shared.found.join());
        const paths = shared.found.map((found) => found.replace(/=.*/, ""));
        assertEquals(new Set(paths).size, paths.length);
      }
    } finally {
      await flipper.stdin.close();
      await output.cancel();
      await flipper.status;
    }
  });
});

/** What a helper gives for work that is handed to it by hand. */
function answersTo(
  root: CanonicalPath,
  policy: Partial<Policy>,
  work: readonly string[],
): readonly (string | null)[] {
  const memory = createScanMemory();
  const front = new ScanGiver(memory, TICKET, () => {});
  const answers: (string | null)[] = [];
  let offered = 0;
  // The helper's pauses are the turns of the other side.
  const checkpoint = () => {
    for (let answer = front.collect(); answer !== undefined; answer = front.collect()) {
      answers.push(answer);
    }
    const next = work[offered];
    if (next === undefined) return front.close();
    assert(front.offer(next, 1));
    offered++;
  };
  const room = createRoom();
  filesOf(root, new ScanTaker(memory, TICKET), { policy, checkpoint }).help(
    ".",
    { room, limit: 1000 },
    (_wanted, scan) => {
      const found: string[] = [];
      scan(({ path, length }) =>
        found.push(`${path}=${new TextDecoder().decode(room.bytes.slice(0, length ?? 0))}`)
      );
      return found.join();
    },
  );
  return answers;
}

Deno.test("a helper judges every path anew, follows no link, and leaves the tree for nobody", async () => {
  await withDirectory((base) => {
    const root = `${base}/in` as CanonicalPath;
    write(base, {
      "in/a": "1",
      "in/closed/b": "sentinel",
      "in/d/key.pem": "sentinel",
      "in/d/e": "2",
      "out/s": "sentinel",
    });
    Deno.symlinkSync(`${base}/out`, `${root}/link`);
    Deno.symlinkSync(`${base}/out/s`, `${root}/s`);
    const policy = {
      paths: [pathRule("allow", ["**"]), pathRule("deny", ["closed/**", "**/*.pem"])],
    };
    const work: readonly (readonly [string[], string])[] = [
      [[root, "a", "gone"], "a=1,gone="],
      [[`${root}/d`, "e", "key.pem"], "d/e=2"],
      [[`${root}/closed`, "b"], ""],
      [[`${base}/out`, "s"], ""],
      [[`${base}/in2`, "s"], ""],
      [[root, "s"], "s="],
      [[`${root}/link`, "s"], "link/s="],
      [[`${root}/gone`, "x"], "gone/x="],
    ];
    const answers = answersTo(root, policy, work.map(([parts]) => parts.join("\0")));
    assertEquals(answers, work.map(([, expected]) => expected));
  });
});

Deno.test("names that are paths are no work", async () => {
  await withDirectory((base) => {
    const root = `${base}/in` as CanonicalPath;
    write(base, { "in/a": "1", "out/s": "sentinel" });
    const policy = { paths: [pathRule("allow", ["**"])] };
    for (
      const work of [[root, "../out/s"], [root, "/etc/passwd"], [root, ".."], [root, ""], [
        "in",
        "a",
      ], [
        `${root}/../out`,
        "s",
      ], [`${root}/.`, "a"]]
    ) {
      assertThrows(() => answersTo(root, policy, [work.join("\0")]), TypeError, "no run");
    }
  });
});
