/** What commands name by their arguments: the table of programs as capabilities. */

import { assertEquals } from "@std/assert";
import type { Capability, SpawnCapability } from "../../../../src/core/capability.ts";
import { splitCommand } from "../../../../src/policy/match/argv.ts";
import type { ProgramRule } from "../../../../src/policy/model.ts";
import { Random } from "../../../random.ts";
import { commandRule, program, rulebook } from "../_fixtures.ts";

function reach(
  argv: readonly string[],
  more: Partial<SpawnCapability> = {},
  programs: readonly (Readonly<Record<string, ProgramRule>> | null)[] = [null],
) {
  const book = rulebook(
    programs.map((section) => ({ commands: [commandRule("allow", ["*"])], programs: section })),
  );
  return book.reach({ kind: "process.spawn", argv, cwd: ".", ...more }, program(argv[0]!));
}

/** `r a` reads, `r a|b/c in b` one of them, `w a` writes, `W a` writes a directory, `c host:port`, `e NAME` sets, `? a` is looked at. */
function short(capability: Capability): string {
  switch (capability.kind) {
    case "fs.read": {
      const { path, within } = capability;
      return `r ${path}${within === undefined ? "" : `|${within.path} in ${within.folder}`}`;
    }
    case "fs.write":
      return `${capability.tree ? "W" : "w"} ${capability.path}`;
    case "net.connect":
      return `c ${capability.host}:${capability.port}`;
    case "env.read":
      return `e ${capability.name}`;
    case "process.spawn":
      return "spawn";
  }
}

