/** What a program would start by its arguments is told, as far as they say; code in arguments is dangerous. */

import { assert, assertEquals } from "@std/assert";
import { assessCommand } from "../../../src/programs/risk.ts";
import { splitCommand } from "../../../src/policy/match/argv.ts";
import { Random } from "../../random.ts";

/** The commands apart by ` | `. */
const STARTED: readonly (readonly [command: string, started: string])[] = [
  ["sed '1e touch x' a", "touch x"],
  ["sed -n -e '/a/e touch x' a", "touch x"],
  ["sed 's/.*/touch x/e' a", "touch x"],
  ["sed 's|a/b|touch \\|x|ge' a", "touch | x"],
  ["sed 's/a/b/;y/ab/cd/;$e touch x' a", "touch x"],
  ["sed '\\%a%,2e touch x' a", "touch x"],
  ["sed 's/e touch/x/' a", ""],
  ["sed 'a e touch x' a", ""],
  ["sed 's/a/b/w e' a", ""],
  ["sed '1e ls; touch x' a", "ls | touch x"],
  ["sed '1e\\\ntouch x' a", "touch x"],
  ["sed -e '1e\\' -e 'touch x' a", "touch x"],
  ["sed 's/.*/touch \\\nx/e' a", "touch | x"],
  ["sed '1e to\\uch x' a", "touch x"],
  ["sed 'bx;1e touch x' a", "touch x"],
  ["sed ':x;s/a/b/;tx;1e touch x' a", "touch x"],
  ["awk 'BEGIN{system(\"touch x\")}'", "touch x"],
  ['awk \'BEGIN{system(("to" "uch x"))}\'', "touch x"],
  ['awk \'BEGIN{("to" "uch x") | getline}\'', "touch x"],
  ['awk \'/"/ {system("touch x")}\' a', "touch x"],
  ["awk '{print | \"sort -u\"}' a", "sort -u"],
  ["awk '{\"date\" | getline d}' a", "date"],
  ["awk -v c='touch x' 'BEGIN{system(c)}'", "touch x"],
  ["awk 'BEGIN{c=\"touch x\"; c | getline}'", "touch x"],
  ["awk 'BEGIN{system(\"\\164ouch\\040x\")}'", "touch x"],
  ["awk '{print \"touch x\"}' a", ""],
  ['awk \'$1 == "touch" || $2 == "x"\' a', ""],
  ["tar --checkpoint=1 --checkpoint-action=exec='touch x' -cf a b", "touch x"],
  ["tar --checkpoint=1 --checkpoint-action=dot -cf a b", ""],
  ["tar cIf 'gzip -9' a b", "gzip -9"],
  ["tar cfI a 'gzip -9' b", "gzip -9"],
  ["tar xf a --to-command='sh -c \"touch x\"'", "sh -c touch x | touch x"],
  ["tar -I zstd -xf a", "zstd"],
  ["split --filter='gzip > $FILE.gz' a", "gzip"],
  ["gcc -wrapper sh,-c,'touch x' a.c", "sh -c touch x | touch x"],
  ["go test -exec 'touch x'", "touch x"],
  ["go build --toolexec='touch x'", "touch x"],
  ["npm run x --script-shell=touch", "touch"],
  ["git grep -Oless x", "less"],
  ["git grep -nOless x", "less"],
  ["git grep -O x", ""],
  ["git ls-remote --upload-pack='touch x' a", "touch x"],
  ["git clone 'ext::touch x' a", "touch x"],
  ["git clone 'ext::sh -c touch% x' a", "sh -c touch x | touch x"],
  ["git -c core.pager=less log", "less"],
  ["git -c core.pager=cat -c color.ui=always log", ""],
  ["git -c user.name=touch commit", ""],
  ["git -c alias.x='!touch x' x", "touch x"],
  ["git -c alias.x='clean -fd' x", "git clean -fd"],
  ["git clone -c core.fsmonitor='touch x' a", "touch x"],
  ["git bisect run touch x", "touch x"],
  ["git bisect run 'touch x; ls'", "touch x | ls"],
  ["git submodule foreach --recursive touch x", "touch x"],
  ["git merge-index -o touch -a", "touch -a"],
  ["git rebase -x 'make test' main", "make test"],
  ["git log --grep='touch x'", ""],
  ["npx -c 'touch x'", "touch x"],
  ["ssh -o ProxyCommand='touch x' a", "touch x"],
  ["ssh -oLocalCommand='touch x' a", "touch x"],
  // As a shell reads the text.
  ["tar -I '$'\\''t\\x6fuch'\\'' x' -cf a b", "touch x"],
  ["tar -I 'trap \"touch x\" EXIT' -cf a b", "touch x"],
  ["tar -I 'A=1 touch x' -cf a b", "touch x"],
  ["tar -I 'exec touch x > y' -cf a b", "touch x"],
  ["tar -I 'if true; then touch x; fi' -cf a b", "true | touch x"],
  ["tar -I 'ls \"$(touch x)\"' -cf a b", "touch x | ls $(touch x)"],
  ["tar -I 'ls `touch x`' -cf a b", "touch x | ls `touch x`"],
  ["tar -I '(touch x) & { ls; }' -cf a b", "touch x | ls"],
  ["tar -I \"eval 'touch x'\" -cf a b", "touch x"],
  ["tar -I 't\"ou\"c\\h x # ls' -cf a b", "touch x"],
  ["tar -I 'bash -ec \"touch x\"' -cf a b", "bash -ec touch x | touch x"],
];

for (const [command, started] of STARTED) {
  Deno.test(`started: ${command}`, () => {
    const { inner } = assessCommand({ argv: splitCommand(command) }, null);
    assertEquals(inner.map((words) => words.join(" ")).join(" | "), started);
  });
}

