/** The lists of a tree that changes between listings, and while it is listed, held with judging every entry. */

import { assert, assertEquals } from "@std/assert";
import type { CanonicalPath } from "../../../../src/core/capability.ts";
import type { Policy } from "../../../../src/policy/model.ts";
import { Random } from "../../../random.ts";
import { pathRule } from "../../policy/_fixtures.ts";
import { rulebookOf } from "../_rulebook.ts";
import { withDirectory } from "../files/_temporary.ts";
import { listByJudgingAll, sortedLists, sourceOf } from "./_paths.ts";

const ALLOW_ALL = pathRule("allow", ["**"]);
/** Names that rules know, names that come close, and names that no rule may trip over. */
const NAMES = [
  "a",
  "b",
  "c.pem",
  "C.PEM",
  ".env",
  ".envrc",
  ".env.local",
  ".env.example",
  ".git",
  "x.exe",
  "X.EXE",
  "my secret.txt",
  "secret",
  "größe.pem",
  "日本",
  "line\nbreak",
  "\n.env",
  "ſ.exe",
  "K.key",
  "-rf",
  "a b",
];
const GLOBS = [
  "**/.env",
  "**/.env.{[!es]*,e,ex,e[!x]*}",
  ".git/**",
  "**/.git/**",
  "**/*.pem",
  "**/*secret*",
  "**/?",
  "**/日*",
  "**/[ab]/**",
  "a/**",
  "a/b/**",
  "*/a",
  "b/.env",
  "x.exe",
  "**/line*",
];

function randomPolicy(random: Random): Partial<Policy> {
  const access = () => random.pick([["read"], ["write"], ["read", "write"]] as const);
  return {
    paths: [
      random.once(4) ? pathRule("allow", [random.pick(GLOBS)]) : ALLOW_ALL,
      ...Array.from(
        { length: random.below(4) },
        () => pathRule(random.once(4) ? "ask" : "deny", [random.pick(GLOBS)], access()),
      ),
      ...random.once(3) ? [pathRule("allow", [random.pick(GLOBS)], access())] : [],
    ],
    extensions: {
      read: random.once(8) ? { allow: [".pem", ".exe"], deny: [] } : null,
      write: random.once(3) ? { allow: null, deny: [".exe", ".key"] } : null,
    },
  };
}

/** A change somewhere in a tree: what cannot be done is left. */
function change(root: string, directories: string[], random: Random): void {
  const at = `${random.pick(directories)}/${random.pick(NAMES)}`;
  const to = `${random.pick(directories)}/${random.pick(NAMES)}`;
  try {
    switch (random.below(8)) {
      case 0:
      case 1:
      case 2:
        Deno.writeTextFileSync(at, "", { createNew: true });
        break;
      case 3:
      case 4:
        Deno.mkdirSync(at);
        directories.push(at);
        break;
      case 5:
        Deno.renameSync(at, to);
        if (Deno.lstatSync(to).isDirectory) directories.push(to);
        break;
      case 6:
        if (at !== root) Deno.removeSync(at, { recursive: true });
        break;
      default:
        if (random.once(2)) Deno.symlinkSync(to, at);
        else Deno.linkSync(to, at);
    }
  } catch {
    // Taken, gone, in itself, or no directory any more.
  }
}

for (const mode of ["watched", "by times"] as const) {
  Deno.test(`listings of generated trees that change are those of judging every entry, ${mode}`, async () => {
    await withDirectory((parent) => {
      const random = new Random(mode === "watched" ? 1_901 : 1_902);
      const counts = { rules: 0, parted: 0 };
      for (let tree = 0; tree < 60; tree++) {
        const root = `${parent}/t${tree}` as CanonicalPath;
        Deno.mkdirSync(root);
        const directories: string[] = [root];
        for (let made = 0; made < 40; made++) change(root, directories, random);
        const rulebook = rulebookOf(root, randomPolicy(random));
        const source = sourceOf(rulebook);
        for (let round = 0; round < 8; round++) {
          const found = source.list();
          const wanted = sortedLists(listByJudgingAll(rulebook));
          assertEquals(sortedLists(found), wanted, `tree ${tree}, round ${round}`);
          assertEquals(found.refused, []);
          counts.rules += found.read.length;
          counts.parted += found.list.length;
          if (round === 1 && mode === "by times") source.close();
          const changes = random.below(6);
          for (let made = 0; made < changes; made++) change(root, directories, random);
        }
        source.close();
      }
      assert(counts.rules > 500 && counts.parted > 200, JSON.stringify(counts));
    });
  });
}

/** Moves names around, until it is told that it was watched: files, denied names, folders into folders. */
const CHURN = `cd "$1" || exit 1
i=0
while [ $i -lt 150 ] || [ ! -e "$2" ]; do
  i=$((i + 1))
  mkdir -p n$((i % 7))/m/o
  : > n$((i % 7))/m/o/.env
  : > n$((i % 5))/plain$i
  mv n$((i % 7))/m n$((i % 3))/moved$((i % 4)) 2>/dev/null
  mv n$((i % 5))/plain$i n$((i % 5))/.env 2>/dev/null
  rm -rf n$((i % 2))/moved$((i % 4)) n6
  rm -f n$((i % 5))/.env
  mkdir -p deep/$i/a/b && : > deep/$i/a/b/.env && rm -f deep/$((i - 3))/a/b/.env
done
:`;

Deno.test("a tree that changes while it is listed is then listed as a fresh one", async () => {
  await withDirectory(async (parent) => {
    const [root, enough] = [`${parent}/tree` as CanonicalPath, `${parent}/enough`];
    Deno.mkdirSync(root);
    for (const name of ["n0", "n1", "n2", "n3", "n4", "deep", "deep/0"]) {
      Deno.mkdirSync(`${root}/${name}`);
    }
    const rulebook = rulebookOf(root, { paths: [ALLOW_ALL, pathRule("deny", ["**/.env"])] });
    const source = sourceOf(rulebook);
    source.list();
    source.list();
    const churn = new Deno.Command("sh", {
      args: ["-c", CHURN, "churn", root, enough],
      stderr: "null",
    }).spawn();
    let ended = false;
    const end = churn.status.then(({ success }) => {
      ended = true;
      return success;
    });
    let during = 0;
    while (!ended) {
      const { read } = source.list();
      for (const path of read) assert(!path.endsWith("/.env"), path);
      if (++during === 4) Deno.writeTextFileSync(enough, "");
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    assert(await end);
    assert(during > 3);
    const found = source.list();
    assertEquals(sortedLists(found), sortedLists(listByJudgingAll(rulebook)));
    assertEquals(found.refused, []);
    assert(found.list.length > 3);
    source.close();
  });
});
