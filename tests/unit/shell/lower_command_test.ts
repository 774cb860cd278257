/** What lines need, in short: `p` a program, `P` one to be judged again, `o` a shell that is opened, `r` `w` files, `e` a variable. */

import { assertEquals, assertRejects } from "@std/assert";
import type { Capability } from "../../../src/core/capability.ts";
import { ToolError } from "../../../src/core/errors.ts";
import { lowerCommand, lowerPlan } from "../../../src/shell/lower_command.ts";
import { parseLine } from "../../../src/shell/parse_line.ts";

function short(capability: Capability): string {
  switch (capability.kind) {
    case "process.spawn": {
      const { argv, cwd, open, opened, scripts } = capability;
      const kind = opened ? "o" : open === undefined ? "p" : `P${open}`;
      const taken = scripts === undefined ? "" : ` {${scripts}}`;
      return `${kind} ${cwd === "." ? "" : `${cwd}: `}${argv.join(" ")}${taken}`;
    }
    case "fs.read":
    case "fs.write":
      return `${capability.kind === "fs.read" ? "r" : "w"} ${capability.path}`;
    case "env.read":
      return `e ${capability.name}${capability.change ? "" : "?"}`;
    case "net.connect":
      return "c";
  }
}

const CASES: readonly (readonly [line: string, needs: string])[] = [
  ["ls -l", "p ls -l"],
  ["a | b && c; (d) || { e; }", "p a, p b, p c, p d, p e"],
  ["cd x && a; cd y; b", "p x: a, p x/y: b"],
  ["cd x | a; b", "p a, p b"],
  ["(cd x; a); b", "p x: a, p b"],
  ["{ cd x; a; }; b", "p x: a, p x: b"],
  ["! cd x; a", "p x: a"],
  ["cd /x; a > y", "p /x: a, w /x/y"],
  ["cd x && sh -c 'cd y; a' && b", "o x: sh -c cd y; a, p x/y: a, p x: b"],
  ["a < b > c 2> d >> e <> f", "p a, r b, w c, w d, w e, r f, w f"],
  ["a > /dev/null 2>&1 < /dev/null", "p a"],
  ["> x", "w x"],
  ["cd y > x", "w x"],
  ["(a; b) > x", "w x, p a, p b"],
  ["a > $X", "p a"],
  ["A=1 B=2 a", "e A, e B, p a"],
  ["A=$(b) c", "e A, p b, p c"],
  ["A=1", "e A"],
  ["GIT_EDITOR=true git commit; GIT_EDITOR=vi a", "p git commit, e GIT_EDITOR, p a"],
  ["GIT_EDITOR=$X git commit; GIT_EDITOR=true", "e GIT_EDITOR, p git commit, e GIT_EDITOR"],
  ["export A=1 B; unset C", "e A, e B, e C"],
  ['a *.x $Y "$(b c)" d', "p b c, P1,2,3 a *.x ${Y} $(…) d"],
  ["a ${X:-$(b)}", "p b, P1 a ${X:-$(…)}"],
  ["cat <<E\n$(a)\nE", "p cat, p a"],
  ["cat <<'E'\n$(a)\nE", "p cat"],
  ["a > $(b)", "p a, p b"],
  ["nice sh -c 'a | b'", "p nice sh -c a | b {a | b}, p a, p b"],
  // The line does it itself, for so long.
  ["timeout 5 sh -c 'a *.x | b'", "o timeout 5 sh -c a *.x | b, o sh -c a *.x | b, P1 a *.x, p b"],
  [
    "A=1 timeout -k 1 -s KILL 1.5m bash -lc 'a \"$1\"' _ $X > y",
    'e A, P10 timeout -k 1 -s KILL 1.5m bash -lc a "$1" _ ${X}, w y',
  ],
  [
    "timeout --foreground 5 bash -c 'cd x; a' > y",
    "o timeout --foreground 5 bash -c cd x; a, w y, o bash -c cd x; a, p x: a",
  ],
  // So it does what stands before git.
  ["timeout 5 git add x", "o timeout 5 git add x, p git add x"],
  [
    "timeout -k 1 5 env A=1 nice git add x > y",
    "e A, o timeout -k 1 5 env A=1 nice git add x, o env A=1 nice git add x, o nice git add x, p git add x, w y",
  ],
  ["nice -n 5 git add $X", "o nice -n 5 git add ${X}, P2 git add ${X}"],
  [
    "nohup stdbuf -oL setsid -w ionice -c 3 git add",
    "o nohup stdbuf -oL setsid -w ionice -c 3 git add, o stdbuf -oL setsid -w ionice -c 3 git add, o setsid -w ionice -c 3 git add, o ionice -c 3 git add, p git add",
  ],
  ["env A=$X git add", "P1 env A=${X} git add"],
  ['env "A=$X" git add', "e A, o env A=${X} git add, p git add"],
  ['env A="$X" git add', "e A, o env A=${X} git add, p git add"],
  ["timeout 5 timeout 6 git add", "p timeout 5 timeout 6 git add"],
  ["timeout $X git add", "P1 timeout ${X} git add"],
  ["env -i git add", "p env -i git add"],
  ["env PATH=x git add", "p env PATH=x git add"],
  ["A=1 env B=$A git add", "e A, P1 env B=${A} git add"],
  ["nice -n -5 git add", "p nice -n -5 git add"],
  ["setsid -f git add", "p setsid -f git add"],
  ["timeout 5 ./git add", "p timeout 5 ./git add"],
  [
    "nice sh -c 'timeout 5 git add'",
    "p nice sh -c timeout 5 git add {timeout 5 git add}, p timeout 5 git add",
  ],
  // In no other form.
  ["timeout 5 a", "p timeout 5 a"],
  ["timeout $X sh -c 'a'", "P1 timeout ${X} sh -c a"],
  ["timeout 5 nice sh -c 'a'", "p timeout 5 nice sh -c a {a}, p a"],
  ["timeout -x 5 sh -c 'a'", "p timeout -x 5 sh -c a {a}, p a"],
  [
    "cd x; nice bash -c 'cd y; a > z'",
    "p x: nice bash -c cd y; a > z {cd y; a > z}, p x/y: a, w x/y/z",
  ],
  ["a; exec >x 2>&1; b; cd y; c >z", "p a, w x, p b, p y: c, w y/z"],
  ["exec 3<x && b || c", "r x, p b, p c"],
  ["(exec >x; a); b", "w x, p a, p b"],
  ["exec 3<$X; b $(c)", "p c, P1 b $(…)"],
  ["time a x | b", "p a x, p b"],
  ["time -p { cd x; a; }; b", "p x: a, p x: b"],
  ["let x=1; ((y=$(a)))", "e x, e y, p a"],
  ["pushd x && a; pushd /y; b", "p x: a, p /y: b"],
  ["pushd x; popd; a b", "P1 a b"],
  ["case $(a) in x) b ;& y) c ;;& *) d;; esac", "p a, p b, p c, p d"],
  ["getopts ab X a", "e X"],
  ["read -n 3 -t 1 X", "e X"],
  ["builtin cd x; a", "p x: a"],
  ["a & kill $!; kill %1", "p a, o kill ${!}, o kill %1"],
  ["kill -9 $P; kill -s TERM $P", "o kill -9 ${P}, o kill -s TERM ${P}"],
  ["kill 12; kill -9 $P 12; kill $(a)", "p kill 12, P2 kill -9 ${P} 12, p a, P1 kill $(…)"],
  [
    "find src d -type f -exec sh -c 'a \"$1\" | b x > out' _ {} \\;",
    'p find src d -type f -exec sh -c a "$1" | b x > out _ {} ; {a "$1" | b x > out}, p a src d, p b x, w out',
  ],
  [
    'find -name x -exec bash -c \'a "$@" && b "$1"\' _ {} +',
    'p find -name x -exec bash -c a "$@" && b "$1" _ {} + {a "$@" && b "$1"}, p a ., p b .',
  ],
  ["find . -exec sh -c 'a \"$0\"' {} \\;", 'p find . -exec sh -c a "$0" {} ; {a "$0"}, p a .'],
  [
    'find src d -exec sh -c \'echo "f: $1" > out; printf %s "$1"\' _ {} \\;',
    'p find src d -exec sh -c echo "f: $1" > out; printf %s "$1" _ {} ; {echo "f: $1" > out; printf %s "$1"}, p echo f: src, w out, p printf %s src',
  ],
  // What is printed of others runs before; a file that is read is one of those that are found.
  [
    'find src d -exec sh -c \'echo "$1: $(a -l < "$1" | b)" > out\' _ {} \\;',
    'p find src d -exec sh -c echo "$1: $(a -l < "$1" | b)" > out _ {} ; {echo "$1: $(a -l < "$1" | b)" > out}, p a -l, r src, r d, p b, p echo src: , w out',
  ],
  [
    'find d -exec sh -c \'printf "%s %s\\n" "$(a "$1")" "$(cd /x && b "$1")"; c\' _ {} \\;',
    'p find d -exec sh -c printf "%s %s\\n" "$(a "$1")" "$(cd /x && b "$1")"; c _ {} ; {printf "%s %s\\n" "$(a "$1")" "$(cd /x && b "$1")"; c}, p a d, p /x: b d, p printf %s %s\\n  , p c',
  ],
  ["a <(b) x; cd $(c); d <(e)", "p b, p a /dev/fd/pipe x, p c, P e, P1 d /dev/fd/pipe"],
  ["find . -exec sh -c 'a {}' _ {} \\;", "p find . -exec sh -c a {} _ {} ;"],
  ["find . -execdir sh -c 'a \"$1\"' _ {} \\;", 'p find . -execdir sh -c a "$1" _ {} ;'],
  ["find . -exec sh -c 'a' \\;", "p find . -exec sh -c a ; {a}, p a"],
  // What a real shell would read in its own way stays for the policy to refuse.
  ["nice sh -c 'a $X'", "p nice sh -c a $X"],
  ["nice sh -c 'a *.x'", "p nice sh -c a *.x"],
  ["nice sh -c 'a &> x'", "p nice sh -c a &> x"],
  ...[
    "printf -v PATH x; a",
    "[ -v x ]",
    "test ! -v x",
    "OPTIND=1; a",
    "read OPTIND",
    "export OPTIND=1; a",
  ]
    .map((script): readonly [string, string] => [
      `nice bash -c '${script}'`,
      `p nice bash -c ${script}`,
    ]),
  ["nice bash -lc 'a'", "p nice bash -lc a"],
  ["find . -exec sh -c 'a {}' \\;", "p find . -exec sh -c a {} ;"],
  ["find . -execdir sh -c 'a' \\;", "p find . -execdir sh -c a ;"],
  // The line does it itself: what is put into the script is judged with it, when it has come.
  ["xargs -I% sh -c 'a %'", "o xargs -I% sh -c a %"],
  ["xargs -n1 sh -c 'a; b $0'", "o xargs -n1 sh -c a; b $0, o sh -c a; b $0, p a, P1 b ${0}"],
  ["xargs -0 rm -f", "o xargs -0 rm -f, P2 rm -f $(…)"],
  ["xargs -I% cp % d/%", "o xargs -I% cp % d/%, P1,2 cp $(…) $(…)"],
  ["cd $(c); xargs rm", "p c, o xargs rm, P1 rm $(…)"],
  ["nice sh -c 'xargs rm'", "p nice sh -c xargs rm {xargs rm}, p xargs rm"],
  // Text is no script.
  ["echo bash -c 'rm -rf /'", "p echo bash -c rm -rf /"],
  ["git commit -m x sh -c 'rm -rf /'", "p git commit -m x sh -c rm -rf /"],
];

