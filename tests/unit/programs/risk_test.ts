import { assert, assertEquals } from "@std/assert";
import { assessCommand } from "../../../src/programs/risk.ts";
import { splitCommand } from "../../../src/policy/match/argv.ts";
import { Random } from "../../random.ts";
import { program } from "../policy/_fixtures.ts";

const SAFE = [
  ...[
    "ls -la src",
    "cat a",
    "grep -rn x .",
    "head -n 5 a",
    "tail -f a",
    "wc -l",
    "echo hi",
    "true",
  ],
  ...[
    "git status",
    "git log --oneline -n 5",
    "git diff --stat",
    "git show HEAD",
    "git --no-pager log",
  ],
  ...[
    "git -C sub status",
    "git --version",
    "git config --get user.name",
    "git config --get-regexp ^user",
    "git grep x",
  ],
  ...[
    "find . -name x -type f",
    "find . -maxdepth 2 -newer a",
    "sort -u -k 2 a",
    "sort -t, -k1",
    "uniq -c a",
  ],
  ...["rg -n --pretty x", "fd x", "date +%s", "env", "xxd a", "file a", "jq .a x.json", "hostname"],
  ...[
    "awk '{print $1}' a",
    "awk -F: '$3 >= 1000 || $1 == \"x\" {print $1}' a",
    "gawk -v n=1 '{s+=n} END {print s}'",
  ],
  ...["sed -n 1,20p a", "sed 's/a/b/g' a", "sed -E 's|a/b|c|; s/x/y/2g' a", "sed -e 1d -e '$d' a"],
  ...["sed '/a/,/b/d' a", "sed -n '/a/{p}' a", "sed 's/[[:space:]]*$//' a", "sed y/abc/xyz/ a"],
  ...[
    "nice -n 5 ls",
    "timeout 5 cat a",
    "timeout -k 1 --signal=TERM 5 ls",
    "time -p ls",
    "stdbuf -oL cat a",
  ],
  ...[
    "busybox ls",
    "env ls",
    "env A=b ls",
    "env -i ls",
    "env -u A ls",
    "env -S 'ls -l'",
    "xargs ls",
  ],
  ...["find . -exec ls '{}' \\;", "find . -execdir ls \\;", "find . -ok ls \\;", "fd x -x ls"],
  ...[
    "xargs -0 grep -l x",
    "xargs -I '{}' cat '{}'",
    "sed '/x/a y' a",
    "sed -e '1i x' -e '$a z' a",
  ],
  ...[
    "openssl dgst -sha256 a",
    "openssl rand -hex 16",
    "openssl base64 -d -in a",
    "openssl x509 -in c -noout -text",
  ],
];

const MODERATE = [
  ...["python3 -V", "python -VV", "node -v", "ruby -v", "perl -v", "bash build.sh", "sh a.sh x"],
  ...[
    "touch a",
    "dd if=a of=b",
    "mkdir a",
    "cp a b",
    "tee a",
    "git add .",
    "git commit -m x",
    "git push",
    "git checkout x",
  ],
  ...[
    "python3 x.py",
    "python3 -u x.py -c foo",
    "python3 -m pytest -x",
    "python3.11 x.py",
    "node x.js -e y",
    "node --test --test-reporter=tap",
  ],
  ...[
    "perl -w x.pl",
    "bash x.sh -c y",
    "bash -eux x.sh",
    "npm test",
    "npm run build",
    "make test",
    "cargo build",
  ],
  ...[
    "go test ./...",
    "tar -xf a.tar",
    "tar tf a.tar",
    "tar czf a.tgz b",
    "rm a",
    "chmod +x a",
    "uniq a b",
    "xxd -r a b",
  ],
  ...[
    "hostname x",
    "unknown-program",
    "git unknown-subcommand",
    "npx --no-install eslint",
  ],
  ...["find . -fprint x", "find . -fls x", "sort -o a b", "sort -uo a b", "sort --output=a b"],
  ...[
    "sort --outp a b",
    "shuf -o a",
    "tree -o a",
    "file -C -m x",
    "sed -i s/a/b/ a",
    "xargs -n1 rm",
  ],
  ...["sed --in-place=x s/a/b/ a", "sed -ni p a", "sed -i.bak '1i x' a", "find . -exec rm '{}' +"],
  ...["nohup ls", "git clone https://example.com/x", "curl https://example.com"],
  ...["openssl rand -out o 16", "openssl sha256 --out=o a", "openssl cms -in a"],
];

