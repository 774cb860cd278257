/** Arithmetic must come to what it comes to in bash, or not be calculated. */

import { assertEquals } from "@std/assert";
import { Random } from "../../../../random.ts";
import { withDirectory } from "../../files/_temporary.ts";
import { compareWithBash, fill, runLine } from "./_line.ts";

const LINES = [
  "echo $((1+2*3)) $(( (1+2)*3 )) $((7/2)) $((-7/2)) $((-7%3)) $((2**10)) $((2**3**2))",
  "echo $((0x1f)) $((010)) $((1<<4)) $((255>>2)) $((5&3)) $((5|3)) $((5^3)) $((~5)) $((!0)) $((!7))",
  'i=5; echo $((i+1)) $(($i+1)) $((${i}*2)) "$((i))"',
  "i=1; i=$((i+1)); echo $i; echo $((i++)) $i $((++i)) $i $((i--)) $((--i))",
  "echo $((nope)) $((nope+1))",
  "echo $((1<2)) $((2<=2)) $((3>4)) $((1==1)) $((1!=1)) $((1&&0)) $((1||0)) $((0||0))",
  "echo $((1?2:3)) $((0?2:3)) $((1?0?4:5:6))",
  "x=3; echo $((x=7)) $x $((x+=2)) $x $((x*=2)) $((x-=1)) $((x/=2)) $((x%=5)) $((x<<=2)) $((x|=1)) $x",
  "echo $((-2**2)) $((- 3)) $((+4)) $((-(-5)))",
  "echo $((999999999999999999*100))",
  'echo "$(( $(wc -l < a.txt) + 1 ))"',
  "for ((i=0; i<3; i++)); do echo $i; done; echo $i",
  "for ((;;)); do break; done; echo ok",
  "for ((i=3; i>0; i--)); do [ $i = 2 ] && continue; echo $i; done",
  "((1)) && echo yes; ((0)) || echo no",
  "i=0; while ((i<3)); do echo $i; ((i++)); done",
  "i=0; while [ $i -lt 3 ]; do i=$((i+1)); echo $i; done",
  "((i=5)); echo $i",
  "set -e; ((0)); echo no",
  "set -e; ((1)); echo yes",
  "set -e; i=0; ((i++)) || true; echo $i",
  "n=0; for f in *.txt; do n=$((n+1)); done; echo $n",
  "x=; echo $((x+1))",
  'x=" 5 "; echo $((x+1))',
  "x=-3; echo $((x*2)) $((5-$x)) $((5 - x))",
  "x=010; echo $((x))",
  "sum=0; for i in 1 2 3; do ((sum+=i)); done; echo $sum",
  "echo $((5 % 3 * 2 - 1)) $((1 + 2 << 3)) $((6 & 3 == 2))",
  'echo a$((1+1))b "x$((2))"',
  "a=5; b=3; echo $(( a > b ? a : b ))",
  "echo $(( (1+2) ))",
  "echo $((0)) && echo $((0 && nope/0))",
  "cat <<E\n$((1+1)) $(echo hi)\nE",
  "head -n $((1+1)) a.txt",
  "[ $((3 % 2)) -eq 1 ] && echo odd",
  "echo $(( 1 +\n2 ))",
  "echo $(( $((1+1)) * $(( (2) )) )) $((-$((-1)))) $((3**$((1+1))))",
  "V=foobar; i=2; echo ${V:$((i)):1} ${V:0:$((${#V}-1))} ${V:$(($i+1))}",
  'declare -A c; for w in a b a; do c[$w]=$((c[$w]+1)); done; for k in "${!c[@]}"; do echo $k ${c[$k]}; done | sort',
  'declare -A c; for w in a b a "d e"; do ((c[$w]++)); ((c["n"] += 2)); done; echo ${c[a]} ${c[b]} ${c[d e]} ${c[n]}',
  "declare -A c; for w in a.b/c-d:e é; do (( c[$w] += 1 )); (( --c[$w] )); echo $((c[$w] = 7)) ${c[$w]}; done",
  "a=(1 2); i=0; ((a[i]++)); ((a[$i+1] += 5)); (( ++a[i] )); echo ${a[@]} $((a[0]++ + a[1]--)) ${a[@]} $((a[7]))",
  "a=(); ((a[3]=7)); echo ${!a[@]} ${a[@]}; x=5; ((x[0]++)); echo $x; ((n[2]|=4)); echo ${n[2]}",
  "set -u; a=(1); ((a[1]++)); echo ${a[1]}; echo $((b[0] + 1)); echo no",
  "set -u; declare -A c; ((c[x]++)); echo no",
  "for i in 1 2 3; do (( t[i % 2] += i )); done; echo ${t[0]} ${t[1]}",
  "x=4; echo $(( x++ + 1 )) $((x)) ; (( $((x)) == 5 )) && echo five",
];

