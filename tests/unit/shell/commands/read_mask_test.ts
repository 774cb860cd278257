import { assertEquals } from "@std/assert";
import { maskText, readMaskWish } from "../../../../src/shell/commands/read_mask.ts";

/** Words, and what comes of a mask of 022: a mask, or what is told; null where it is refused. */
const CASES: readonly (readonly [string, string | null])[] = [
  ["", "tell"],
  ["-S", "tell symbolic"],
  ["-p", "tell command"],
  ["-pS", "tell symbolic command"],
  ["077", "77"],
  ["22", "22"],
  ["0", "0"],
  ["0027", "27"],
  ["-- 027", "27"],
  ["u=rwx,g=,o=", "77"],
  ["u=rw", "122"],
  ["go-rx,u+x", "77"],
  ["+w", "0"],
  ["a=", "777"],
  ["ug=rx,o+w", "220"],
  // What no shell takes, or not all of them alike.
  ["8", null],
  ["1777", null],
  ["-S 077", null],
  ["077 022", null],
  ["-x", null],
  ["u+s", null],
  ["u=rwx,", null],
  ["-w", null],
  ["x", null],
];

for (const [text, expected] of CASES) {
  Deno.test(`umask ${text}`, () => {
    const wish = readMaskWish(text === "" ? [] : text.split(" "));
    const told = wish === null
      ? null
      : wish.kind === "set"
      ? wish.from(0o022).toString(8)
      : ["tell", wish.symbolic && "symbolic", wish.asCommand && "command"].filter(Boolean)
        .join(" ");
    assertEquals(told, expected);
  });
}

Deno.test("a mask as bash says it", () => {
  assertEquals(maskText(0o022), "u=rwx,g=rx,o=rx");
  assertEquals(maskText(0o777), "u=,g=,o=");
  assertEquals(maskText(0o146), "u=rw,g=wx,o=x");
});
