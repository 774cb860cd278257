import { assertEquals } from "@std/assert";
import { screenOf } from "../../../../src/cli/render/screen.ts";
import { diffLine, styleOf } from "../../../../src/cli/render/style.ts";

type Variables = Readonly<Record<string, string>>;

function screen(isTerminal: boolean, columns: number | null, variables: Variables) {
  const found = screenOf({ isTerminal, columns, variable: (name) => variables[name] });
  return [found.columns, found.colour, found.erasable];
}

Deno.test("a screen is as wide and as colourful as its terminal and the environment say", () => {
  const xterm = { TERM: "xterm" };
  const cases: readonly (readonly [boolean, number | null, Variables, unknown[]])[] = [
    [true, 100, xterm, [100, true, true]],
    [true, null, xterm, [80, true, true]],
    [true, 0, xterm, [80, true, true]],
    [true, 100, { ...xterm, COLUMNS: "40" }, [40, true, true]],
    [true, 100, { ...xterm, COLUMNS: "0" }, [100, true, true]],
    [true, 100, { ...xterm, COLUMNS: "wide" }, [100, true, true]],
    [true, 100, { ...xterm, COLUMNS: "-5" }, [100, true, true]],
    [true, 100, { ...xterm, NO_COLOR: "1" }, [100, false, true]],
    [true, 100, { ...xterm, NO_COLOR: "" }, [100, true, true]],
    [true, 100, { TERM: "dumb" }, [100, false, false]],
    [true, 100, {}, [100, false, false]],
    [false, null, xterm, [null, false, false]],
    [false, null, { ...xterm, COLUMNS: "40" }, [40, false, false]],
  ];
  for (const [isTerminal, columns, variables, expected] of cases) {
    assertEquals(screen(isTerminal, columns, variables), expected, JSON.stringify(variables));
  }
});

Deno.test("lines of a diff have their colours, and none without a screen for it", () => {
  const colours = styleOf({ columns: 80, colour: true, erasable: true });
  const none = styleOf({ columns: 80, colour: false, erasable: true });
  const cases: readonly (readonly [string, string])[] = [
    ["+++ b/a.ts", "1"],
    ["--- a/a.ts", "1"],
    ["@@ -1 +1 @@", "36"],
    ["+new", "32"],
    ["-old", "31"],
  ];
  for (const [line, code] of cases) {
    assertEquals(diffLine(line, colours), `\x1b[${code}m${line}\x1b[0m`);
    assertEquals(diffLine(line, none), line);
  }
  assertEquals(diffLine(" same", colours), " same");
  assertEquals(diffLine("", colours), "");
});
