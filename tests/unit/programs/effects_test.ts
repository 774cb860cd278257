/** What a command would do, as the launcher asks: files, hosts, further programs. */

import { assertEquals } from "@std/assert";
import { type Effects, effectsOf } from "../../../src/programs/effects.ts";
import { splitCommand } from "../../../src/policy/match/argv.ts";

/** `r a`, `w a`, `d a`; capitals for trees, `(…)` for what no word names; then `> a b` for what it starts, `!` for anything. */
function short({ reads, writes, deletes, connects, starts, touchesAnything }: Effects): string {
  const files = (
    [["r", reads], ["w", writes], ["d", deletes]] as const
  ).flatMap(([letter, all]) =>
    all.map(({ path, tree, implied }) => {
      const text = `${tree ? letter.toUpperCase() : letter} ${path}`;
      return implied === true ? `(${text})` : text;
    })
  );
  return [
    ...files,
    ...connects.map(({ host, port }) => `c ${host}:${port}`),
    ...(starts === "none" ? [] : [`> ${starts === "any" ? "any" : starts.join(" ")}`]),
    ...(touchesAnything ? ["!"] : []),
  ].join(", ");
}

const CASES: readonly (readonly [command: string, expected: string])[] = [
  ["cat a b", "r a, r b"],
  ["sort -o out a", "r a, w out"],
  ["curl -o out https://a.example/x", "w out, c a.example:443"],
  ["timeout 5 cat a", "r a, > cat"],
  ["timeout 5 make all", "> any, !"],
  ["find a -exec grep x {} +", "R a, r a, > grep"],
  ["xargs grep -l x", "(R .), > grep echo"],
  ["tar xzf a.tgz -C d", "r a.tgz, W d, > sh gzip bzip2 xz lzip lzma lzop zstd compress"],
  ["python3 x.py", "> any, !"],
  ["unknown-program a", "> any, !"],
  ["sh -c ls", "> any, !"],
  // Where no word says what is read or written.
  ["ls", "(R .)"],
  ["ls src", "r src"],
  ["grep -rn x", "(R .)"],
  ["grep x", ""],
  ["gzip a", "(w a.gz), d a"],
  ["gzip -c a", "r a"],
  ["gunzip x.exe.gz", "w x.exe, d x.exe.gz, > gzip"],
  ["gunzip a.tgz", "w a.tar, d a.tgz, > gzip"],
  ["gzip -dS .foo a.exe.foo", "w a.exe, d a.exe.foo"],
  ["dd if=a of=d/b bs=1k", "r a, w d/b"],
  // Each command of it has files of its own.
  ["openssl dgst -sha256 a b", "r a, r b"],
  ["openssl sha256 -out o a", "r a, w o"],
  ["openssl dgst -sign k -signature s a", "r a, r k, r s"],
  ["openssl rand -hex 16", ""],
  ["openssl rand -out o --writerand=w 16", "w o, w w"],
  ["openssl base64 -d -in a -out o", "r a, w o"],
  ["openssl enc -aes-256-cbc -pbkdf2 -pass pass:x -in a -out o", "r a, w o"],
  ["openssl x509 -in c -noout -text", "r c"],
  ["openssl req -x509 -newkey rsa:2048 -nodes -keyout k -out c -days 2 -subj /CN=a", "w k, w c"],
  ["openssl pkcs12 -in a -out o", "r a, w o"],
  ["openssl", ""],
  // Deleting.
  ["rm -rf a b", "d a, d b"],
  ["mv a b", "w b, w b/a, d a"],
  ["xargs rm", "W ., > rm echo"],
  // Endings that options give to names.
  ["sed -i.exe 1d a", "w a, w a.exe"],
  ["sed -ni.exe 1d d/a", "w d/a, w d/a.exe"],
  ["sed '-iold_*.exe' 1d d/a", "w d/a, w d/old_a.exe"],
  ["sed '-iold/*.exe' 1d d/a", "w d/a, w old/a.exe, !"],
  ["cp -bS.exe a b", "r a, w b, w b/a, w b.exe, w b/a.exe"],
  ["cp -S .exe -t d a", "r a, W d, w d/a, w d/a.exe"],
  ["mktemp --suffix=.exe", "w tmp.XXXXXXXXXX.exe"],
  ["mktemp -p d --suffix=.exe", "W d, w d/tmp.XXXXXXXXXX.exe"],
  ["split --additional-suffix=.exe a", "r a, W ., w xaa.exe"],
  ["csplit -b %02d.exe a 2", "r a, W ., w xx%02d.exe"],
  ["git format-patch -o d --suffix=.exe", "W d, w d/x.exe, > git git-*"],
  // Members of archives.
  ["unzip a.zip x.exe -d d", "r a.zip, W d, w d/x.exe"],
  [
    "tar xf a.tar -C d x.exe",
    "r a.tar, W d, w d/x.exe, > sh gzip bzip2 xz lzip lzma lzop zstd compress",
  ],
  ["tar tf a.tar x.exe", "r a.tar, > sh gzip bzip2 xz lzip lzma lzop zstd compress"],
  // Repositories.
  ["git status", "> git git-*"],
  ["git mv a b", "w b, w b/a, d a, > git git-*"],
  ["git archive -o x.exe HEAD", "w x.exe, > git git-* ssh"],
  ["git ls-remote --upload-pack='touch x' a", "w x, > git git-* ssh sh touch"],
  // What is started by an argument.
  ["awk '{print | \"sort -o b\"}' a", "r a, w b, > sh sort, !"],
  ["split --filter='gzip -c' a", "r a, W ., > sh gzip"],
  ["sed 's/a/b/' a", "r a"],
  ["sed 'w b' a", "r a, !"],
];