for (const [line, needs] of CASES) {
  Deno.test(`needs: ${line}`, async () => {
    const found = await lowerPlan(await parseLine(line), ".");
    assertEquals(found.map(short).join(", "), needs);
  });
}

/** Of a path that is found: where it is split, a program's name, a place, a file to write to, or text of another. */
const NOT_UNDERSTOOD = [
  "a $1",
  '"$1" x',
  'cd "$1"; a',
  'a > "$1"',
  'eval "$1"',
  'a "${1%.x}"',
  'a "x$1"',
  'a "$(b "$1")"',
  'x="$1" a',
  'a "$2"',
  'for f; do a "$f"; done',
  '. "$1"',
];
/** The same, and what prints more than its words. */
const NOT_UNDERSTOOD_BY_BASH = [
  'printf -v "$1" x',
  'printf "$1"',
  'echo $1 > "$1"',
  'echo "$1" $2',
  'cd "$1"',
  'echo $(a "$1")',
  'echo "$(a "x$1")"',
  'echo "$("$1")"',
  'echo "$(cd "$1"; a)"',
  'echo "$(a > "$1")"',
  'echo x > "$(a "$1")"',
  'echo "$(a < "x$1")"',
];

Deno.test("a script that find starts is left out where what it does is not known before", async () => {
  const cases = [
    ...NOT_UNDERSTOOD.map((script) => ["find", ".", "-exec", "sh", "-c", script, "_", "{}", ";"]),
    ...NOT_UNDERSTOOD_BY_BASH.map((script) => [
      ...["find", "PATH", "-exec", "bash", "-c", `${script}; a`, "_", "{}", ";"],
    ]),
    ["find", "-L", "d", "-exec", "sh", "-c", 'a "$1"', "_", "{}", ";"],
  ];
  for (const argv of cases) {
    const found = await lowerCommand({ argv, cwd: ".", redirections: [], variables: [] });
    assertEquals(found.map(short), [`p ${argv.join(" ")}`]);
  }
});