Deno.test("arithmetic comes to what it comes to in bash", () => compareWithBash(LINES));

const BINARY = "+ - * / % ** << >> & | ^ == != < > <= >= && ||".split(" ");

/** An expression of bash's; what stands behind an operator that not every number may stand behind is a number that may. */
function expression(random: Random, depth: number): string {
  const inner = () => expression(random, depth - 1);
  if (depth === 0) {
    return random.pick(["0", "1", "7", "12", "0x1f", "017", "a", "b", "$a", "${b}", "nope"]);
  }
  switch (random.below(6)) {
    case 0:
      return `(${inner()})`;
    case 1:
      return `${random.pick(["-", "+", "!", "~"])} ${inner()}`;
    case 2:
      return `(${inner()}) ? ${inner()} : (${inner()})`;
    case 3:
      return `(${random.pick(["c = ", "c += ", "c -= ", "c *= "])}${inner()})`;
    default: {
      const operator = random.pick(BINARY);
      const safe = ["/", "%", "**", "<<", ">>"].includes(operator);
      const right = safe ? String(1 + random.below(9)) : inner();
      return `${inner()} ${operator} ${right}`;
    }
  }
}

Deno.test("any expression comes to what it comes to in bash", () => {
  const random = new Random(71);
  const lines = Array.from({ length: 12 }, () => {
    const all = Array.from({ length: 40 }, () => `$((${expression(random, 1 + random.below(4))}))`);
    return `a=5; b=-3; c=2; echo ${all.join(" ")} $c`;
  });
  return compareWithBash(lines);
});

Deno.test("an expression within another comes to what it comes to in bash", () => {
  const random = new Random(72);
  const plain = (): string => {
    const found = expression(random, random.below(3));
    return found.includes("c ") ? plain() : found;
  };
  const nested = () =>
    `$(($((${plain()})) ${random.pick(["+", "-", "*", "<", "&&"])} -$((${plain()}))))`;
  const lines = Array.from({ length: 4 }, () => {
    return `a=5; b=-3; echo ${Array.from({ length: 30 }, nested).join(" ")}`;
  });
  return compareWithBash(lines);
});

/** What bash takes for more than a number: it could run something, or ends in bash in a way of its own. */
const REFUSED = [
  "x=1+1; echo $((x))",
  "x='a[$(echo 1)]'; echo $((x))",
  "x=1; echo $((x + $((x++))))",
  "a=(1 2); i=0; (( a[i++] += 1 ))",
  "declare -A c; w='$(touch made)'; (( c[$w]++ ))",
  "declare -A c; w='a]'; (( c[$w] = 1 ))",
  "(( a[@]++ ))",
  "(( BASH_REMATCH[0] = 1 ))",
  "x=1; echo $((x++ + $((x))))",
  "echo $((1 + $((ls) ) ))",
  "echo $((1/0))",
  "x=0; echo $((5 % x))",
  "echo $((2 ** -1))",
  "echo $((1 << 64))",
  "x=08; echo $((x))",
  "echo $(( $(echo) + 1 ))",
];

Deno.test("what bash would take further than numbers is not calculated", () =>
  withDirectory(async (directory) => {
    fill(directory);
    for (const line of REFUSED) {
      // Thrown where nothing of the line has begun.
      const refusal = await runLine(line, directory).then((ran) => ran.refusal, (error) => error);
      assertEquals(refusal?.code, "COMMAND_UNPARSABLE", line);
    }
  }));
