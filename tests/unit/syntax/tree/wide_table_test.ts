import { assert, assertEquals } from "@std/assert";
import type { SyntaxTree } from "../../../../src/core/syntax_tree.ts";
import { carriedFiles } from "../../../../src/engine/pool/carried_files.ts";
import { openCarried } from "../../../../src/host/carried/carried.ts";
import { readLanguage } from "../../../../src/syntax/tree/_language.ts";
import { createTables, layOut } from "../../../../src/syntax/tree/_layout.ts";
import { Library } from "../../../../src/syntax/tree/_library.ts";
import { widen, wideSize } from "../../../../src/syntax/tree/_wide_table.ts";
import { createParsers } from "../../../../src/syntax/tree/parsers.ts";
import { GRAMMARS } from "../../../../src/toolkit/code/languages/languages.ts";
import { Random } from "../../../random.ts";
import { sourcesOf } from "./_sources.ts";

const READ = await openCarried(null, await carriedFiles())();

const SEED = 23;
const MUTANTS = 40;

/** The text, and what it is with a piece of it left out or doubled. */
function variants(name: string): readonly string[] {
  const random = new Random(SEED);
  return sourcesOf(name).flatMap((text) => [
    text,
    ...Array.from({ length: MUTANTS }, () => {
      const at = random.below(text.length);
      const length = random.below(30);
      return text.slice(0, at) +
        (random.once(2) ? text.slice(at - length) : text.slice(at + length));
    }),
  ]);
}

function tablesOf({ count, kinds, fields, flags, starts, ends, nexts }: SyntaxTree): unknown {
  return [kinds, fields, flags, starts, ends, nexts].map((table) => table.slice(0, count));
}

const FREELY = { isOver: () => false, isOverAmid: () => false };

for (const name of GRAMMARS.keys()) {
  Deno.test(`${name}: a wide table gives the trees that the grammar's own gives`, () => {
    const library = new Library(new WebAssembly.Module(READ("tree-sitter") as BufferSource));
    const module = new WebAssembly.Module(READ(name) as BufferSource);
    const language = readLanguage(name, library.link({ name, module }), library);
    const tables = createTables();
    const trees = () =>
      variants(name).map((text) => {
        const tree = library.parse(
          language.address,
          { text, ascii: null, isNarrow: false },
          FREELY,
        );
        const taken = layOut(library.words, tree, text, false, language, tables, () => false);
        assert(taken !== null);
        library.exports.ts_tree_delete(tree);
        return tablesOf(taken);
      });
    const before = trees();
    const size = wideSize(language.address, library);
    assert(size > 100_000 && size < 16_000_000, `${size}`);
    widen(language.address, library);
    assertEquals(trees(), before);
  });
}

Deno.test("a language that much was parsed in has its trees as before, and so has the one after a large text", () => {
  const parser = createParsers(READ).of("typescript");
  const free = { pause: () => {}, timeMs: 60_000 };
  const text = "export const a = [1, f(x) ?? b];\nclass A { m() { return this.#x; } }\n";
  const seen = () => {
    const tree = parser.parse(text, free);
    assert(typeof tree !== "string");
    return tablesOf(tree);
  };
  const first = seen();
  for (const times of [8_000, 20_000]) {
    const large = parser.parse(text.repeat(times), free);
    assert(typeof large !== "string" && large.errors === 0);
    assertEquals(seen(), first);
  }
});
