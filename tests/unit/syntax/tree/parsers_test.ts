import { assert, assertEquals, assertThrows } from "@std/assert";
import { Language, Parser, type TreeCursor } from "web-tree-sitter";
import { NODE, type SyntaxTree } from "../../../../src/core/syntax_tree.ts";
import { carriedFiles } from "../../../../src/engine/pool/carried_files.ts";
import { openCarried } from "../../../../src/host/carried/carried.ts";
import { createParsers } from "../../../../src/syntax/tree/parsers.ts";
import { GRAMMARS } from "../../../../src/toolkit/code/languages/languages.ts";
import { Random } from "../../../random.ts";
import { SOURCES, sourcesOf } from "./_sources.ts";

const READ = await openCarried(null, await carriedFiles())();
const PARSERS = createParsers(READ);
const FREE = { pause: () => {}, timeMs: 60_000 };

// The library's own functions, over its own script, say what is right.
await Parser.init({ wasmBinary: READ("tree-sitter") });

/** How often each text is changed and compared. */
const MUTANTS = 60;
const SEED = 19;

/** A text with some pieces taken out, moved and put in. */
function mutant(text: string, random: Random): string {
  let changed = text;
  for (let times = random.below(6); times > 0; times--) {
    const at = random.below(changed.length);
    const length = random.below(24);
    const piece = random.once(2)
      ? ""
      : changed.slice(length, length + random.below(30)) + random.pick(["é", "😀", "{", "\n"]);
    changed = changed.slice(0, at) + piece + changed.slice(at + (random.once(2) ? length : 0));
  }
  return changed;
}

/** A node of ours in the words of the library. */
function ours(tree: SyntaxTree, at: number): unknown[] {
  const flags = tree.flags[at] ?? 0;
  return [
    tree.grammar.kinds[tree.kinds[at] ?? -1],
    tree.grammar.fields[tree.fields[at] ?? -1],
    tree.starts[at],
    tree.ends[at],
    (flags & NODE.named) !== 0,
    (flags & NODE.extra) !== 0,
    (flags & NODE.missing) !== 0,
    tree.parents[at],
    tree.nexts[at],
  ];
}

/** All nodes as the library's cursor comes to them. */
function theirs(cursor: TreeCursor): unknown[][] {
  const nodes: unknown[][] = [];
  const above: number[] = [];
  for (;;) {
    const { currentNode } = cursor;
    nodes.push([
      // Go has a sign that is a NUL, whose name is empty: the library takes it for an error.
      cursor.nodeType === "ERROR" && !cursor.nodeIsNamed ? "" : cursor.nodeType,
      cursor.currentFieldName ?? "",
      cursor.startIndex,
      cursor.endIndex,
      cursor.nodeIsNamed,
      currentNode.isExtra,
      cursor.nodeIsMissing,
      above.at(-1) ?? -1,
    ]);
    if (cursor.gotoFirstChild()) {
      above.push(nodes.length - 1);
      continue;
    }
    nodes.at(-1)?.push(nodes.length);
    while (!cursor.gotoNextSibling()) {
      if (!cursor.gotoParent()) return nodes;
      nodes[above.pop() ?? -1]?.push(nodes.length);
    }
  }
}

for (const name of GRAMMARS.keys()) {
  Deno.test(`${name}: the tables hold what the library's own functions say of a tree`, async () => {
    const language = await Language.load(READ(name));
    const parser = new Parser().setLanguage(language);
    const random = new Random(SEED);
    const sources = sourcesOf(name);
    const own = SOURCES[name];
    if (own !== undefined) assertEquals(parsed(name, own).errors > 0, name === "javascript");
    for (let round = 0; round < MUTANTS; round++) {
      const source = sources[round % sources.length] ?? "";
      const changed = round < sources.length ? source : mutant(source, random);
      const text = round % 2 === 0 ? changed : changed.replaceAll(/[^\0-\x7f]/g, "o");
      const tree = parsed(name, text);
      assertNested(tree);
      const expected = parser.parse(text);
      assert(expected !== null);
      // Let go before its tree: the collector would do so after it, to memory that is something else by then.
      const cursor = expected.walk();
      const nodes = theirs(cursor);
      cursor.delete();
      assertEquals(Array.from({ length: tree.count }, (_, at) => ours(tree, at)), nodes);
      expected.delete();
    }
    parser.delete();
  });
}

