/** What bash has beyond POSIX, and commands beside a line: output, errors, status and files as bash has them. */

import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { ToolError } from "../../../../../src/core/errors.ts";
import { withDirectory } from "../../files/_temporary.ts";
import { compareWithBash, fill, runLine, said } from "./_line.ts";

const LINES = [
  "echo hi",
  "[[ -f a.txt && a == a* ]] && echo yes",
  'f() { local x=$1; echo "f:$x:$#:$@"; return 3; }; f a "b c"; echo $?',
  'x=a.b.c; echo ${x//./_} ${x/./-} ${x:2} ${x:0:1} ${x^^} ${x^} "${x: -1}"',
  'a=(1 2 "3 4"); echo "${#a[@]}" "${a[1]}"; for i in "${a[@]}"; do echo "<$i>"; done; a+=(5); echo "${a[@]}" "${!a[@]}"',
  'declare -A m=([x]=1 [y]=2); m[z]=3; for k in "${!m[@]}"; do echo $k=${m[$k]}; done',
  'echo {01..03} {a..e} {1..10..3} x{a,b{1,2}}y "q"{1,2}',
  "echo err >/dev/stderr; echo out >/dev/stdout",
  "c=echo; $c hi there",
  // What a variable says is the command, also where the shell does it itself.
  'run() { echo "+ $*"; "$@"; echo $?; }; run false; run true; run cd sub; pwd; run export A=1; env | grep ^A=; run . ./nope; run [ -f a.txt ]',
  'for c in true false ":"; do if $c; then echo "yes $c"; else echo "no $c"; fi; done',
  'retry() { local n=0; until "$@"; do n=$((n+1)); [ $n -ge 3 ] && return 1; done; }; retry false; echo $?; retry true; echo $?',
  'c="read x"; echo hi > in; $c < in; echo "$x"; c="shift"; set -- a b; $c; echo $1; "unset" x; echo "<$x>"; c=eval; $c "echo a; echo b"',
  "c=cd; for d in sub ..; do $c $d >log.txt || exit; pwd >> /dev/null; done; ls",
  "n=0; f() { echo $((++n)) >&2; }; c=true; $c 2>$(f 2>/dev/null; echo out.txt); ls out.txt",
  // Variables for a shell have the values that the shell around it knows.
  `env A=1 sh -c 'echo $A; B=2; echo $B'; echo "<$A>"`,
  `env A="x y" B=$WORDS bash -c 'echo "$A|$B" "$0"' n; env A=$(echo 5) sh -c 'echo $A; exit 3'; echo $?`,
  `X=0 env X=1 Y="$WORDS" bash -c 'echo $X "$Y"; env | grep ^Y'; env sh -c 'echo hi > out' 2>&1; cat out`,
  "env -i A=1 echo x; env A=1 env | grep ^A=",
  `env A=1 sh -c 'echo $A' > out; cat out; echo in | env A=1 sh -c 'read x; echo $x $A'; ! env A=1 sh -c 'exit 2'; echo $?`,
  `env FOO=bar sh -ec 'false; echo no'; echo $?; env A=1 B=2 sh -c 'for i in "$@"; do echo $i $A; done' _ a b`,
  `V=x; A=$V sh -c 'echo "<$A>"'`,
  `V=x; f() { local q=5; A=$q B=$1 bash -c 'echo "<$A> <$B>"'; }; f arg; set -- p; A=$1 sh -c 'echo "<$A> $0"' zero one`,
  `V=x; env A=$V sh -c 'echo "<$A>"'; A=(1 2); B="\${A[*]}" sh -c 'echo "<$B>"'`,
  `A=$? sh -c 'echo $A'; false; A=$? sh -c 'echo $A'; A=$0 sh -c 'echo $A' || true; A=$# sh -c 'echo $A' x y z`,
  `set -e; A=1 sh -c 'exit 3' || echo $?; A=1 sh -c 'false; echo on'; B=2 sh -c 'exit 4'; echo never`,
  `set -u; A=1 sh -c 'echo \${U-none} $U end'; exit 3; trap 'echo t' EXIT`,
  `A=1 B=$A$A sh -c 'echo $B'; echo "<$A>"; A=1 sh -c 'echo $A' | cat; x=$(A=7 sh -c 'echo $A'); echo $x; A=$(echo q; exit 2) sh -c 'echo $A $?'; echo $?`,
  `V="a b"; env A="$V" sh -c 'echo "<$A>"'; env A="$(echo 1)" B=2 bash -c 'echo $A $B'; false; env A="$?" sh -c 'echo $A'`,
  // A function is one from where the line comes to it.
  "f; echo $?; f() { ls; }; f",
  "g() { f; }; g; echo $?; f() { echo f $1; }; g; f x; unset -f f; f; echo $?",
  "set -e; g() { later || echo none; }; g; later() { false; }; later; echo never",
  'f() { echo "${FUNCNAME[@]} $FUNCNAME ${#FUNCNAME[@]} ${FUNCNAME[1]}"; }; g() { f; (f); echo "$(f)"; }; g; f; echo "[$FUNCNAME] ${#FUNCNAME[@]}"',
  "echo 'echo \"${FUNCNAME[*]}\"; f' > s.sh; f() { echo ${FUNCNAME[*]}; }; . ./s.sh; h() { . ./s.sh; echo $FUNCNAME; }; h; bash -c 'echo \"<$FUNCNAME>\"'",
  'case "$OSTYPE" in linux*) echo linux;; esac; echo $HOSTTYPE ${MACHTYPE%%-*}; sh -c \'echo "<$OSTYPE$FUNCNAME>"\'; kill -0 $PPID; echo $?',
  "echo a{u}.. HEAD@{1} @{u} {u}..x {x}.{y},z x{}y",
  "set -e; true; set +e; false; echo on; set -e; false; echo never",
  "trap 'echo bye' EXIT; echo hi; exit 3",
  "trap 'rm -f tmpf' EXIT; touch tmpf; ls",
  "trap 'echo bye' exit int SigTerm; echo hi",
  "trap 'false; exit' EXIT; true",
  "trap '(false; exit); echo $?' EXIT; true",
  "trap 'echo $(false; exit); echo $?' EXIT; true",
  "trap 'x=$(false; exit); echo $?' EXIT; (exit 2)",
  "f() { nope 2>/dev/null; exit $unset; }; trap f EXIT; (exit 3)",
  "trap 'exit 7' EXIT; exit 4",
  "(trap 'false; exit' EXIT; exit 5); echo $?",
  "trap 'eval \"false; exit\"' EXIT; true",
  "trap 'false | exit; echo $?' EXIT; exit 3",
  "trap '{ false; exit; } & wait $!; echo $?' EXIT; exit 3",
  "trap 'bash -c \"false; exit\"; echo $?' EXIT; exit 3",
  `sh -c "trap '(false; exit); echo \\$?; false | exit; echo \\$?' EXIT; (exit 3)"`,
  `sh -c "trap 'x=\\$(false; exit); echo \\$?; { false; exit; } & wait; echo \\$?' EXIT; (exit 3)"`,
  "kill -0 $$; echo $?",
  "sleep 0.1 & wait; echo done",
  // What stands behind a job that waits for a job of its own goes on.
  "(until [ -e go ]; do sleep 0.01; done & wait) & > go; wait; echo done",
  "sh -c 'until [ -e go ]; do sleep 0.01; done & wait; echo inner' & > go; wait; echo done",
  "{ cat <(until [ -e go ]; do sleep 0.01; done; echo read); } & > go; wait; echo done",
  "sleep 3000 & p=$!; kill $p; wait $p; echo $?",
  "cat <(echo hi) a.txt",
  "printf '%s-%d|%05.2f|%x\\n' a 3 2.675 255; printf '%s\\n' a b c; printf -v y '%03d' 7; echo $y; printf '%q\\n' \"a b\" \"it's\"",
  'echo a | while read -r l; do echo "[$l]"; done; echo "${PIPESTATUS[@]}"',
  'false | true; echo "${PIPESTATUS[0]} ${PIPESTATUS[1]}"',
  'echo "<${PIPESTATUS[@]}> <$PIPESTATUS> ${#PIPESTATUS[@]}"; echo "${PIPESTATUS[@]}"',
  'echo $UID $EUID; [ "$EUID" -ne 0 ] && echo no || echo root; sh -c \'echo "<$UID>"\'; bash -c \'echo "<$UID>"\'; ((UID == 0)); echo $?',
  'x=1; echo "$PIPESTATUS"; (false; echo "$PIPESTATUS"); echo "$PIPESTATUS"',
  "[ abc -eq 3 ]; echo $?",
  "printf '[%e|%.0e|%12.3E|%-12.2e|%+e|%010.1e]\\n' 1.5 250 -0.00012345 9.995 0 99.96; printf '%e\\n' 9.9999999 1e-5",
  "printf '[%g|%.3g|%G|%10g|%-9.2g|%+g|%08g]\\n' 100000 1234567 0.00001 0.0001 0.5 -0 3.25; printf '%g\\n' 1000000 999999.5",
  "printf '%.0g %.1g %g %g\\n' 25 0.095 1e100 123456789; printf -v x '%.3e' 12345; echo $x",
  "ulimit -Sn 64; grep 'open files' /proc/self/limits; (ulimit -n 50; ulimit -n; ulimit -Hn); ulimit -n",
  "ulimit -s 1024; grep stack /proc/self/limits; ulimit -s; ulimit -Hs; ulimit -s 1024; echo $?",
  "ulimit -S -s 900; ulimit -s hard; bash -c 'ulimit -Ss'; env grep stack /proc/self/limits; ulimit -c 0",
  "ulimit -n 70; ulimit -Sn 90; echo $?; ulimit -Hn 40; ulimit -Sn soft && ulimit -t 100",
  "ulimit -n 60 | cat; ulimit -Sn 60 & wait; ulimit -t 9; ulimit -St hard; grep 'cpu time' /proc/self/limits | tr -s ' '",
  "umask; (umask 077; umask -S; bash -c umask; echo x > f; touch g; stat -c %a f g); umask -p; umask",
  "umask 0; echo x > f; mkdir d; echo x >> a.txt; stat -c %a f d a.txt; bash -c 'umask; umask 027; echo y > h'; stat -c %a h",
  "umask u=rwx,go=; umask; x=$(umask; umask 0); umask; echo $x; umask $(echo 022); umask; f() { umask 007; }; f; umask",
  "sh -c 'umask 27; umask; umask -S; echo x > f; sh -c umask'; stat -c %a f; umask 077 | cat; umask 037 & wait; umask",
  "[ a = a -a b = b ] && echo both; [ ! -d sub ] || echo dir; [ -s a.txt ] && echo s; test -x sub && echo x",
  "{ echo a >&3; } 3>&1",
  "{ echo out; echo err >&2; } 3>&1 1>&2 2>&3 | cat",
  "cat <<EOF\nunclosed $HOME",
  'IFS=,; read -r a b <<< "x,y,z"; echo "$a|$b"; v="1,2"; for i in $v; do echo $i; done',
  'IFS=\',\' read -ra parts <<< "a,b,c"; echo "${parts[1]}" "${#parts[@]}"',
  "source ./lib.sh; echo $?",
  "printf 'x=5\\nfoo() { echo foo $1; }\\n' > lib.sh; . ./lib.sh; echo $x",
  "eval 'x=3; echo $x'; y='echo dyn'; eval \"$y\"",
  '[[ "v1.2.3" =~ ^v([0-9]+)\\.([0-9]+) ]] && echo "${BASH_REMATCH[1]} ${BASH_REMATCH[2]}"',
  "re='^a.*a$'; [[ alpha =~ $re ]] && echo m; [[ alpha =~ \"$re\" ]] || echo nm",
  'mapfile -t L < a.txt; echo "${L[1]}" ${#L[@]}',
  '{ mapfile -t -n 1 L; read -r next; } < a.txt; echo "${L[@]}" ${#L[@]} "$next"',
  'mapfile -n 0 L < a.txt; mapfile -d b -n 9 M < a.txt; echo ${#L[@]} ${#M[@]} "${M[0]}"',
  "command -v ls echo nope; type -t cd ls if; type cd",
  "for i in 1 2 3; do echo $i; done > >(cat; > over); until [ -e over ]; do sleep 0.02; done",
  "n=0; while [ $n -lt 5 ]; do n=$((n+1)); done; echo $n",
  "f() { f2; }; f2() { echo in; }; f",
  ': "${Y:=def}"; echo $Y; echo ${Y:?no}; unset Y; echo ${Y-u}',
  "export A=1; bash -c 'echo $A $B'; B=2; sh -c 'echo \"[$B]\"'",
  "bash -c 'echo $0 $1 $#; shift; echo $1' name a b",
  'set -- a b c; echo $# $2; shift; echo "$@"',
  '[[ 5 -gt 3 && ! -e nope ]] || echo no; [[ -z "" ]] && echo z; [[ a < b ]] && echo lt',
  "shopt -s nullglob; echo *.nope; ls *.md",
  "echo -e 'a\\tb\\x41\\n\\0101'; echo -n x; echo -E 'a\\n'",
  "arr=($(ls *.txt)); echo ${arr[0]} ${arr[-1]} ${arr[@]:1:2}",
  'x=a.b.c; echo ${x//./_} ${x/./-} ${x#*.} ${x##*.} "${x//[ab]/<&>}" ${x/%c/d} ${x/#a/z} ${x//./} ${x/}',
  "cat <(echo one) <(echo two | tr a-z A-Z) > out; cat out",
  'while IFS= read -r f; do echo "$f"; done < <(ls | sort -r)',
  "echo hi | tee >(cat > copy) >/dev/null; while [ ! -s copy ]; do sleep 0.02; done; cat copy",
  'p=\'*.txt\'; x=abc.txt; echo ${x%$p} ${x%"$p"} ; [[ $x == $p ]] && echo pat; [[ $x == "$p" ]] || echo lit',
  'main() { local a=1 b; b=$(echo $1); for i in "$@"; do echo "$i-$a-$b"; done; }; main x "y z"; echo "[$a]"',
  'die() { echo "$*" >&2; exit 1; }; [ -f nope ] || die "no file" here; echo never',
  "set -euo pipefail; f() { false; echo in; }; f || echo caught; f; echo never",
  '(sleep 0.05; echo bg) & wait $!; echo "rc $?"',
  "for i in 1 2 3; do (sleep 0.0$i; echo $i > n$i) & done; wait; cat n1 n2 n3",
  "false & wait $!; echo $?",
  "sleep 3000 & kill %1; wait %1 2>/dev/null; echo $?",
  // It ends as it says itself, whatever it was told: timeout(1) hands on what it is sent, and says so in its status. Where that
  // is killed before it knows its program (bash's own can be), the program goes on: it has an end by itself.
  "timeout -s KILL 500 sleep 500 & sleep 0.3; kill $!; wait $!; echo $?",
  "timeout --preserve-status -k 9 9 sh -c 'trap \"exit 7\" TERM; echo > set; sleep 8' & until [ -e set ]; do sleep 0.05; done; sleep 1; kill $!; wait $!; echo $?",
  'cmd="ls -1"; $cmd | head -1',
  'cmd=(echo a "b c"); "${cmd[@]}"',
  'NAMES="a b c"; for n in $NAMES; do echo "- $n"; done; echo ${NAMES// /,}',
  'if [[ "$HOME" == /home/* && -d sub ]]; then echo ok; fi',
  'case "$(echo abc)" in a*) echo A;; esac; [[ "a b" == "a b" ]] && echo q',
  'f() { echo "$#"; shift; echo "$@"; set -- x y; echo "$1"; }; f 1 2 3; echo $#',
  "printf '%5s|%-5s|%05d|%+d|%.2s|%c\\n' ab cd 42 7 xyz hello; printf '%b\\n' 'a\\nb'; printf '%s %s\\n' a b c",
  "printf '%.2f %.0f %.1f %.3f\\n' 0.125 2.5 0.05 1e-3; printf '%d\\n' 0x1f 010 -5 \"'A\"; printf '%d\\n' abc; echo $?",
  'test; echo $?; test ""; echo $?; test a b; echo $?; [ a ; echo $?; [ -z ] && echo one; [ "(" a ")" ] && echo par',
  '[ 1 -lt 2 ] && [ a != b ] && [ ! a = b ] && echo yes; [ -n "" -o -n x ] && echo or',
  "set -f; echo *; set +f; echo *.md",
  'x=1; f() { x=2; local y=3; unset x; }; f; echo "[$x][$y]"',
  "trap 'echo cleanup $?' EXIT; false",
  "trap 'echo a' EXIT; trap - EXIT; echo done",
  "cleanup() { rm -f tmp1; echo cleaned; }; trap cleanup EXIT INT TERM; touch tmp1; ls",
  "(trap 'echo inner' EXIT; echo x); echo y",
  'a=(); echo "${#a[@]}"; a[3]=x; echo "${!a[@]}" "${a[@]}"; for i in "${a[@]}"; do echo $i; done; echo "${a[@]:-none}"',
  'declare -a L=(x y); L+=("z w"); printf \'<%s>\' "${L[@]}"; echo; echo "${L[*]}"; IFS=-; echo "${L[*]}"',
  's="hello world"; echo "${s:0:5}" "${s:6}" "${s: -5:3}" "${s:1:-1}" "${#s}"; echo ${s@Q} ${s@U}',
  "v=name; name=val; echo ${!v}",
  'echo "a\\"b" \'c\' $\'d\\te\' "$(echo "in $(echo nested)")"',
  'read -p "x? " v <<< "y"; echo $v; read <<< "z w"; echo "$REPLY"',
  "f() { return; }; true; f; echo $?; false; f; echo $?",
  "echo x > f1; { cat f1; echo y; } >> f1.out; cat f1.out; cat < f1 > f2; cat f2",
  "type ls nope_x; echo $?",
  "for ((i=0;i<3;i++)); do echo $i; done; i=5; while ((i-->3)); do echo w$i; done",
  "seq 3 | while read n; do [[ $n == 2 ]] && continue; echo $n; done",
  'x="$(printf \'a\\nb\\n\')"; while read -r l; do echo "[$l]"; done <<< "$x"',
  "true && { echo a; false; } || echo b",
  "echo start; exit 4; echo no",
  "printf '%d|%i|%x|%f|%s\\n' '' '' '' '' ''; echo $?; printf '%d\\n' ' '; echo $?; printf '%c|%c|' '' | wc -c",
  'echo "[${U:0:-1}]" ${U:1:-2}; f() { echo "<${1:0:-1}>"; }; f; f abc; V=; echo "${V:0:-1}"; echo no',
  'x=ab; echo ${x/#/p} "${x/%/-s}" ${x/#/} ${x/%/$x}; x=; echo "${x/#/p}${x/%/s}"; unset x; echo "[${x/#/p}]"; a=(f g); echo "${a[@]/#/-I}" ${a[*]/%/.o}; a=(); echo "${a[@]/#/p}" | wc -c',
  'A=(); echo "${A[@]%x}" é; set -- "${A[@]^}" "${U[@]:1}" "${U[@]}"; echo $#; echo "${U[@]%x}" a; echo "${U[*]%x}" b "${@%x}" c',
  'f() { echo $#; }; f "$@"; f "$@$@"; f "${@:-}"; f "${#@}"; f "$*"; f x"$@"; f "$@"x; f ""; f "${A[@]}${B[@]}"; f "$@"""; f """$@"; f "${@:-$@}"; f "${@/a/b}"; f "${A[@]@Q}"; f "${!A[@]}"',
  'f() { echo $#; }; set -- "a b" ""; f "$@"; f "$@$@"; f x"$@"y; f "${@%b}"; f "${@:2}"; f "${@:-x}"; f "$*"; A=("p q" r); f "${A[@]}${A[@]}"; f "${A[@]^}" "${A[*]^}"; f "${!A[@]}"',
  "{ ls a.txt nope.txt 3>&1 1>&2 2>&3 | sort; } 2> err; cat err",
  "ls a.txt nope.txt 3>&1 1>&2 2>&3 3>&- | wc -l",
  "echo a 3> three 1>&3; cat three; sort a.txt 4> four >&4; cat four; [ -f four ] 5> five; ls",
];

