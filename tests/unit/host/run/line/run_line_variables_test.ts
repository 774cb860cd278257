/** Variables of a line: which are the line's own, and which come to programs and are judged. */

import { assertEquals } from "@std/assert";
import { ToolError } from "../../../../../src/core/errors.ts";
import type { LineCommand } from "../../../../../src/host/run/line/line_host.ts";
import { withDirectory } from "../../files/_temporary.ts";
import { compareWithBash, fill, runLine, text } from "./_line.ts";

/** Variables that belong to the line, and what they are for its programs. */
const LINES = [
  "FILE=x; echo $FILE",
  "DIR=sub; ls $DIR",
  'TMP=$(echo hi); echo "$TMP"',
  "SRC_DIR=sub; cd sub && echo $SRC_DIR",
  "GOOD=1; LESSON=2; PGID=3; echo $GOOD$LESSON$PGID",
  "env=prod; path=a.txt; echo $env; cat $path",
  "FILE=x; env | grep -c ^FILE=",
  'FILE=x; unset FILE; echo "[$FILE]"',
  "FOO=x; export FOO; env | grep ^FOO=",
  "WORDS=new; env | grep ^WORDS=",
  "unset WORDS; env | grep -c ^WORDS=",
  "(WORDS=new); env | grep ^WORDS=",
];

Deno.test("a variable of the line is no environment variable, as in bash", () =>
  compareWithBash(LINES));

/** Allows programs; tells of variables and refuses them. */
function refuseVariables(judged: string[]) {
  return ({ argv, variables }: LineCommand): Promise<ToolError | null> => {
    if (argv !== null) return Promise.resolve(null);
    judged.push(...variables);
    return Promise.resolve(new ToolError("COMMAND_DENIED", "refused"));
  };
}

Deno.test("one that programs get already is judged before it is changed", async () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["FILE=x; echo $FILE", []],
    ["WORDS=x; echo never", ["WORDS"]],
    ["A=1 WORDS=x; echo never", ["WORDS"]],
    ["unset WORDS; echo never", ["WORDS"]],
    ["FILE=x; unset FILE", []],
    ["(WORDS=x); echo never", ["WORDS"]],
    ["echo $(WORDS=x; echo never)", ["WORDS"]],
    ["true | { WORDS=x; echo never; }", ["WORDS"]],
  ];
  await withDirectory(async (directory) => {
    fill(directory);
    for (const [line, expected] of cases) {
      const judged: string[] = [];
      const shown: string[] = [];
      const run = async (): Promise<string | undefined> => {
        try {
          const outcome = await runLine(line, directory, { judge: refuseVariables(judged) });
          shown.push(text(outcome.stdout));
          return outcome.refusal?.code;
        } catch (error) {
          // Nothing had begun.
          if (error instanceof ToolError) return error.code;
          throw error;
        }
      };
      const refused = expected.length === 0 ? undefined : "COMMAND_DENIED";
      assertEquals([await run(), judged], [refused, expected], line);
      assertEquals(shown.join().includes("never"), false, line);
    }
  });
});

Deno.test("what the line comes to export only while it runs is judged with each program that gets it", async () => {
  // By judging: the program, and the variables that it is judged with.
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ['X=A; eval "export $X=1"; ls', ["ls A"]],
    ['X=A; eval "declare -x $X=1"; ls a.txt; cat a.txt', ["cat A", "ls A"]],
    ["X=export; $X A=1; ls", ["ls A"]],
    ["echo 'export A=1' >f; . ./f; ls", ["ls A"]],
    ["echo 'export A=1' >f; . ./f; unset A; ls", []],
    ['X=A; (eval "export $X=1"); ls', []],
    ['X=A; eval "export $X=1"; sh -c ls', ["ls A"]],
    ['X=A; eval "export $X=1"; echo $(ls)', ["echo A", "ls A"]],
    ['X=A; eval "f() { export $X=1; }"; f; ls', ["ls A"]],
    // Though the same command is known from the line.
    ['ls; X=A; eval "$X=1 ls"', ["ls A"]],
    ['f() { ls; }; X=A; eval "$X=1 f"', [" A", "ls A"]],
    [`X=A; eval "$X=1 sh -c ls"`, ["ls A"]],
    [`X=A; eval "$X=1 eval ls"`, [" A", "ls A"]],
    ["set -a; A=1; ls", ["ls A"]],
    ["set -a; read A <a.txt; set +a; B=1; ls; (C=2; ls)", ["ls A", "ls A"]],
    ["echo A=1 >f; set -o allexport; . ./f; sh -c ls", ["ls A"]],
    ["source <(echo 'export A=1'); ls", ["ls A"]],
    // Those that programs get anyhow are judged when they are set.
    ['X=WORDS; eval "export $X=1"; ls', [" WORDS"]],
    // What the line says was judged with it.
    ["export A=1; ls", []],
    ["f() { ls; }; A=1 f", []],
  ];
  await withDirectory(async (directory) => {
    fill(directory);
    for (const [line, expected] of cases) {
      const judged: string[] = [];
      const judge = ({ argv, variables }: LineCommand): Promise<null> => {
        if (variables.length > 0) judged.push(`${argv?.[0] ?? ""} ${variables.join(" ")}`);
        return Promise.resolve(null);
      };
      const { exitCode } = await runLine(line, directory, { judge });
      assertEquals([exitCode, judged.sort()], [0, expected], line);
    }
  });
});