const CASES: readonly (readonly [command: string, expected: string])[] = [
  // Texts.
  ["echo .env /etc/passwd --x=/etc/passwd", ""],
  ["printf %s .env", ""],
  ["test -f .env", ""],
  ["git commit -m .env", "? commit"],
  ["grep .env a", "r a"],
  // Readers.
  ["cat a b -", "r a, r b"],
  ["cat -- -a", "r -a"],
  ["cat -n a", "r a, ? -n"],
  ["head -n 5 a", "r a"],
  ["head -n5 a", "r a"],
  ["tail --lines=5 a", "r a"],
  ["ls ../x", "r ../x"],
  ["cat /dev/stdin", ""],
  ["grep -e x a b", "r a, r b"],
  ["grep -f p a", "r a, r p"],
  ["grep --file=p a", "r a, r p"],
  ["grep -rn --include=*.ts x src", "r src, ? -rn"],
  ["grep --exclude-from x y z", "r z, r x"],
  ["sed -n 1p a", "r a, ? -n"],
  ["sed -f s a", "r a, r s"],
  ["awk -F: '{print}' a", "r a"],
  ["awk -f p a", "r a, r p"],
  ["jq .a x.json", "r x.json"],
  ["jq --arg a b --rawfile c d .x e", "r e, r d"],
  ["date -f x", "r x"],
  ["diff a b", "r a, r b"],
  ["wc --files0-from=x", "r x"],
  ["find src ../t -name x", "r src, r ../t"],
  ["find . -newer x -fprint y", "r ., r x, w y"],
  ["find a -delete", "r a, W a"],
  ["find -delete", "r ., W ."],
  // Writers.
  ["cp a b", "r a, w b, w b/a"],
  ["cp -r a/b/ c", "r a/b/, w c, w c/b, ? -r"],
  ["cp a b d", "r a, r b, w d, w d/a, w d/b"],
  ["cp -t d a b", "r a, r b, W d, w d/a, w d/b"],
  ["cp --target-directory=d a", "r a, W d, w d/a"],
  ["cp -vt d a", "r a, W d, w d/a"],
  ["mv a b", "w a, w b, w b/a"],
  ["ln a b", "w a, w b, w b/a"],
  ["ln -s a b", "r a|b/a in b, w b, w b/a, ? -s"],
  // From where the link lies, which is in the folder where the last word names one.
  ["ln -s ../a d", "r ../a|d/../a in d, w d, w d/a, ? -s"],
  ["ln -sf ../a d/b", "r d/../a|d/b/../a in d/b, w d/b, w d/b/a, ? -sf"],
  ["ln -s ../a ../b d", "r d/../a, r d/../b, w d, w d/a, w d/b, ? -s"],
  ["ln -s ../a d/..", "r d/../../a, w d/.., w d/../a, ? -s"],
  ["ln -s /x/a d", "r /x/a, w d, w d/a, ? -s"],
  ["ln -s ../a", "r ../a, ? -s"],
  ["ln -sT ../a d", "r ../a, w d, w d/a, ? -sT"],
  // One of both, as no word says whether it is a link.
  ["ln -sfn ../a d", "r ../a, r d/../a, w d, w d/a, ? -sfn"],
  ["ln -sf ../a d/", "r d/../a, w d/, w d/a, ? -sf"],
  ["ln -s ../a .", "r ../a, w ., w ./a, ? -s"],
  ["ln -s -t d ../a", "r d/../a, W d, w d/a, ? -s"],
  ["ln -sr a d/b", "r a, w d/b, w d/b/a, ? -sr"],
  ["column -t a b", "r a, r b, ? -t"],
  ["git check-ignore -v .env", "? check-ignore, ? -v"],
  ["rm -f a b", "w a, w b, ? -f"],
  ["rm -- -r", "w -r"],
  ["mkdir -p -m 755 a/b", "W a/b, ? -p"],
  ["touch -r x a", "w a, r x"],
  ["tee a", "w a"],
  ["tee /dev/null", ""],
  ["chmod +x a", "w a"],
  ["chmod -w a", "w a"],
  ["chmod --reference=x a", "w a, r x"],
  ["truncate -s 0 a", "w a"],
  ["sort -o out a", "r a, w out"],
  ["sort -uo out a", "r a, w out"],
  ["sort --outp=out a", "r a, w out"],
  ["uniq a b", "r a, w b"],
  ["xxd -r a b", "r a, w b, ? -r"],
  ["sed -i s/a/b/ x", "w x, ? -i"],
  ["gzip a", "w a"],
  ["gzip -dc a", "r a, ? -dc"],
  ["tar czf a.tgz b c", "r b, r c, w a.tgz"],
  ["tar -cf a.tar -C d b", "r b, w a.tar, r d"],
  ["tar xf a.tar", "r a.tar, W ."],
  ["tar -xf a.tar -C d", "r a.tar, W d"],
  ["tar tf a.tar", "r a.tar"],
  ["unzip a.zip", "r a.zip, W ."],
  ["unzip -d d a.zip", "r a.zip, W d"],
  ["zip a.zip b", "w a.zip, r b"],
  ["split -b 1k a p", "r a, w p, W ."],
  ["patch -i p", "r p, W ."],
  ["install -m 644 a b", "r a, w b, w b/a"],
  ["install -d a", "W a, ? -d"],
  // Elsewhere.
  ["curl https://a.example/x", "c a.example:443"],
  ["curl -o out http://a.example:8080/x", "c a.example:8080, w out"],
  ["curl -sSLo out a.example", "c a.example:80, w out"],
  ["curl file:///etc/passwd", "r /etc/passwd"],
  ["curl -d @x a.example -K k", "c a.example:80, r x, r k"],
  ["curl -F f=@x;type=a/b -F g=1 a.example", "c a.example:80, r x"],
  ["curl --data-urlencode n@x -d a=b a.example", "c a.example:80, r x"],
  ["curl -x p.example:3128 https://a.example", "c a.example:443, c p.example:3128"],
  ["curl 'http://[::1]/'", "c ::1:80"],
  ["curl 'http://['", "c http://[:0"],
  ["curl -O http://a.example/x", "c a.example:80, W ., ? -O"],
  ["wget http://a.example/x", "c a.example:80, W ."],
  ["wget -O - http://a.example/x", "c a.example:80"],
  // Through others.
  ["nice -n 5 cp a b", "r a, w b, w b/a, ? -n, ? 5"],
  ["timeout 5 rm a", "w a, ? 5"],
  ["env A=1 B=2 rm a", "e A, e B, w a, ? A=1, ? B=2"],
  ["env -u A rm a", "e A, w a, ? -u, ? A"],
  ["find a b -exec rm {} +", "W a, W b, r a, r b"],
  ["find . -exec cp {} d ;", "r ., w d, r ."],
  ["xargs rm", "W ."],
  ["xargs -I{} mv {} d", "W ., w d, ? -I{}"],
  ["busybox cp a b", "r a, w b, w b/a"],
  ["git show HEAD:.env", "r .env, ? show, ? HEAD:.env"],
  ["git -C sub log -- a", "r sub, ? log, ? a"],
  ["unknown-program a --b=c", "? a, ? --b=c"],
  ["python3 x.py a", "? x.py, ? a"],
];

for (const [command, expected] of CASES) {
  Deno.test(`reach: ${command}`, () => {
    const { capabilities, probe } = reach(splitCommand(command));
    const found = [...capabilities.map(short), ...probe.map((word) => `? ${word}`)];
    assertEquals(found.join(", "), expected);
  });
}

