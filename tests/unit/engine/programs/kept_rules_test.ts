import { assert, assertEquals } from "@std/assert";
import { KeptRules } from "../../../../src/engine/programs/_kept_rules.ts";
import { close } from "../../../../src/host/kernel/pipes.ts";
import { statOf } from "../../../../src/host/kernel/stat.ts";
import { openRules } from "../../../../src/sandbox/landlock.ts";
import { programRules } from "../../../../src/sandbox/program_rules.ts";
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
    try {
      const [one, again] = [kept.of("a", folder, draw), kept.of("a", folder, draw)];
      assertEquals([count(), one === again, one.spares === null], [1, true, false]);
      assertEquals(kept.of("b", null, draw).spares, null);
      const { spares } = kept.of("a", folder, draw);
      assert(spares === one.spares, "nobody had them, and nothing was taken from them");
      spares?.hold();
      const beside = kept.of("c", folder, draw).spares;
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
  name: "rules under which something was made are nobody else's, nor are the files that were left",
  ignore: ABI === 0,
  fn() {
    const folder = Deno.makeTempDirSync();
    const kept = new KeptRules(libc);
    const { draw, count } = drawing();
    try {
      const { spares } = kept.of("a", folder, draw);
      const taken = spares?.take();
      assert(spares !== null && typeof taken === "number");
      const stat = statOf(libc, taken);
      assert(typeof stat !== "number");
      spares.became(stat);
      close(libc, taken);
      const others = kept.of("a", folder, draw).spares;
      assert(others !== spares, "nobody else executes what one has made");
      assertEquals(count(), 2);
      const lost = others?.take();
      assert(typeof lost === "number");
      close(libc, lost);
      assert(kept.of("b", folder, draw).spares !== others, "one of them may have become something");
    } finally {
      kept.close();
      Deno.removeSync(folder, { recursive: true });
    }
  },
});