for (const [command, expected] of CASES) {
  Deno.test(`effects: ${command}`, () => {
    assertEquals(short(effectsOf({ argv: splitCommand(command) })), expected);
  });
}

Deno.test("effects: a repository is read or changed, wherever it begins", () => {
  const cases: readonly (readonly [string, Effects["repository"]])[] = [
    ["git status", "reads"],
    ["git -C d log", "reads"],
    ["git commit -m x", "changes"],
    ["git no-such-command", "changes"],
    ["timeout 5 git add a", "changes"],
    ["git --version", null],
    ["ls", null],
  ];
  for (const [command, repository] of cases) {
    assertEquals(effectsOf({ argv: splitCommand(command) }).repository, repository, command);
  }
});

Deno.test("effects: a word that is known only at run time is no name of its own", () => {
  const { writes, deletes, reads } = effectsOf({ argv: ["rm", "d/*.txt"], open: [1] });
  assertEquals(writes, [{ path: "d", tree: true }]);
  assertEquals([...deletes, ...reads], []);
  const dd = effectsOf({ argv: ["dd", "if=$X", "of=d/$X"], open: [1, 2] });
  assertEquals([dd.reads, dd.writes], [[], [{ path: "d", tree: true }]]);
});

Deno.test("effects: what a program goes through, one by one, is told", () => {
  const cases: readonly (readonly [string, readonly string[], into?: string | null])[] = [
    ["rm -rf a b", ["a", "b"]],
    ["rm -fR -- a", ["a"]],
    ["rm --recursive a", ["a"]],
    ["timeout 5 rm -r a", ["a"]],
    ["rm -f a", []],
    ["chmod -R 700 a", ["a"]],
    ["chown --recursive root a", ["a"]],
    ["chgrp -R root a", ["a"]],
    ["chmod 700 a", []],
    ["mv a b", ["a"], "b"],
    ["mv -t d a b", ["a", "b"], "d"],
    ["cp -r a b", ["a"], "b"],
    ["cp -a a b c", ["a", "b"], "c"],
    ["cp a b", []],
    ["tar cf x.tar a", ["a"]],
    // What it leaves out it says itself.
    ["tar cf x.tar --exclude .env a", ["a"]],
    ["gzip -kr a", ["a"]],
    ["gzip a", []],
    ["zip -r x.zip a", ["a"]],
    ["zip x.zip a", []],
    ["rmdir a", []],
  ];
  for (const [command, expected, into = null] of cases) {
    const { reads, writes, deletes } = effectsOf({ argv: splitCommand(command) });
    const through = [...reads, ...writes, ...deletes].flatMap((file) =>
      file.through === undefined ? [] : [[file.path, file.through.into]]
    );
    assertEquals(through, expected.map((path) => [path, into]), command);
  }
});

Deno.test("effects: a shell that is not started does nothing", () => {
  const effects = effectsOf({ argv: ["sh", "-c", "rm a"], opened: true });
  assertEquals(short(effects), "");
});

const BEYOND: readonly (readonly [beyond: Effects["beyond"], commands: readonly string[]])[] = [
  ["nothing", [
    "cat a.txt",
    "/usr/bin/cat a.txt",
    "[ -f a.txt ]",
    "cp a b",
    "sort -o out in",
    "dd if=a of=b",
    "gzip a",
    "zcat a.gz",
    "chown root a",
    "objdump -d a",
    "timeout 5 cat a",
    "grep --exclude-from=list x",
    "cat --files0-frombled",
  ]],
  ["system", ["ps aux", "df -h", "curl https://a.example", "nice ps"]],
  ["workspace", [
    "git status",
    "rg word",
    "fd word",
    "tar xf a.tar",
    "patch -p1",
    "timeout 5 git status",
    "env A=1 rg word",
    "find . -exec rg x {} +",
    // The files are in a file.
    "wc --files0-from=list",
    "wc --files0 list",
    "sort --files0-from list",
    "find -files0-from list",
    "file -f list",
  ]],
];

Deno.test("effects: what is read that no word names, by the program and by those that it starts", () => {
  for (const [beyond, commands] of BEYOND) {
    for (const command of commands) {
      assertEquals(effectsOf({ argv: splitCommand(command) }).beyond, beyond, command);
    }
  }
});
