import { assert, assertEquals } from "@std/assert";
import { assessCommand } from "../../../src/programs/risk.ts";
import { splitCommand } from "../../../src/policy/match/argv.ts";
import { program } from "../policy/_fixtures.ts";

const UNCERTAIN = [
  ...[
    "sh -c ls",
    "bash -c ls",
    "bash -lc ls",
    "bash -ec ls",
    "sh",
    "bash -s",
    "bash +x -c ls",
    "bash +c ls",
    "dash -c ls",
  ],
  ...[
    "zsh -c ls",
    "fish --command=ls",
    "fish -C ls",
    "bash -o pipefail -c ls",
    "bash --norc -c ls",
    "sh -",
    "sh /dev/stdin",
  ],
  ...[
    "nice sh -c ls",
    "env sh -c ls",
    "busybox sh -c ls",
    "xargs sh -c ls",
    "find . -exec sh -c ls \\;",
    "timeout 5 bash -c ls",
  ],
  ...[
    "env -S 'ls \\\\c'",
    "env -S '${A} x'",
    "env -C x ls",
    `env ${"-S ".repeat(9)}ls`,
    `env '${"-S".repeat(9)}ls'`,
    "env -S 'sh -c ls'",
    "env A=b sh -c ls",
    "xargs tar",
    "xargs git log",
    "xargs -I '{}' sort '{}'",
    "xargs unknown-program",
    "find . -exec python3 '{}.py' \\;",
    "fd x -x cat '{/}'",
    "nice ./x",
    "nohup /x/y",
    "nice -x ls",
  ],
  ...[
    "timeout --unknown 5 ls",
    "sudo -i",
    "sudo A=b ls",
    "sudo -s",
    "xargs -I{} {} x",
    "xargs -a f ls",
    "xargs -i {} x",
    "xargs -rI% % x",
    "xargs -0z ls",
    "xargs --null=1 ls",
    "find . -exec '{}' \\;",
  ],
  ...[
    "find . -exec",
    "fd x --exec=rm",
    "fd -Hx rm",
    "fd -xrm",
    "watch ls",
    "script -c ls",
    "flock f ls",
    "parallel ls",
    "su -c ls",
  ],
  ...[
    "strace ls",
    "chroot / ls",
    "unshare ls",
    "setpriv ls",
    "/lib64/ld-linux-x86-64.so.2 /bin/ls",
    "systemd-run ls",
    "taskset 1 ls",
  ],
  ...[
    "nice nice nice nice nice nice nice nice nice nice ls",
    "coreutils --coreutils-prog=rm x",
    "pwsh -c x",
  ],
];

for (const command of UNCERTAIN) {
  Deno.test(`uncertain: ${command}`, () => {
    const argv = splitCommand(command);
    assert(assessCommand({ argv }, program(argv[0]!)).uncertain !== null);
  });
}

const INNER: readonly [command: string, inner: string[][]][] = [
  ["ls -l", []],
  ["nice -n 5 git push", [["git", "push"]]],
  ["nice --adjustment=5 -- git push", [["git", "push"]]],
  ["timeout -s KILL 5 git push", [["git", "push"]]],
  ["env timeout 5 rm -rf x", [["timeout", "5", "rm", "-rf", "x"], ["rm", "-rf", "x"]]],
  ["xargs -n 1 -I{} git push {}".replaceAll("{}", "'{}'"), [["git", "push", "{}"]]],
  ["find . -name x -exec rm '{}' \\; -exec echo + '{}' + -print", [["rm", "{}"], [
    "echo",
    "+",
    "{}",
  ]]],
  ["sudo -n -u x rm y", [["rm", "y"]]],
  ["busybox rm -r x", [["rm", "-r", "x"]]],
  ["fd x -X git push", [["git", "push"]]],
  ["env -i A=b -- git push", []],
  ["env A=b C=d git push", [["git", "push"]]],
  ["env -S 'git push' origin", [["git", "push", "origin"]]],
  ["env --split-string='A=b git push' -f", [["git", "push", "-f"]]],
  [`env ${"-S ".repeat(8)}'git push' -f`, [["git", "push", "-f"]]],
  ["env -u A -u B git push", [["git", "push"]]],
  ["xargs -r tar tf --", [["tar", "tf", "--"]]],
  ["xargs -r0 git push", [["git", "push"]]],
  ["xargs -0rn1 git push", [["git", "push"]]],
  ["xargs -0n 1 git push", [["git", "push"]]],
  ["xargs -rI '{}' git push '{}'", [["git", "push", "{}"]]],
  ["xargs -i git push '{}'", [["git", "push", "{}"]]],
  ["xargs -i% -l git push %", [["git", "push", "%"]]],
  ["xargs --replace=% --max-args=1 git push %", [["git", "push", "%"]]],
  ["sudo -nu x rm y", [["rm", "y"]]],
  ["timeout 5", []],
  ["xargs", []],
];

