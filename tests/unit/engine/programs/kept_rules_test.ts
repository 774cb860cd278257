import { assert, assertEquals, assertThrows } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import { KeptRules, openSpares } from "../../../../src/engine/programs/kept_rules.ts";
import { close } from "../../../../src/host/kernel/pipes.ts";
import { statOf } from "../../../../src/host/kernel/stat.ts";
import { openRules } from "../../../../src/sandbox/landlock.ts";
import { folderRights, programRules } from "../../../../src/sandbox/program_rules.ts";
import { ABI, LIBC as libc } from "../../sandbox/_libc.ts";

const NOTHING = { read: [], readFiles: [], write: [], list: [], system: [], network: false };

function drawing(): { readonly draw: () => number; readonly count: () => number } {
  let drawn = 0;
  const draw = (): number => {
    drawn++;
    const rules = openRules(libc, programRules({ ...NOTHING, execute: "any" }, ABI));
    assert(typeof rules === "number");
    return rules;
  };
  return { draw, count: () => drawn };
}

Deno.test({
  name: "rules are kept for their kind, until something was made under them",
  ignore: ABI === 0,
  fn() {
    const folder = Deno.makeTempDirSync();
    const kept = new KeptRules(libc);
    const { draw, count } = drawing();
    const kind = (key: string) => ({ key, folder: null, spareIn: folder });
    try {
      const [one, again] = [kept.of(kind("a"), draw), kept.of(kind("a"), draw)];
      assertEquals([count(), one === again, one.spares === null], [1, true, false]);
      assertEquals(kept.of({ ...kind("b"), spareIn: null }, draw).spares, null);
      const { spares } = kept.of(kind("a"), draw);
      assert(spares === one.spares, "nobody had them, and nothing was taken from them");
      spares?.hold();
      const beside = kept.of(kind("c"), draw).spares;
      assert(beside !== spares, "whoever has them may still run");
      assertEquals(beside?.free.length, spares?.free.length);
      spares?.release();
      assertEquals(spares?.take(), null, "the last who held them closed them");
    } finally {
      kept.close();
      Deno.removeSync(folder, { recursive: true });
    }
  },
});

Deno.test({
  name: "files that were made ahead are those of the first rules of their folder",
  ignore: ABI === 0,
  fn() {
    const folder = Deno.makeTempDirSync();
    const kept = new KeptRules(libc);
    const descriptors = () => [...Deno.readDirSync("/proc/self/fd")].length;
    try {
      const before = descriptors();
      kept.prepare(folder);
      const ahead = descriptors() - before;
      assert(ahead > 1);
      const { spares } = kept.of({ key: "a", folder: null, spareIn: folder }, drawing().draw);
      assertEquals(spares?.free.length, ahead);
      // Beside them one of rules.
      assertEquals(descriptors() - before, ahead + 1);
    } finally {
      kept.close();
      Deno.removeSync(folder, { recursive: true });
    }
  },
});

Deno.test({
  name:
    "files that were made before there was anything to draw are those of their folder, and closed where none are wanted",
  ignore: ABI === 0,
  fn() {
    const folder = Deno.realPathSync(Deno.makeTempDirSync());
    const other = Deno.realPathSync(Deno.makeTempDirSync());
    const descriptors = () => [...Deno.readDirSync("/proc/self/fd")].length;
    const before = descriptors();
    try {
      Deno.symlinkSync(other, `${folder}/link`);
      assertEquals(openSpares(libc, `${folder}/link`), null, "a link leads elsewhere");
      for (const [spareIn, isTheirs] of [[folder, true], [other, false]] as const) {
        const made = openSpares(libc, folder);
        const kept = new KeptRules(libc, made);
        kept.prepare(spareIn);
        const { spares } = kept.of({ key: "a", folder: null, spareIn }, drawing().draw);
        assertEquals([spares === made?.files, spares?.free.length], [isTheirs, 64]);
        kept.close();
        assertEquals(descriptors(), before);
      }
      const unwanted = new KeptRules(libc, openSpares(libc, folder));
      assert(descriptors() > before);
      unwanted.prepare(null);
      assertEquals(descriptors(), before);
      unwanted.close();
    } finally {
      for (const path of [folder, other]) Deno.removeSync(path, { recursive: true });
    }
  },
});

