import { assertEquals } from "@std/assert";
import { isAgreed } from "../../../../src/engine/judge/_agreed_commands.ts";

/** What was agreed to, `?` for what was not known; what it has become; whether that is the same. */
const CASES: readonly (readonly [agreed: string, argv: string, boolean])[] = [
  ["rm -r ?", "rm -r a", true],
  ["rm -r ?", "rm -r a b c", true],
  ["rm -r ?", "rm -r", true],
  ["rm -r ?", "rm -r -f", false],
  ["rm -r ?", "rm -r a --no-preserve-root", false],
  ["rm -r ?", "rm -rf a", false],
  ["rm ?", "rm -r a", false],
  ["rm ? x", "rm a x", true],
  ["rm ? x", "rm x x x", true],
  ["rm ? x", "rm a", false],
  ["a ? -o ? z", "a b c -o d z", true],
  ["a ? -o ? z", "a b -p -o d z", false],
  ["a ? ?", "a", true],
  ["python -c print(1)", "python -c print(1)", true],
  ["python -c print(1)", "python -c print(2)", false],
  ["a ?", "b x", false],
  ["a", "a b", false],
];

Deno.test("a command is the one that was agreed to where operands alone have become known", () => {
  for (const [agreed, argv, expected] of CASES) {
    const words = agreed.split(" ");
    const open = words.flatMap((word, at) => word === "?" ? [at] : []);
    assertEquals(isAgreed({ argv: words, open }, argv.split(" ")), expected, `${agreed} | ${argv}`);
  }
});