const DANGEROUS = [
  ...[
    "openssl dgst -engine x a",
    "openssl enc -provider=x -in a",
    "openssl cms --engine x -in a",
    "openssl req -new -config x",
    "openssl s_client -connect x:1",
  ],
  // What stands for a key may name a library.
  ...["openssl dgst -sign org.openssl.engine:x:y a", "openssl pkey --in=ORG.openssl.engine:x"],
  ...["python3 -V -", "python3 -v", "node -v -e x", "node -v -", "ruby -v -e x"],
  ...[
    "find . -delete",
    "find . -exec rm -r '{}' \\;",
    "find . -execdir python3 -c x \\;",
    "fd x -x rm -r",
  ],
  ...[
    "sort --compress-program=x a",
    "sort --compress-p x a",
    "date -s 1",
  ],
  ...["rg --pre x y", "rg --pre=x y", "rg --hostname-bin=x y"],
  ...[
    "git -c core.pager=x log",
    "git --exec-path=/x status",
    "git --config-env=a=b log",
    "git diff --output=x",
  ],
  ...[
    "git log --outp=x",
    "git diff --ext-diff",
    "git show --textconv",
    "git grep -Ox y",
    "git clean -f",
    "git config a b",
  ],
  ...[
    "git push --force",
    "git push -f",
    "git reset --hard",
    "git rebase --exec x",
    "git bisect run x",
    "git submodule foreach x",
  ],
  ...[
    "git fetch --upload-pack=x",
    "git clone -c a=b x",
    "git -C d -c a=b status",
  ],
  ...[
    "python3 -c x",
    "python3 -Bc x",
    "python3 -cx",
    "python3 -W ignore -c x",
    "python3 -",
    "python3",
    "python3 -i x.py",
  ],
  ...[
    "python3.12 -c x",
    "python -m timeit x",
    "python3 /dev/stdin",
    "node -e x",
    "node --eval=x",
    "node --ev x",
    "node -pe x",
  ],
  ...[
    "node -r ./x y.js",
    "node --import data:x y",
    "node --test --import data:x",
    "node --test -",
    "node",
    "perl -e x",
    "perl -ne x",
    "perl -0777pe x",
    "perl -Mx y.pl",
  ],
  ...[
    "ruby -e x",
    "php -r x",
    "lua -e x",
    "deno eval x",
    "deno run https://x/y.ts",
    "deno run npm:x",
    "bun -e x",
    "Rscript -e x",
  ],
  ...[
    "awk 'BEGIN{system(\"id\")}'",
    "awk '{print > \"x\"}' a",
    "awk '\"id\" | getline' a",
  ],
  ...[
    "gawk '@load \"x\"' a",
    "gawk -i inplace 1 a",
    "gawk -e 1 a",
    "awk -o 1",
  ],
  ...[
    "sed -i 's/a/b/w x' a",
    "sed -i -n 'e id' a",
    "sed 'a x\\\ny' a",
    "sed -n 'w x' a",
    "sed 's/a/b/w x' a",
    "sed '1e id' a",
  ],
  ...[
    "sed -f x.sed a",
    "awk -f x.awk a",
    "sed '/x/w y' a",
    "sed '1!w y' a",
    "sed -e 's/a/b/' -e 'w y' a",
    "sed --expression='w y' a",
  ],
  ...[
    "sed 'r x' a",
    "sed '1{w y' a",
    "sed 's/a\\/b/c/;w y' a",
    "sed 's,a,b,w y' a",
    "sed 's/[]/]/;s/;w out;/p/' a",
  ],
  ...[
    "sed 's/[/]/]/w x' a",
    "sed 'sxaxbxw y' a",
    "sed '\\%x%w y' a",
    "sed 'a\\\nw y' a",
    "sed 's/a/b/\nw y' a",
  ],
  ...[
    "tar --checkpoint=1 --checkpoint-action=exec=id -cf a b",
    "tar --checkpoint-a=exec=id -cf a b",
    "tar -I id -xf a",
  ],
  ...[
    "tar xIf id a",
    "tar --to-command=id -xf a",
    "tar --use-compress-program id -xf a",
    "tar -cf a b --rsh-command=id",
  ],
  ...[
    "xargs rm -r",
    "rm -r a",
    "rm -rf a",
    "rm -fR a",
    "rm --recursive a",
    "rm --recurs a",
    "chmod -R 777 a",
  ],
  ...[
    "kill 1",
    "ssh x",
    "npx x",
    "npx -c x",
    "npm exec x",
    "npm x y",
    "npm run x --script-shell=y",
    "docker run x",
  ],
  ...[
    "make SHELL=x",
    "make -f -",
    "make -f/dev/stdin",
    "less a",
    "make --eval=x",
    "go test -exec x",
    "go build -toolexec=x",
    "cargo --config x build",
    "rsync -e x a b",
  ],
  ...[
    "split --filter=x a",
    "wget -e x y",
    "curl -K x",
    "zip -TT x y",
    "ldd ./x",
    "man -P x y",
    "vim -c x",
    "vi",
    "gcc -wrapper x y",
  ],
  ...[
    "sudo ls",
    "sudo -u x ls",
    "doas ls",
    "nice rm -rf x",
    "timeout 5 python3 -c x",
    "env nice nohup rm -r x",
    "busybox rm -r x",
  ],
];