Deno.test("started: what is started counts with its own risk, and with what it starts in turn", () => {
  const { risk, inner } = assessCommand(
    { argv: ["split", "--filter=nice env A=1 rm -rf b", "a"] },
    null,
  );
  assertEquals(risk, "dangerous");
  assertEquals(inner.map(([name]) => name), ["nice", "env", "rm"]);
});

Deno.test("started: a program whose name is made at run time cannot be judged", () => {
  for (const text of ["$X a", "X=touch; $X a", "`x` a", "t?uch a", "{touch,a}", ". ./a", "~/a"]) {
    const argvs = [
      ["tar", "-I", text, "-cf", "a"],
      ["sed", `1e ${text}`, "a"],
      ["awk", `BEGIN{system("${text}")}`],
    ];
    for (const argv of argvs) {
      assert(assessCommand({ argv }, null).uncertain !== null, argv.join(" "));
    }
  }
});

Deno.test("started: more than can be looked through is refused", () => {
  for (const text of ["x ".repeat(100_000), "touch x;".repeat(300)]) {
    for (const argv of [["tar", "-I", text, "-cf", "a"], ["sed", `1e ${text}`, "a"]]) {
      assert(assessCommand({ argv }, null).uncertain !== null);
    }
  }
  // Texts, each of which is read with all others at hand.
  for (const argv of [["awk", "{print}"], ["tar", "-cf", "a"]]) {
    const option = argv[0] === "awk" ? ["-v", "a=b"] : ["--to-command=cat"];
    const few = [...argv, ...Array(99).fill(option).flat()];
    const many = [...argv, ...Array(300).fill(option).flat()];
    assertEquals(assessCommand({ argv: few }, null).uncertain, null);
    assert(assessCommand({ argv: many }, null).uncertain !== null);
  }
});

const DANGEROUS = [
  "zip -T -TTcmd a b",
  "zip -qTTcmd a b",
  "zip -rqTT cmd a b",
  "zip --unzip-c=cmd a b",
  "python3 -W x -m timeit CODE",
  "python3 -Wx -m timeit CODE",
  "python3 -X dev -mtimeit CODE",
  "python3 -Bmtimeit CODE",
  "python3 --check-hash-based-pycs never -m timeit CODE",
  ...["cProfile", "profile", "runpy", "trace", "pdb", "asyncio", "code", "idlelib", "asyncio.x"]
    .map((module) => `python3 -W x -m ${module} CODE`),
  "node --test --test-reporter=data:text/javascript,x",
  "node --test --test-reporter data:text/javascript,x a.js",
  "node --experimental_loader ./x.mjs a.js",
  "node --experimental_loader=./x.mjs a.js",
  "node --experimental-loade=./x.mjs a.js",
  "node --env_file=x a.js",
  "node inspect a.js",
  "deno run -",
  "deno run -A data:text/javascript,x",
  "deno run --preload x.ts a.ts",
  "bun run -",
  "make --makefi=-",
  "make --makefile -",
  "make -sf-",
  "make -sf -",
  "make -kf/dev/stdin",
  "make -f/proc/self/fd/0",
  "make -C a -f-",
  "perl '-F/x/;system(1)' a",
  "php -z x.so a.php",
];

for (const command of DANGEROUS) {
  Deno.test(`code: ${command}`, () => {
    const { risk, because } = assessCommand({ argv: splitCommand(command) }, null);
    assertEquals(risk, "dangerous");
    assert(because !== "");
  });
}

const FILES = [
  "python3 -W ignore x.py -m timeit",
  "python3 -Wignore x.py",
  "python3 -X dev -m pytest -x",
  "python3 -mpytest",
  "python3 -B -u x.py -",
  "node --test --test-reporter=tap a.js",
  "node --test-reporter ./r.js --test",
  "node --no_warnings x.js --import=y",
  "node x.js data:text/plain,x",
  "deno fmt -",
  "deno test --allow-read a.ts",
  "make -C sub -j2 all",
  "make -f build.mk",
  "make -sf build.mk",
  "zip -T a b",
];

for (const command of FILES) {
  Deno.test(`file: ${command}`, () => {
    assertEquals(assessCommand({ argv: splitCommand(command) }, null).risk, "moderate");
  });
}

Deno.test("fuzz: no text of a command makes the search for what it starts throw or stall", () => {
  const random = new Random(1409);
  const pieces = [
    ...["touch", "x", " ", ";", "|", "&", "(", ")", "$(", "`", "'", '"', "\\", "<", ">", "#", "\n"],
    ...["sh -c ", "eval ", "{", "}", "=", "${", "e ", "s/", "/", "system(", "getline", "1", "$"],
  ];
  for (let round = 0; round < 4000; round++) {
    const text = Array.from({ length: random.below(20) }, () => random.pick(pieces)).join("");
    assessCommand({ argv: ["tar", "-I", text, "-cf", "a"] }, null);
    assessCommand({ argv: ["sed", text, "a"] }, null);
    assessCommand({ argv: ["awk", text, "a"] }, null);
    assessCommand({ argv: ["git", "-c", `alias.x=!${text}`, "x"] }, null);
  }
});

Deno.test("started: a long text of opened brackets is read in one go", () => {
  for (const piece of ["$(", "`", "(", '"', "'", "\\", "sh -c '", "s/x/", '"a" | ', "system("]) {
    const text = piece.repeat(200_000 / piece.length);
    for (const argv of [["tar", "-I", text, "-cf", "a"], ["sed", text, "a"], ["awk", text, "a"]]) {
      assessCommand({ argv }, null);
    }
  }
});
