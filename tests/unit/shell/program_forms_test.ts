import { assertEquals } from "@std/assert";
import { differsFromShell } from "../../../src/shell/program_forms.ts";

const ONLY_A_SHELL_HAS: readonly (readonly (string | null)[])[] = [
  ["printf"],
  ["printf", "-v", "X", "%s"],
  ["printf", "%q", "a b"],
  ["printf", "%-5q", "a"],
  ["printf", "--", "%q"],
  ["printf", "%(%Y)T", "0"],
  ["printf", "a %n", "x"],
  ["printf", "it\\'s"],
  ["printf", "\\E[0m"],
  ["printf", "a\\cb"],
  ["printf", "--- a"],
  ["echo", "--help"],
  ["echo", "-e", "\\E[0m"],
  ["echo", "-ne", "\\101"],
  ["[", "-v", "HOME", "]"],
  ["[", "!", "-o", "errexit", "]"],
  ["[", "a", "<", "b", "]"],
  ["test", "a", ">", "b"],
  ["test", "-f", "a", "-a", "-v", "X"],
  ["test", "99999999999999999999", "-eq", "1"],
  ["kill"],
  ["kill", "-l"],
  ["kill", "%1"],
  ["pwd", "--help"],
];

const ALIKE: readonly (readonly (string | null)[])[] = [
  ["printf", "%s\\n", "%q"],
  ["printf", "100%%q\\n"],
  ["printf", "--", "--- a\\n"],
  ["printf", "\\\\E \\x41 \\e[0m"],
  ["printf", null, "x"],
  ["echo", "--help", "a"],
  ["echo", "\\E"],
  ["echo", "-e", "\\e[0m\\0101"],
  ["echo", "-n", "\\101"],
  ["[", "-f", "a.txt", "]"],
  ["[", "a", "=", "-v", "]"],
  ["[", "!", "-d", "x", "]"],
  ["test", "1", "-lt", "2", "-a", "x", "=", "x"],
  ["test", null, "-eq", "1"],
  ["kill", "-9", "123"],
  ["pwd", "-P"],
  ["/usr/bin/printf", "%q", "x"],
  ["constructor"],
];

Deno.test("forms in which bash's own command does otherwise than the program", () => {
  for (const words of ONLY_A_SHELL_HAS) {
    assertEquals(differsFromShell(words), true, words.join(" "));
  }
  for (const words of ALIKE) assertEquals(differsFromShell(words), false, words.join(" "));
});