for (
  const [risk, commands] of [["safe", SAFE], ["moderate", MODERATE], [
    "dangerous",
    DANGEROUS,
  ]] as const
) {
  for (const command of commands) {
    Deno.test(`${risk}: ${command}`, () => {
      const argv = splitCommand(command);
      const assessment = assessCommand({ argv }, program(argv[0]!));
      assertEquals(assessment.risk, risk, assessment.because);
      assertEquals(assessment.uncertain, null);
      if (risk === "dangerous") assert(assessment.because !== "");
    });
  }
}

Deno.test("a program is judged by what it is behind its name", () => {
  // A link of a harmless name that leads to an interpreter.
  assertEquals(
    assessCommand({ argv: ["ls", "-c", "x"] }, program("ls", "/usr/bin/python3.11")).risk,
    "dangerous",
  );
  assert(
    assessCommand({ argv: ["ls", "-c", "x"] }, program("ls", "/usr/bin/dash")).uncertain !== null,
  );
  // One binary of many names acts as the name it is started by.
  assertEquals(assessCommand({ argv: ["ls", "-l"] }, program("ls", "/bin/busybox")).risk, "safe");
  assertEquals(assessCommand({ argv: ["ls", "-l"] }, program("ls", "/bin/busybox")).inner, []);
  assert(
    assessCommand({ argv: ["sh", "-c", "x"] }, program("sh", "/bin/busybox")).uncertain !== null,
  );
});

Deno.test("a harmless name off the search path is not known to be harmless", () => {
  assertEquals(assessCommand({ argv: ["./ls"] }, program("/w/project/ls")).risk, "moderate");
  assertEquals(assessCommand({ argv: ["/usr/bin/ls"] }, program("/usr/bin/ls")).risk, "safe");
});

Deno.test("fuzz: more arguments never make a dangerous command anything less", () => {
  // Wrappers aside, whose argument may end what they take; and what follows an interpreter's file is the file's.
  const random = new Random(77);
  const commands = [
    "find . -delete",
    "sort --compress-program=x a",
    "rm -r",
    "sed e a",
    "tar -I x -xf a",
    "git -c a=b log",
    "xargs rm -r",
  ];
  const words = ["-n", "x", "--", "--help", "-print", "log", "5", "-", ";", "+"];
  for (let round = 0; round < 3000; round++) {
    const argv = [...splitCommand(random.pick(commands))];
    for (let more = random.below(4); more > 0; more--) argv.push(random.pick(words));
    const { risk } = assessCommand({ argv }, program(argv[0]!));
    assertEquals(risk, "dangerous", argv.join(" "));
  }
});