/** Nodes begin in their order, each within its parent. */
function assertNested({ count, starts, ends, parents, nexts, text }: SyntaxTree): void {
  assert((ends[0] ?? Infinity) <= text.length);
  for (let node = 1; node < count; node++) {
    const [parent, start, end] = [parents[node] ?? -1, starts[node] ?? -1, ends[node] ?? -1];
    assert(parent >= 0 && parent < node && (nexts[node] ?? 0) <= (nexts[parent] ?? 0));
    assert(start >= (starts[node - 1] ?? 0) && start >= (starts[parent] ?? 0));
    assert(start <= end && end <= (ends[parent] ?? 0));
  }
}

function parsed(name: string, text: string): SyntaxTree {
  const tree = PARSERS.of(name).parse(text, FREE);
  if (typeof tree === "string") throw new Error(tree);
  return tree;
}

Deno.test("texts of ASCII are read to their last byte, whatever their length, over many buffers", () => {
  for (
    const length of [
      1,
      2,
      10_237,
      10_238,
      10_239,
      10_240,
      20_475,
      20_476,
      20_477,
      50_001,
      262_144,
      262_145,
    ]
  ) {
    const text = `x${"+ab".repeat(length)}`.slice(0, length);
    const tree = parsed("typescript", text);
    const last = tree.count - 1;
    assertEquals([tree.ends[0], tree.ends[last]], [length, length]);
    assert(["x", "+", "a", "ab"].includes(text.slice(tree.starts[last])), `${length}`);
    assertEquals(tree.errors > 0, text.endsWith("+"));
    assertEquals(parsed("typescript", `${text}é`).ends[0], length + 1);
  }
});

Deno.test("a broken text of ASCII has the tree that it has beside other signs, whatever was parsed before", () => {
  const parser = createParsers(READ).of("c");
  const text = (sign: string) =>
    `// ${sign}\n#ifdef A\n static void\nf\n (struct c* C)\n{\n#ifdef B\n\tif (x)\n#endif\n\t{ goto a; }\n` +
    "#ifdef D\n\tif (y) {\n#else\n\tif (z) {\n#endif\n\t\tg(1); }\n}\n#endif\n";
  const seen = (sign: string) => {
    const tree = parser.parse(text(sign).repeat(3), FREE);
    assert(typeof tree !== "string" && tree.errors > 0);
    return Array.from({ length: tree.count }, (_, at) => ours(tree, at));
  };
  const expected = seen("é");
  // The second: as one that comes after many broken ones, which are taken another way.
  for (
    const before of ["", "int f( {\n".repeat(20_000), "int f() { return 1; }\n".repeat(100_000)]
  ) {
    assert(typeof parser.parse(before, FREE) !== "string");
    assertEquals(seen("e"), expected);
  }
});

Deno.test("empty texts, and texts of one character, have a tree", () => {
  for (const name of GRAMMARS.keys()) {
    for (const text of ["", " ", "\n", "x", "\0", "\ud800", "\ufeff", '"']) {
      const tree = parsed(name, text);
      assert(tree.count >= 1 && tree.parents[0] === -1);
      assertEquals(tree.nexts[0], tree.count);
    }
  }
});