for (const [command, inner] of INNER) {
  Deno.test(`what it would start: ${command}`, () => {
    const argv = splitCommand(command);
    assertEquals(assessCommand({ argv }, program(argv[0]!)).inner, inner);
  });
}

Deno.test("a command behind a wrapper may be a path where somebody has looked what lies there", () => {
  const lookUp = (path: string) => path === "./t" ? program("touch") : null;
  const assess = (command: string) => {
    const argv = splitCommand(command);
    return assessCommand({ argv }, program(argv[0]!), undefined, lookUp);
  };
  for (
    const command of [
      ...["timeout 5 ./prog a", "nice -n 5 bin/x", "env A=b ./x", "nohup /opt/x y", "setsid ./x"],
      "find . -exec ./x '{}' +",
    ]
  ) {
    assertEquals(assess(command).uncertain, null, command);
    assertEquals(assess(command).risk, "moderate", command);
  }
  for (
    const command of [
      ...["xargs ./x", "busybox ./sh", "find . -execdir ./x '{}' \\;", "find . -exec './{}' \\;"],
      ...["xargs -I'{}' './{}'", "xargs -I% ./%", "env -C d ./x", "fd -x './{}'"],
    ]
  ) assert(assess(command).uncertain !== null, command);
  // What the link leads to counts: its options, too.
  assertEquals(assess("timeout 5 ./t x").inner, [["./t", "x"]]);
});

Deno.test("npx is as risky as what is installed where that lies, and as what it would fetch elsewhere", () => {
  const installed = (path: string) => path === "node_modules/.bin/tsc" ? program("tsc") : null;
  const cases = [
    ["npx tsc --noEmit", "moderate"],
    ["npx eslint .", "dangerous"],
    ["npx tsc@latest", "dangerous"],
    ["npx ../tsc", "dangerous"],
    ["npx -y tsc", "dangerous"],
    ["npx -p x tsc", "dangerous"],
    ["npx -c tsc", "dangerous"],
    // From another folder, perhaps.
    ["env A=b npx tsc", "dangerous"],
  ] as const;
  for (const [command, risk] of cases) {
    const argv = splitCommand(command);
    const { risk: told } = assessCommand({ argv }, program(argv[0]!), undefined, installed);
    assertEquals(told, risk, command);
  }
  const argv = ["npx", "tsc"];
  assertEquals(assessCommand({ argv }, program("npx")).risk, "dangerous", "nobody has looked");
});

Deno.test("what valgrind runs is judged as if it stood alone", () => {
  const told = (command: string) => {
    const argv = splitCommand(command);
    return assessCommand({ argv }, program(argv[0]!), undefined, () => program("prog"));
  };
  const { inner, risk, uncertain } = told("valgrind --leak-check=full -q ./prog a");
  assertEquals([inner, risk, uncertain], [[["./prog", "a"]], "moderate", null]);
  assertEquals(told("valgrind rm -rf /").risk, "dangerous");
  assert(told("valgrind --db-command=id ./prog").uncertain !== null);
  assert(told("valgrind sh -c id").uncertain !== null);
});