Deno.test("reach: every file is one that a program reaches, from where it starts", () => {
  const { capabilities } = reach(["cp", "a", "/b", "../c"], { cwd: "sub/dir" });
  assertEquals(capabilities.map(short), [
    "r sub/dir/a",
    "r /b",
    "w sub/dir/../c",
    "w sub/dir/../c/a",
    "w sub/dir/../c/b",
  ]);
  for (const capability of capabilities) {
    assertEquals("by" in capability && capability.by, "program");
  }
});

Deno.test("reach: a word that is known only at run time counts where it would be written", () => {
  const cases: readonly (readonly [argv: readonly string[], open: readonly number[], string])[] = [
    [["cat", "*.txt"], [1], ""],
    [["rm", "*.txt"], [1], "W ."],
    [["rm", "a/b/*.txt"], [1], "W a/b"],
    [["rm", "/x*"], [1], "W /"],
    [["cp", "a", "${X}/b"], [2], "r a, W ."],
    [["cp", "*.a", "d"], [1], "w d"],
    [["curl", "${X}"], [1], ""],
    [["unknown", "${X}", "y"], [1], "? y"],
  ];
  for (const [argv, open, expected] of cases) {
    const { capabilities, probe } = reach(argv, { open });
    const found = [...capabilities.map(short), ...probe.map((word) => `? ${word}`)];
    assertEquals(found.join(", "), expected, argv.join(" "));
  }
});

Deno.test("reach: a shell that is not started reaches nothing, one that is understood only by its parts", () => {
  assertEquals(reach(["sh", "-c", "x"], { opened: true }), {
    capabilities: [],
    probe: [],
    runsFiles: false,
    paths: [],
    project: [],
  });
});

Deno.test("reach: what finds its files by itself says which, behind a wrapper and as a module too", () => {
  const projectOf = (command: string) => reach(splitCommand(command)).project.join(" ");
  assertEquals(projectOf("make all"), "GNUmakefile makefile Makefile");
  assertEquals(projectOf("nice npm run x"), "package.json .npmrc");
  assertEquals(projectOf("python3 -m tox"), projectOf("tox"));
  assertEquals(projectOf("cat a"), "");
});

Deno.test("reach: behind another name the program is what its file is", () => {
  const book = rulebook([{ commands: [commandRule("allow", ["*"])] }]);
  const { capabilities } = book.reach(
    { kind: "process.spawn", argv: ["list", "a", "b"], cwd: "." },
    program("list", "/usr/bin/cp"),
  );
  assertEquals(capabilities.map(short), ["r a", "w b", "w b/a"]);
});

const RULE: ProgramRule = { risk: null, operands: null, options: {} };

Deno.test("programs: the first policy tells of programs that are not known", () => {
  const told = {
    render: { ...RULE, operands: ["read", "write"], options: { "-c": "read" } as const },
  };
  assertEquals(reach(["render", "-c", "x", "a", "b"], {}, [told]).capabilities.map(short), [
    "r a",
    "w b",
    "r x",
  ]);
});

Deno.test("programs: to what is known policies only add", () => {
  const forget = {
    cp: { ...RULE, operands: ["text..."], options: { "-t": "text", "--log": "write" } as const },
  };
  const found = (programs: Parameters<typeof reach>[2]) =>
    reach(["cp", "--log=l", "-t", "d", "a"], {}, programs).capabilities.map(short);
  assertEquals(found([forget]), ["r a", "w l", "W d", "w d/a"]);
  assertEquals(found([null, forget]), ["r a", "w l", "W d", "w d/a"]);
  const first = { render: { ...RULE, operands: ["write..."] } };
  const second = {
    render: { ...RULE, operands: ["text..."], options: { "-o": "write" } as const },
  };
  assertEquals(reach(["render", "-o", "x", "a"], {}, [first, second]).capabilities.map(short), [
    "w a",
    "w x",
  ]);
});

Deno.test("fuzz: no argv makes the reach throw, and what it names stands in the words", () => {
  const random = new Random(4711);
  const words = [
    ...[
      "cp",
      "mv",
      "tar",
      "git",
      "find",
      "-exec",
      "{}",
      ";",
      "+",
      "env",
      "A=b",
      "-S",
      "-t",
      "--",
      "-",
    ],
    ...[
      "xargs",
      "-I{}",
      "sort",
      "-o",
      "x",
      "../y",
      "curl",
      "http://[",
      "",
      "=",
      "-C",
      "-xf",
      "a:b",
      "sed",
    ],
    ...["-i", "--output=", "--o", "\n", "é", "nice", "5", "-n", "unzip", "busybox", "chmod", "-w"],
  ];
  for (let round = 0; round < 20_000; round++) {
    const argv = Array.from({ length: 1 + random.below(8) }, () => random.pick(words));
    reach(argv, random.once(4) ? { open: [argv.length - 1] } : {});
  }
});