Deno.test("in a line that does it itself, for each that is found", async () => {
  for (const script of [...NOT_UNDERSTOOD, ...NOT_UNDERSTOOD_BY_BASH]) {
    const line = `find d -name x -exec bash -c '${script}' _ {} \\;`;
    const [looks, opened] = await lowerPlan(await parseLine(line), ".");
    assertEquals([short(looks!), short(opened!)], [
      "p find d -name x -print0",
      `o find d -name x -exec bash -c ${script} _ {} ;`,
    ]);
  }
  const several = `find d -exec sh -c 'for f; do a "$f"; done; b' _ {} + > out`;
  assertEquals(
    (await lowerPlan(await parseLine(several), ".")).map(short).join(", "),
    [
      "w out",
      "p find d -print0",
      'o find d -exec sh -c for f; do a "$f"; done; b _ {} +',
      'o sh -c for f; do a "$f"; done; b _',
      "e f",
      "P1 a ${f}",
      "p b",
    ].join(", "),
  );
});

Deno.test("one command whose words are known needs what it would in a line", async () => {
  const found = await lowerCommand({
    argv: ["tee", "a b"],
    cwd: "sub",
    redirections: [{ kind: "read", target: "x" }, { kind: "append", target: "/dev/null" }],
    variables: ["A"],
  });
  assertEquals(found.map(short).join(", "), "p sub: tee a b, r sub/x, e A");
  const nested = await lowerCommand({
    argv: ["timeout", "1", "bash", "-c", "rm x"],
    cwd: ".",
    redirections: [],
    variables: [],
  });
  assertEquals(nested.map(short).join(", "), "p timeout 1 bash -c rm x {rm x}, p rm x");
  await assertRejects(
    () =>
      lowerCommand({
        argv: ["env", "sh", "-c", "fc x"],
        cwd: ".",
        redirections: [],
        variables: [],
      }),
    ToolError,
  );
});

Deno.test("variables before a function come to the programs that it starts", async () => {
  const localOf = async (line: string) =>
    (await lowerPlan(await parseLine(line), ".")).flatMap((one) =>
      one.kind === "env.read" ? [one.local === true] : []
    );
  assertEquals(await localOf("f() { a; }; A=1; f"), [true]);
  assertEquals(await localOf("f() { a; }; A=1 f"), [false]);
});