/** Texts whose trees are as deep as they are long, or that nothing can be made of. */
const HOSTILE: readonly string[] = [
  "(".repeat(100_000),
  "[".repeat(100_000) + "]".repeat(100_000),
  "{".repeat(100_000),
  "a.".repeat(100_000),
  "((".repeat(20_000) + "))".repeat(20_000),
  "if (a) ".repeat(20_000),
  "f(".repeat(50_000),
  "`${".repeat(20_000),
  "<a>".repeat(30_000),
  "-".repeat(100_000),
  "x => ".repeat(30_000),
  "/*".repeat(50_000),
  "'''\"\"\"".repeat(20_000),
  "\\\n".repeat(50_000),
  "\u2028\ud800\0".repeat(30_000),
  "$((".repeat(20_000),
  "<<A\n".repeat(10_000),
];

Deno.test("what is nested 100,000 deep, or is no code at all, is parsed or given up in its time", () => {
  for (const name of GRAMMARS.keys()) {
    for (const text of HOSTILE) {
      const tree = PARSERS.of(name).parse(text, { pause: () => {}, timeMs: 20 });
      if (typeof tree !== "string") {
        assertEquals(tree.nexts[0], tree.count);
      }
      // Whatever became of it, the next text is parsed as ever.
      assertEquals(parsed(name, "").errors, 0);
    }
  }
});

Deno.test("a pause that throws ends the parse, and what it threw is thrown", () => {
  const text = "a + ".repeat(200_000);
  let pauses = 0;
  const pause = () => {
    if (++pauses === 3) throw new Error("enough");
  };
  assertThrows(
    () => PARSERS.of("typescript").parse(text, { pause, timeMs: 60_000 }),
    Error,
    "enough",
  );
  assertEquals(pauses, 3);
  assertEquals(PARSERS.of("typescript").parse(text, { pause: () => {}, timeMs: 0 }), "slow");
  assertEquals(parsed("typescript", "let a = 1;").errors, 0);
});

Deno.test("a grammar that cannot be loaded leaves the others as they are", () => {
  const parsers = createParsers((name) => name === "go" ? new Uint8Array([1, 2, 3]) : READ(name));
  assertThrows(() => parsers.of("go"), WebAssembly.CompileError);
  assert(typeof parsers.of("python").parse("a = 1\n", FREE) !== "string");
});

Deno.test("a text of some megabytes is parsed, and gives its memory back", () => {
  const text = "export const value = { a: [1, 2, 3], b: f(x) };\n".repeat(25_000);
  const tree = parsed("typescript", text);
  assertEquals(tree.errors, 0);
  assert(tree.count > 500_000);
  assertEquals(parsed("typescript", "let a;").count, 6);
});

Deno.test("what looks to the end of its text for each word is asked to end while it does so", () => {
  let asked = 0;
  const pause = () => {
    if (++asked === 200) throw new Error("over");
  };
  const parser = PARSERS.of("bash");
  assertThrows(() => parser.parse("a?".repeat(3_000), { pause, timeMs: 60_000 }), Error, "over");
});

Deno.test("a text that was over while it was read has no tree, and the next one has", () => {
  const parser = PARSERS.of("bash");
  let asked = 0;
  const pause = () => {
    if (++asked === 3) throw new Error("over");
  };
  assertThrows(() => parser.parse("a?".repeat(10_000), { pause, timeMs: 60_000 }), Error, "over");
  const tree = parser.parse("a b\n", FREE);
  assert(typeof tree !== "string" && tree.errors === 0);
});

Deno.test("a tree for which there is no memory is too large, and no failure of the tool", () => {
  const parser = PARSERS.of("cpp");
  assertEquals(parser.parse("a=1;".repeat(1_000_000), FREE), "large");
  assert(typeof parser.parse("int a;\n", FREE) !== "string");
});

Deno.test("the time of a text is what its thread works, not what passes meanwhile", () => {
  const text = "a + ".repeat(20_000);
  const pause = () => {};
  const idle = createParsers(READ, () => 0).of("javascript");
  assert(typeof idle.parse(text, { pause, timeMs: 1 }) !== "string");
  let asked = 0;
  const busy = createParsers(READ, () => 10 * asked++).of("javascript");
  assertEquals(busy.parse(text, { pause, timeMs: 1 }), "slow");
});
