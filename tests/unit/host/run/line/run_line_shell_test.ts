/** Traps of failures, variables that are all exported, what runs beside a line, text that is sourced: as bash has them. */

import { assertEquals } from "@std/assert";
import { withDirectory } from "../../files/_temporary.ts";
import { compareWithBash, runLine, said } from "./_line.ts";

/** `trap … ERR`, and `set -E`. */
const FAILING = [
  "trap 'echo E' ERR; for i in 1; do false; done; echo a",
  "trap 'echo E' ERR; { false; }; echo a",
  "trap 'echo E' ERR; (false); echo a",
  "trap 'echo E' ERR; (exit 3); echo $?",
  "trap 'echo E $?' ERR; f() { false; echo in; return 4; }; f; echo $?",
  "set -E; trap 'echo E $?' ERR; f() { false; echo in; return 4; }; f; echo $?",
  "trap 'echo E $?' ERR; x=$(false); echo $?",
  "trap 'echo E $?' ERR; if false; then :; fi; while false; do :; done; echo a",
  "trap 'echo E $?' ERR; false | true; true | false; echo a",
  "trap 'echo E $?' ERR; true && false; false && true; echo a",
  "trap 'echo E $?' ERR; ((0)); [[ a == b ]]; [ 1 = 2 ]; echo a",
  "trap 'false; echo E $?' ERR; false; echo $?",
  "set -e; trap 'echo E $?' ERR; false; echo never",
  "set -e; trap 'echo E' ERR; trap 'echo X' EXIT; false",
  "trap 'echo E; exit 7' ERR; false; echo never",
  "trap 'echo \"at $LINENO\"' ERR\ntrue\nfalse\necho a",
  "f() { trap 'echo E' ERR; }; f; false; echo a",
  "f() { trap 'echo E' ERR; false; }; f; echo a",
  "set -E; trap 'echo E' ERR; (false; echo b); x=$(false; echo c); echo $x",
  "trap 'echo E' ERR; if true; then false; fi; echo a",
  "trap 'echo E' ERR; case x in x) false;; esac; echo a",
  "trap 'echo E' ERR; eval false; echo a",
  "trap 'echo E' ERR; f() { return 3; }; f || echo or; f && echo and; ! f; echo a",
  "trap 'echo E' ERR; false & wait $!; echo a",
  "trap 'echo E' ERR; trap - ERR; false; echo a",
  "trap 'echo E' ERR; set +e; nope; echo a",
  "trap 'echo E' ERR; while true; do false; break; done; echo a",
  "trap 'echo E' ERR; { true; false; }; echo a; { false; } && echo b",
  "trap 'echo E' ERR; f() { if false; then :; fi; }; f; ( f; false ); echo $?",
  "f() { trap 'echo E' ERR; false; echo in; true; }; f; echo a",
  "f() { trap 'echo E' ERR; false; echo in; return 2; }; f; echo a",
  "trap 'echo O' ERR; f() { trap - ERR; }; f; false; echo a",
  "trap 'echo O' ERR; f() { trap 'echo I' ERR; false; }; f; false; echo a",
  "trap 'echo O' ERR; f() { trap 'echo I' ERR; g; false; }; g() { false; return 0; }; f; echo a",
  "trap 'trap - ERR; echo O' ERR; false; false; echo a",
  "trap 'f' ERR; f() { echo hi; false; }; false; echo a",
  "X='echo E $?'; trap \"$X\" ERR; false; echo a",
  "set -Eeuo pipefail; trap 'echo \"failed: $?\" >&2' ERR; echo a; cat nofile; echo never",
  "set -E; trap 'echo E' ERR; false | true; echo a",
  "trap 'echo E; ls a.txt' ERR; cd sub; false",
  "set -Eeuo pipefail; echo hi; false | true; echo never",
];

Deno.test("what is run when a command has failed", () => compareWithBash(FAILING));

