import { assert, assertEquals } from "@std/assert";
import { carriedFiles } from "../../../src/engine/pool/carried_files.ts";
import { openCarried } from "../../../src/host/carried/carried.ts";
import { createRuff, Panic } from "../../../src/syntax/_ruff.ts";
import { createPythonValidator } from "../../../src/syntax/python.ts";
import { agreeOnPython, shareOf } from "./_agreement.ts";
import { findCPython } from "./_cpython.ts";

const LIBRARY = (await openCarried(null, await carriedFiles())())("ruff");
const check = createPythonValidator(LIBRARY);

/** Verdicts of CPython 3.14.2, recorded. */
const VERDICTS = JSON.parse(
  Deno.readTextFileSync(new URL("python_verdicts.json", import.meta.url)),
) as { readonly valid: readonly string[]; readonly invalid: readonly string[] };

Deno.test("what CPython parses is valid, whatever its compiler would say", () => {
  assert(VERDICTS.valid.length > 200);
  for (const text of VERDICTS.valid) assertEquals(check(text), null, JSON.stringify(text));
});

Deno.test("what CPython does not parse is not", () => {
  assert(VERDICTS.invalid.length > 250);
  for (const text of VERDICTS.invalid) assert(check(text) !== null, JSON.stringify(text));
});

Deno.test("at least 995 of 1,000 mutants get the verdict of CPython, where there is one", async () => {
  const python = await findCPython();
  if (python === null) return;
  const agreement = await agreeOnPython(check, python, 2_000, 11);
  assert(agreement.judged > 1_900 && agreement.valid > 500, JSON.stringify(agreement.judged));
  assert(agreement.judged - agreement.valid > 500);
  assert(shareOf(agreement) >= 0.995, JSON.stringify([agreement.alarms, agreement.misses]));
});

Deno.test("the place and the message", () => {
  const cases: readonly (readonly [string, number, number, string])[] = [
    [
      "def f(:\n    pass\n",
      1,
      7,
      "Expected a parameter or the end of the parameter list; ( of 1:6 is never closed",
    ],
    ["x = 1\nif x\n    y\n", 2, 5, "Expected `:`, found newline"],
    ["x = 'ä🦕' )\n", 1, 10, "Expected a statement"],
    ["x = (1,\n", 2, 1, "the text ends where more is expected; ( of 1:5 is never closed"],
    ["f(a,\n\ndef g():\n    pass\n", 1, 5, "Expected `)`, found newline; ( of 1:2 is never closed"],
    ["print(')\n", 1, 7, "missing closing quote in string literal"],
    ["x = 0x\n", 1, 5, "a number without digits"],
    ["if a:\nb\n", 2, 1, "Expected an indented block after `if` statement"],
    ["a = '\0'\n", 1, 6, "a NUL character, which Python source cannot hold"],
    ["a = )\n'\0'\n", 1, 5, "Expected an expression"],
    ["a\r\nb c\r\n", 2, 3, "Simple statements must be separated by newlines or semicolons"],
  ];
  for (const [text, line, column, message] of cases) {
    assertEquals(check(text), { line, column, message }, JSON.stringify(text));
  }
});

Deno.test("what is nested too deeply is not judged, and the next text is", () => {
  const levels = 100_000;
  for (
    const text of [
      "(".repeat(levels),
      "[".repeat(levels) + "]".repeat(levels),
      "{1:".repeat(levels),
      "not ".repeat(levels),
      "a" + "()".repeat(levels),
      "1+".repeat(levels) + "1",
      "lambda:".repeat(levels),
      "f'{".repeat(levels),
    ]
  ) {
    assertEquals(check(text)?.message, "it is nested too deeply to be judged", text.slice(0, 9));
    assertEquals(check("x = 1\n"), null);
    assertEquals(check("x = (\n")?.line, 2);
  }
  assertEquals(check("(".repeat(150) + ")".repeat(150)), null);
});

Deno.test("what makes one entry of the parser panic is judged by another", () => {
  // It shows the first 27 bytes of what a comment belongs to, be there half a character.
  const texts = [20, 21, 22].map((length) =>
    `a = 1  # b\n${"c".repeat(length)} = '${"\u0442".repeat(8)}'  # d\n`
  );
  const module = new WebAssembly.Module(LIBRARY as Uint8Array<ArrayBuffer>);
  const broken = texts.map((text) => {
    const ruff = createRuff(module);
    try {
      ruff.parse(new TextEncoder().encode(text), "comments");
    } catch (error) {
      assert(error instanceof Panic && ruff.isBroken);
    }
    return ruff.isBroken;
  });
  assert(broken.includes(true), "it panics no more: `format` need not be asked first");
  for (let round = 0; round < 3; round++) {
    for (const text of texts) {
      assertEquals(check(text), null);
      assertEquals(check(text + "d = (\n")?.line, 4);
    }
  }
});

Deno.test("long texts are judged, one after the other", () => {
  for (const line of ["a = 1\n", "# x\n", ")\n", "'\n", "@a\n", "elif a:\n", "é = 'é'\n"]) {
    const text = line.repeat(1_000_000 / line.length);
    assertEquals(check(text) === null, line.includes("=") || line.startsWith("#"), line);
  }
});
