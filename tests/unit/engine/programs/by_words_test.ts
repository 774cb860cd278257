import { assertEquals } from "@std/assert";
import { isByWords } from "../../../../src/engine/programs/_by_words.ts";

const cases: readonly (readonly [command: string, touchesAnything: boolean, expected: boolean])[] =
  [
    ["cat a.txt", false, true],
    ["/usr/bin/cat a.txt", false, true],
    ["[ -f a.txt ]", false, true],
    ["cp a b", false, true],
    ["sort -o out in", false, true],
    // What may touch anything is held by no words, whatever it is called.
    ["sed s/a/b/ f", true, false],
    ["xargs sh -c x", true, false],
    // More is read than is named.
    ["git status", false, false],
    ["rg word", false, false],
    ["python3 a.py", false, false],
    ["", false, false],
    // The files are in a file.
    ["wc --files0-from=list", false, false],
    ["sort --files0-from list", false, false],
    ["du -files0-from list", false, false],
    ["grep --exclude-from=list x", false, false],
    ["tar --files-from=list", false, false],
    ["cat --files0-frombled", false, true],
  ];

for (const [command, touchesAnything, expected] of cases) {
  Deno.test(`isByWords(): ${command || "no word"}${touchesAnything ? ", touching anything" : ""}`, () => {
    const effects = { touchesAnything } as Parameters<typeof isByWords>[1];
    assertEquals(isByWords(command === "" ? [] : command.split(" "), effects), expected);
  });
}
