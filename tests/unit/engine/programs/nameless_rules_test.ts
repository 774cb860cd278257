import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { isNameless, NamelessRules } from "../../../../src/engine/programs/_nameless_rules.ts";
import { LIBC as libc } from "../../sandbox/_libc.ts";

/** Descriptors stand for rules: what is closed of them shows. */
function drawing(): { readonly draw: () => number; readonly drawn: number[] } {
  const drawn: number[] = [];
  const draw = (): number => {
    const descriptor = libc.call(libc.numbers.eventfd2, 0, 0);
    assert(descriptor > 2);
    drawn.push(descriptor);
    return descriptor;
  };
  return { draw, drawn };
}

/** F_GETFD (include/uapi/linux/fcntl.h) */
const isOpen = (descriptor: number): boolean => libc.call(libc.numbers.fcntl, descriptor, 1) >= 0;

Deno.test("rules are kept for their kind, and for the very files that are executed", () => {
  const folder = Deno.makeTempDirSync();
  const path = `${folder}/program`;
  Deno.writeTextFileSync(path, "one");
  const rules = new NamelessRules(libc);
  const { draw, drawn } = drawing();
  try {
    const first = rules.of("a", [path], draw);
    assertEquals([rules.of("a", [path], draw), drawn.length], [first, 1]);
    // Another kind, another list, another file under the same name.
    assertNotEquals(rules.of("b", [path], draw), first);
    assertNotEquals(rules.of("a", [path, "/usr/bin/env"], draw), first);
    Deno.writeTextFileSync(`${path}.new`, "two");
    Deno.renameSync(`${path}.new`, path);
    const other = rules.of("a", [path], draw);
    assertNotEquals(other, first);
    Deno.symlinkSync(path, `${folder}/link`);
    const linked = rules.of("a", [`${folder}/link`], draw);
    assertEquals(rules.of("a", [`${folder}/link`], draw), linked);
    Deno.removeSync(path);
    assertNotEquals(rules.of("a", [`${folder}/link`], draw), linked);
    assertEquals(drawn.length, 6);
  } finally {
    rules.close();
    Deno.removeSync(folder, { recursive: true });
  }
  assertEquals(drawn.map(isOpen), drawn.map(() => false));
});

Deno.test("of many kinds those that were used last are kept", () => {
  const rules = new NamelessRules(libc);
  const { draw, drawn } = drawing();
  for (let kind = 0; kind < 64; kind++) rules.of(`${kind}`, [], draw);
  const [first = -1, second = -1] = drawn;
  assertEquals(rules.of("0", [], draw), first);
  const last = rules.of("64", [], draw);
  assertEquals([drawn.length, isOpen(first), isOpen(second), isOpen(last)], [
    65,
    true,
    false,
    true,
  ]);
  rules.close();
  assertEquals(drawn.filter(isOpen), []);
});

Deno.test("a program that names anything is none of them", () => {
  const nothing = { read: [], readFiles: [], write: [], list: [] };
  assert(isNameless(nothing));
  for (const name of Object.keys(nothing)) assert(!isNameless({ ...nothing, [name]: ["/a"] }));
});
