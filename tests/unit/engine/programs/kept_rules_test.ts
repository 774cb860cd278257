import { assert, assertEquals } from "@std/assert";
import { KeptRules } from "../../../../src/engine/programs/_kept_rules.ts";
import { close } from "../../../../src/host/kernel/pipes.ts";
import { statOf } from "../../../../src/host/kernel/stat.ts";
import { openRules } from "../../../../src/sandbox/landlock.ts";
import { programRules } from "../../../../src/sandbox/program_rules.ts";
import { ABI, LIBC as libc } from "../../sandbox/_libc.ts";

const NOTHING = { read: [], readFiles: [], write: [], list: [], system: [], network: false };

Deno.test({
  name: "rules are kept for their kind, until something was made under them",
  ignore: ABI === 0,
  fn() {
    const folder = Deno.makeTempDirSync();
    const kept = new KeptRules(libc);
    let drawn = 0;
    const draw = (): number => {
      drawn++;
      const rules = openRules(libc, programRules({ ...NOTHING, execute: "any" }, ABI));
      assert(typeof rules === "number");
      return rules;
    };
    try {
      const [one, again] = [kept.of("a", folder, draw), kept.of("a", folder, draw)];
      assertEquals([drawn, one === again, one.spares === null], [1, true, false]);
      assertEquals(kept.of("b", null, draw).spares, null);
      assertEquals(one.spares?.take(), null, "they went with the rules");
      const { spares } = kept.of("a", folder, draw);
      const taken = spares?.take();
      assert(spares !== null && typeof taken === "number");
      const stat = statOf(libc, taken);
      assert(typeof stat !== "number");
      spares.became(stat);
      close(libc, taken);
      assertEquals(drawn, 3);
      assert(
        kept.of("a", folder, draw).spares !== spares,
        "nobody else executes what one has made",
      );
      assertEquals(drawn, 4);
    } finally {
      kept.close();
      Deno.removeSync(folder, { recursive: true });
    }
  },
});