Deno.test({
  name: "rules under which something was made are nobody else's, nor are the files that were left",
  ignore: ABI === 0,
  fn() {
    const folder = Deno.makeTempDirSync();
    const kept = new KeptRules(libc);
    const { draw, count } = drawing();
    const kind = (key: string) => ({ key, folder: null, spareIn: folder });
    try {
      const { spares } = kept.of(kind("a"), draw);
      const taken = spares?.take();
      assert(spares !== null && typeof taken === "number");
      const stat = statOf(libc, taken);
      assert(typeof stat !== "number");
      spares.became(stat);
      close(libc, taken);
      const others = kept.of(kind("a"), draw).spares;
      assert(others !== spares, "nobody else executes what one has made");
      assertEquals(count(), 2);
      const lost = others?.take();
      assert(typeof lost === "number");
      close(libc, lost);
      assert(kept.of(kind("b"), draw).spares !== others, "one of them may have become something");
    } finally {
      kept.close();
      Deno.removeSync(folder, { recursive: true });
    }
  },
});

Deno.test({
  name: "the next run's folder comes to the rules of one whose folder is gone, and to no others",
  ignore: ABI === 0,
  fn() {
    const root = Deno.realPathSync(Deno.makeTempDirSync());
    const kept = new KeptRules(libc);
    const { draw, count } = drawing();
    const made = (name: string): string => {
      Deno.mkdirSync(`${root}/${name}`);
      return `${root}/${name}`;
    };
    const rulesFor = (path: string, key = "a"): number =>
      kept.of({ key, folder: { path, rights: folderRights(true, ABI) }, spareIn: null }, draw)
        .rules;
    try {
      const [one, two] = [made("one"), made("two")];
      const first = rulesFor(one);
      assertEquals([rulesFor(one), count()], [first, 1]);
      const second = rulesFor(two);
      assert(second !== first, "the other run is not over");
      assertEquals([rulesFor(one), rulesFor(two), count()], [first, second, 2]);
      // By a link, or under another name, it is there.
      Deno.renameSync(one, `${root}/moved`);
      Deno.symlinkSync(two, one);
      const third = rulesFor(made("three"));
      assertEquals([third === first, third === second, count()], [false, false, 3]);
      Deno.removeSync(one);
      Deno.removeSync(`${root}/moved`);
      assertEquals([rulesFor(made("four")), count()], [first, 3]);
      // Under the name of one that is gone lies another folder.
      Deno.removeSync(`${root}/four`);
      assertEquals([rulesFor(made("four")), count()], [first, 3]);
      assertEquals(rulesFor(`${root}/four`, "b") === first, false);
      // What was added stays in the kernel's rules: they are drawn anew now and then.
      for (let run = 0; run < 200; run++) {
        Deno.removeSync(`${root}/four`);
        rulesFor(made("four"));
      }
      assert(count() > 5 && count() < 12, `${count()}`);
      assertThrows(() => rulesFor(`${root}/nowhere`), ToolError);
    } finally {
      kept.close();
      Deno.removeSync(root, { recursive: true });
    }
  },
});

Deno.test({
  name: "whoever could execute what one makes has ended before the rules are another's",
  ignore: ABI === 0,
  fn() {
    const root = Deno.realPathSync(Deno.makeTempDirSync());
    const kept = new KeptRules(libc);
    const { draw, count } = drawing();
    const run = (name: string) => {
      const path = `${root}/${name}`;
      Deno.mkdirSync(path);
      const folder = { path, rights: folderRights(true, ABI) };
      const drawn = kept.of({ key: "a", folder, spareIn: root }, draw);
      Deno.removeSync(path);
      return drawn;
    };
    try {
      const { rules, spares } = run("one");
      assertEquals([run("two").rules, count()], [rules, 1]);
      spares?.hold();
      const beside = run("three");
      assertEquals([beside.rules === rules, beside.spares === spares, count()], [false, false, 2]);
      spares?.release();
      assertEquals([run("four").rules, count()], [beside.rules, 2]);
    } finally {
      kept.close();
      Deno.removeSync(root, { recursive: true });
    }
  },
});