Deno.test("what bash has beyond POSIX comes out as it does there", () => compareWithBash(LINES));

Deno.test("what still runs at the end of a line is ended, and the answer says so", async () => {
  await withDirectory(async (directory) => {
    fill(directory);
    const outcome = await runLine("{ sleep 30; touch late; } & sleep 40 & echo on", directory);
    const { stdout, stderr, status } = said(outcome);
    assertEquals([stdout, status], ["on\n", 0]);
    assertStringIncludes(stderr, "ended with the call, which leaves nothing running: sleep 40");
    assertStringIncludes(stderr, "{ sleep 30; touch late; }");
    assertEquals([...Deno.readDirSync(directory)].some(({ name }) => name === "late"), false);
  });
});

/** Lines that bash would run, and what stands in their way here. */
const REFUSED: readonly (readonly [line: string, why: string])[] = [
  ["f() { f; }; f", "functions within each other"],
  ["readonly x=1; x=2", "readonly"],
  ["x='\\d'; [[ a =~ $x ]]", "regular expression"],
  ["re='(a|ab)(c)'; [[ abc =~ $re ]]; echo ${BASH_REMATCH[1]}", "alternatives"],
  ["y='a&b'; x=1; echo ${x/1/$y}", "double quotes"],
  ["x=é; echo ${x^^}", "locale"],
  ["{ echo a >/dev/stdout; } > out", "anew"],
  ["n='a b'; echo ${!n}", "no name"],
  ["c=exec; $c ls", "takes the line itself"],
  ["c='set -e'; $c", "takes the line itself"],
  ["c='alias x=y'; $c", "shell itself"],
  ["{ sort; } 3<a.txt 0<&3; c=sort; $c 3<a.txt", "descriptor above 2"],
  ["PATH=/tmp:$PATH; ls", "PATH may only"],
  ["printf '%a' 1", "conversion"],
];

Deno.test("what is not done as bash does it does not run", async () => {
  await withDirectory(async (directory) => {
    fill(directory);
    for (const [line, why] of REFUSED) {
      const refusal = async (): Promise<void> => {
        const outcome = await runLine(line, directory);
        if (outcome.refusal !== null) throw outcome.refusal;
      };
      await assertRejects(refusal, ToolError, why, line);
    }
  });
});