/** `set -a` */
const EXPORTING = [
  "set -a; FOO=bar; set +a; BAZ=1; env | grep -E '^(FOO|BAZ)='",
  "set -o allexport; A=2; env | grep ^A=; set +o allexport; B=1; env | grep -c ^B=",
  "set -a; read X <<< 5; for i in 1; do env | grep -E '^(X|i)='; done; ((n=4)); env | grep ^n=; printf -v p q; env | grep ^p=",
  "set -a; f() { local z=1; env | grep ^z=; }; f; env | grep -c ^z=; x=(1 2); env | grep -c ^x=",
  "(set -a; A=1; env | grep -c ^A=); A=2; env | grep -c ^A=",
  "set -a; A=1; (B=2; env | grep -E '^[AB]=' | sort); echo $(C=3; env | grep ^C=)",
  "set -a; A=1; bash -c 'B=2; env | grep -E \"^[AB]=\"'",
  "set -ea; A=1; env | grep ^A=; false; echo never",
  "printf 'A=1\\nB=two\\n' > f; set -a; . ./f; set +a; env | grep -E '^[AB]=' | sort; sh -c 'echo $A$B'",
];

Deno.test("variables that are all exported", () => compareWithBash(EXPORTING));

/** `jobs`, `fg` and `bg` of a shell that nobody sits before. */
const JOBS = [
  "sleep 20 2>/dev/null >/dev/null & kill $(jobs -p); wait; echo done",
  "sleep 20 2>/dev/null >/dev/null & sleep 21 2>/dev/null >/dev/null & jobs -p | wc -l; kill $(jobs -p); wait; echo $?",
  'sleep 20 2>/dev/null >/dev/null & x=$(jobs -p); [ "$x" = "$!" ] && echo eq; { jobs -p; } | wc -l; (jobs -p) | wc -l; kill %1',
  "jobs; jobs -l; echo $?",
  "fg; echo $?; bg; echo $?",
  "sleep 0.1 & wait; jobs; echo none",
  "f() { jobs -p | wc -l; }; sleep 20 2>/dev/null >/dev/null & f; kill $!",
  "sleep 0.1 & sleep 0.1 & wait $(jobs -p); echo $?",
];

Deno.test("what runs beside a line is listed, and ended by that", () => compareWithBash(JOBS));

Deno.test("what runs beside a line is listed at its end, too", async () => {
  // Not by comparison: of 200 times bash itself lists nothing in 4, and kill says how it is used.
  await withDirectory(async (directory) => {
    const line = "trap 'kill $(jobs -p)' EXIT; sleep 20 2>/dev/null >/dev/null & echo hi";
    const { stdout, stderr } = said(await runLine(line, directory));
    assertEquals([stdout, stderr], ["hi\n", ""]);
  });
});

/** Files by a bare name, `<(…)` and standard input. */
const SOURCED = [
  "source <(echo 'X=1'); echo $X",
  "source <(echo 'echo hi; Y=2'); echo $Y",
  ". <(sed 's/alpha/B=2/;s/beta//' a.txt); echo $B",
  "source /dev/stdin <<< 'Z=3'; echo $Z",
  "echo 'Q=4; echo in' | { . /dev/stdin; echo $Q; }",
  "printf 'A=1\\n' > v.sh; source v.sh; echo $A",
  "printf 'A=1\\n' > v.sh; cd sub; source ../v.sh; echo $A; . nofile.sh; echo $?",
  "printf 'echo $1; nope\\nreturn 3\\n' > v.sh; source v.sh arg; echo $?",
  "printf 'nope\\n' > v.sh; source ./v.sh",
  'f() { source <(echo "V=$1"); }; f 7; echo $V',
  "source <(printf 'echo a\\nfalse\\n') && echo ok || echo bad",
  "source <(true); echo $?",
  "set -e; source <(echo false); echo never",
  "source /dev/stdin < a.txt 2>/dev/null; echo $?",
];

Deno.test("text that is sourced", () => compareWithBash(SOURCED));

/** `command -V` */
const NAMED = [
  "command -V cd; command -V if; command -V ls; command -V nothere; echo $?",
  "command -V echo nothere; echo $?",
  "command -v -- ls; command -V -- ls",
];

Deno.test("what a name means", () => compareWithBash(NAMED));