Deno.test("fuzz: no argv makes the assessment throw", () => {
  const random = new Random(78);
  const words = [
    ...[
      "git",
      "find",
      "-exec",
      "nice",
      "env",
      "sed",
      "awk",
      "s/[",
      "s/a/b/w",
      "{",
      "}",
      "-e",
      "-c",
      "--",
      "",
      "-",
      "tar",
    ],
    ...[
      "xargs",
      "-n",
      "sudo",
      "timeout",
      "5",
      "busybox",
      "sh",
      "\n",
      ";",
      "+",
      "/",
      "python3",
      "-m",
      "1,$p",
      "\\",
    ],
  ];
  for (let round = 0; round < 20_000; round++) {
    const argv = Array.from({ length: random.below(9) }, () => random.pick(words));
    assessCommand({ argv }, argv[0] === undefined || random.once(3) ? null : program(argv[0]));
  }
});

Deno.test("what only the run would tell is dangerous, and cannot be judged", () => {
  for (
    const command of [
      "sed 'e' a",
      "sed 's/a/b/e' a",
      "sed 's/.*/b\\1/e' a",
      "sed '1e i\\x64' a",
      "awk '{print | \"sh\"}' a",
      "awk 'BEGIN{system(1)}'",
      'awk \'BEGIN{a="i";b="d";system(a b)}\'',
      'awk \'BEGIN{a="id";sub(/x/,"y",a);system(a)}\'',
      "awk 'BEGIN{x \"d\" | getline}'",
      "git clone ext::sh",
    ]
  ) {
    const argv = splitCommand(command);
    const { risk, uncertain } = assessCommand({ argv }, program(argv[0]!));
    assertEquals([risk, uncertain === null], ["dangerous", false], command);
  }
});

Deno.test("what a program of awk's says it starts is judged, also beside patterns and joined words", () => {
  for (
    const command of [
      "awk '/a|b/ {print}' a",
      'awk \'/a"|b/ || $1 > 2 {print "x|y"} # a | b\' a',
      'awk \'{system("mv " $1 " x")}\' a',
      "awk 'BEGIN{while ((\"ls\" | getline x) > 0) print x}'",
      "awk 'BEGIN{c=\"ls\"; while (c | getline x) print x; close(c)}'",
      "awk '{print | \"sort -u\"}' a",
      "awk '{print $1 / 2 | \"sort\"}' a",
    ]
  ) {
    const argv = splitCommand(command);
    assertEquals(assessCommand({ argv }, program(argv[0]!)).uncertain, null, command);
  }
});

Deno.test("code comes by options, addresses and variables of every spelling", () => {
  const told = (command: string) => {
    const argv = splitCommand(command);
    return assessCommand({ argv }, program(argv[0]!));
  };
  for (
    const command of [
      "pytest --trace a.py",
      "pytest -o addopts=--pdb",
      "python3 -m pytest --pdb",
      "python3 -mpytest --trace",
      "python3 -m pytest.__main__ --trace",
      "coverage run -m timeit x",
      "tox exec -- id",
      "pylint --init-hook=x a",
      "mypy --python-executable ./x a",
      "node --test --test-reporter=Data:,x a.js",
      "node --test --test-reporter ' d\nata:,x' a.js",
      "mocha --require DATA:,x",
      "tsx -e x",
      "rollup -p '{transform: x}' a",
      "cmake -E env A=1 id",
      "cmake -E chdir b id",
      "cmake -P /dev/stdin",
      "cmake -DCMAKE_C_COMPILER=./x .",
      "ctest --build-and-test . b --test-command id",
      "ninja -f /dev/stdin",
      "gcc @/dev/stdin a.c",
      "rustc -C linker=id a.rs",
      "go env -w CC=id",
      "go build -ldflags=-extld=id",
      "npx --no -c id",
    ]
  ) assertEquals(told(command).risk, "dangerous", command);
  for (
    const command of [
      "pytest -o log_cli=true -q",
      "python3 -m pytest -q",
      "coverage run -m pytest",
      "coverage report",
      "tox -e py311",
      "mocha --require ts-node/register",
      "rollup -p typescript a",
      "cmake -E copy a b",
      "cmake -S . -B b -DCMAKE_BUILD_TYPE=Release",
      "ninja -C b",
      "gcc @opts a.c",
      "rustc -C opt-level=3 a.rs",
      "go env GOPATH",
      "go build -ldflags=-s",
    ]
  ) assertEquals(told(command).risk, "moderate", command);
  assertEquals(told("make all").steeredBy, "make");
  assertEquals(told("nice make all").steeredBy, "make");
  assertEquals(told("ninja").steeredBy, null);
});
