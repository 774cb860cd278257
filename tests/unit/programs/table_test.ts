/** The table of programs as a whole: each name once, each literal such that all that derives from it holds. */

import { assert, assertEquals } from "@std/assert";
import { assessCommand } from "../../../src/programs/risk.ts";
import { builtInKnowledge, knownPrograms } from "../../../src/programs/table.ts";

Deno.test("table: each program is told of once", () => {
  const names = knownPrograms().flatMap(([written]) => written.map((name) => name.toLowerCase()));
  const twice = names.filter((name, at) => names.indexOf(name) !== at);
  assertEquals(twice, []);
  assert(names.length > 300, `${names.length} programs`);
});

Deno.test("table: a program is found by its name, in any case, with a version and with .exe", () => {
  for (const [written, spec] of knownPrograms()) {
    for (const name of written) {
      assertEquals(builtInKnowledge(name), spec, name);
      assertEquals(builtInKnowledge(`${name.toUpperCase()}.exe`), spec, name);
    }
  }
  assertEquals(builtInKnowledge("python3.11"), builtInKnowledge("python3"));
  assertEquals(builtInKnowledge("gcc-12"), builtInKnowledge("gcc"));
  assertEquals(builtInKnowledge("mkfs.ext4"), builtInKnowledge("mkfs"));
  assertEquals(builtInKnowledge("ld-linux-x86-64.so.2"), builtInKnowledge("ld.so"));
  assertEquals(builtInKnowledge("no-such-program"), null);
});

Deno.test("table: spellings of options are words that begin with a dash", () => {
  for (const [[name = ""], spec] of knownPrograms()) {
    const tables = [
      spec.options,
      spec.before,
      spec.pairs,
      ...[...spec.subcommands.values()].map(({ options }) => options),
      ...spec.when.map(({ options }) => options),
    ];
    for (const option of tables.flatMap((table) => [...table.bySpelling.keys()])) {
      assert(/^--?[^\s=-][^\s=]*$/.test(option), `${name} ${option}`);
    }
  }
});

Deno.test("table: what is dangerous says why, and no safe program may start others by itself", () => {
  for (const [[name = ""], spec] of knownPrograms()) {
    if (spec.risk === "dangerous") assert((spec.because ?? "") !== "", name);
    if (spec.risk === "safe") assert(spec.starts !== "any", name);
  }
});

Deno.test("table: every option that starts a program makes it dangerous, and what it starts is told", () => {
  for (const [[name = ""], spec] of knownPrograms()) {
    if (spec.runs !== undefined || spec.wraps !== undefined || spec.grammar === "words") continue;
    for (const [option, { is, behind = "", form, optional }] of spec.options.bySpelling) {
      if (is !== "command") continue;
      const texts = { commas: "touch,x", setting: "a.command=touch x", line: `${behind}touch x` };
      const text = texts[form ?? "line"];
      const words = option.startsWith("--")
        ? [`${option}=${text}`]
        : optional === true
        ? [`${option}${text}`]
        : [option, text];
      const { risk, inner, because } = assessCommand({ argv: [name, ...words, "a"] }, null);
      assertEquals(risk, "dangerous", `${name} ${option}`);
      assert(because.startsWith(name), because);
      assertEquals(inner[0], ["touch", "x"], `${name} ${option}`);
    }
  }
});
