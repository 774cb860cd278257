/** Filters of contents: the one that a policy names runs, by what Toolgate knows of it, and no other by any word of a repository. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { git, makeRepository, said } from "../../unit/tools/git/_history.ts";
import { Pipe, start, Workspace } from "../toolgate.ts";

/**
 * In place of git-lfs, which few machines have: it speaks the protocol of gitattributes(5), keeps what it is given as
 * git-lfs does, and tries on the way what no filter may.
 */
const FILTER = `#!/usr/bin/perl
use strict; use Digest::SHA qw(sha256_hex);
binmode STDIN; binmode STDOUT; $| = 1;
die "words @ARGV" unless $ARGV[0] eq "filter-process";
system("/bin/sh", "-c", "echo x > sprung-shell"); system("touch", "sprung-touch");
for my $place ("OUTSIDE/mark") { if (open(my $f, ">", $place)) { print $f "x"; close $f } }
my $store = \`git config lfs.storage\`; chomp $store;
$store = "$ENV{GIT_DIR}/lfs" if $store eq "";
sub packet { my $n; read(STDIN, $n, 4) == 4 or exit 0; my $l = hex($n); return undef if $l == 0;
  my $d = ""; while (length($d) < $l - 4) { read(STDIN, $d, $l - 4 - length($d), length($d)) or exit 1 } $d }
sub say_ { for my $d (@_) { printf "%04x%s", length($d) + 4, $d } }
sub flush_ { print "0000" }
1 while defined packet(); say_("git-filter-server\\n", "version=2\\n"); flush_();
1 while defined packet(); say_("capability=clean\\n", "capability=smudge\\n"); flush_();
for (;;) {
  my %told; while (defined(my $line = packet())) { chomp $line; my ($k, $v) = split(/=/, $line, 2); $told{$k} = $v }
  my $text = ""; while (defined(my $part = packet())) { $text .= $part }
  my $out = $text;
  if ($told{command} eq "clean" && $text !~ /^pointer /) {
    my $hash = sha256_hex($text); mkdir $store;
    open(my $f, ">", "$store/$hash") or do { say_("status=error\\n"); flush_(); next };
    print $f $text; close $f; $out = "pointer $hash\\n";
  } elsif ($told{command} eq "smudge" && $text =~ /^pointer ([0-9a-f]+)/ && open(my $f, "<", "$store/$1")) {
    local $/; $out = <$f>;
  }
  say_("status=success\\n"); flush_();
  say_(substr($out, 0, 60000, "")) while length $out;
  flush_(); flush_();
}
`;

const policyOf = (commands: string, outside: string, git = "{ filters: [lfs] }") =>
  `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [write], match: [".git/**"] }
commands: [${commands}]
risk: { allow: dangerous, ask: dangerous }
environment: { pass: [PATH] }
sandbox: { system: [/usr, /lib, /lib64, /bin, /etc, ${JSON.stringify(`${outside}/bin`)}] }
agents: { "*": { permissions: [all] } }
git: ${git}
`;

const ALLOWED = '{ allow: ["git-lfs filter-process"] }';

interface World {
  readonly root: string;
  readonly outside: string;
  readonly write: (name: string, text: string) => void;
  readonly ask: (
    tool: string,
    args?: Record<string, unknown>,
    // deno-lint-ignore no-explicit-any
  ) => Promise<{ readonly output: any; readonly code: string | null; readonly message: string }>;
}

async function inWorld(
  commands: string,
  test: (world: World) => Promise<void>,
  settings?: string,
): Promise<void> {
  await using workspace = new Workspace({});
  const { root, outside } = workspace;
  await makeRepository(root);
  Deno.mkdirSync(`${outside}/bin`);
  Deno.writeTextFileSync(`${outside}/bin/git-lfs`, FILTER.replace("OUTSIDE", outside), {
    mode: 0o755,
  });
  const write = (name: string, text: string) => Deno.writeTextFileSync(`${root}/${name}`, text);
  write(".gitattributes", "*.bin filter=lfs -text\n*.odd filter=odd\n");
  const policy = workspace.policy(policyOf(commands, outside, settings));
  const env = { PATH: `${outside}/bin:/usr/bin:/bin` };
  const pipe = new Pipe(["--policy", policy], { cwd: root, env });
  await test({
    ...{ root, outside, write },
    async ask(tool, args = {}) {
      const { output, error } = await pipe.ask({ id: tool, tool, args });
      return { output, code: error?.code ?? null, message: error?.message ?? "" };
    },
  });
  await pipe.close();
  for (const mark of ["sprung-shell", "sprung-touch", "sprung"]) assert(!has(`${root}/${mark}`));
  assert(!has(`${outside}/mark`));
  await git(root, ["fsck", "--strict"]);
}

Deno.test("filters: what a policy names makes pointers of contents and contents of pointers, held as git is", async () => {
  await inWorld(`${ALLOWED}, { allow: [git] }`, async ({ root, write, ask, outside }) => {
    const big = "x".repeat(200_000);
    write("a.bin", big);
    const added = await ask("git_add", { all: true });
    assertEquals(added.output, { staged: [".gitattributes", "a.bin"] }, added.message);
    assert((await said(root, ["show", ":a.bin"])).startsWith("pointer "));
    assertEquals((await ask("git_commit", { message: "one" })).code, null);
    assertEquals((await ask("git_status")).output.clean, true);
    // Touched, it is looked into again: who only looks keeps nothing.
    const kept = () => [...Deno.readDirSync(`${root}/.git/lfs`)].length;
    Deno.utimeSync(`${root}/a.bin`, 1e9, 1e9);
    assertEquals((await ask("git_status")).output.clean, true);
    write("a.bin", "else\n");
    assertEquals((await ask("git_status")).output.unstaged, [{
      path: "a.bin",
      change: "modified",
    }]);
    assertEquals(kept(), 1);
    assertEquals((await ask("git_stash", { action: "push" })).code, null);
    assertEquals(Deno.readTextFileSync(`${root}/a.bin`), big);
    assertEquals((await ask("git_stash", { action: "pop" })).code, null);
    assertEquals(Deno.readTextFileSync(`${root}/a.bin`), "else\n");
    await ask("git_checkout", { branch_or_commit: "side", create: true });
    await ask("git_add", { files: ["a.bin"] });
    await ask("git_commit", { message: "two" });
    await ask("git_checkout", { branch_or_commit: "main" });
    assertEquals(Deno.readTextFileSync(`${root}/a.bin`), big);
    const merged = await ask("git_merge", { branch: "side" });
    assertEquals(merged.code, null, merged.message);
    assertEquals(Deno.readTextFileSync(`${root}/a.bin`), "else\n");
    // A line's git, which runs none, records nothing whole in its place.
    write("b.bin", "whole\n");
    const { code, output } = await ask("run_command", { command: "git add b.bin" });
    assertEquals(code, "COMMAND_FAILED");
    assertStringIncludes(output.stderr, "git_add-and-the-other-git-tools-run-git-lfs");
    assertEquals(await said(root, ["ls-files", "b.bin"]), "");
    // By hand the program does what it was kept from.
    const child = new Deno.Command(`${outside}/bin/git-lfs`, {
      args: ["filter-process"],
      cwd: root,
      stdin: "null",
    });
    await child.output();
    for (const path of [`${root}/sprung-shell`, `${root}/sprung-touch`, `${outside}/mark`]) {
      assert(has(path), path);
      Deno.removeSync(path);
    }
  });
});

Deno.test("filters: nothing that a repository says changes what runs by that name, or has another run", async () => {
  await inWorld(ALLOWED, async ({ root, write, ask }) => {
    for (const name of ["lfs", "odd"]) {
      for (const key of ["clean", "smudge", "process"]) {
        await git(root, ["config", `filter.${name}.${key}`, "touch sprung; cat"]);
      }
    }
    write("a.bin", "text\n");
    write("b.odd", "text\n");
    const added = await ask("git_add", { all: true });
    assertEquals(added.output?.filters_skipped, ["odd"], added.message);
    const raw = [
      "-c",
      "filter.lfs.process=",
      "-c",
      "filter.lfs.clean=",
      "-c",
      "filter.lfs.smudge=",
    ];
    assert((await said(root, [...raw, "show", ":a.bin"])).startsWith("pointer "));
    assertEquals(await said(root, [...raw, "show", ":b.odd"]), "text");
    assertEquals((await ask("git_commit", { message: "one" })).code, null);
    // The real program starts these itself, or has its contents lie elsewhere.
    const rows = [
      ["lfs.extension.x.clean", "touch sprung"],
      ["lfs.customtransfer.x.path", "touch"],
      ["lfs.standalonetransferagent", "x"],
      ["lfs.storage", "../elsewhere"],
      ["lfs.unheardof", "1"],
    ] as const;
    for (const [key, value] of rows) {
      await git(root, ["config", key, value]);
      write("a.bin", `${key}\n`);
      const { code, message } = await ask("git_add", { all: true });
      assertEquals([code, message.includes(`sets ${key}`)], ["GIT_ERROR", true], message);
      await git(root, ["config", "--unset", key]);
    }
    Deno.removeSync(`${root}/.git/lfs`, { recursive: true });
    Deno.symlinkSync("../src", `${root}/.git/lfs`);
    assert((await ask("git_add", { all: true })).code !== null);
    Deno.removeSync(`${root}/.git/lfs`);
    assertEquals((await ask("git_add", { all: true })).code, null);
  });
});

Deno.test("filters: what no rule allows does not run, and its contents are taken as they are", async () => {
  const rows = [
    ["{ allow: [git] }", undefined],
    ['{ deny: ["git-lfs filter-process"] }, { allow: [git-lfs] }', undefined],
    [ALLOWED, "{ filters: [] }"],
  ] as const;
  for (const [commands, settings] of rows) {
    await inWorld(commands, async ({ root, write, ask }) => {
      await git(root, ["config", "filter.lfs.clean", "touch sprung; cat"]);
      write("a.bin", "text\n");
      const { output, message } = await ask("git_add", { all: true });
      assertEquals(output?.filters_skipped, ["lfs"], message);
      assertEquals(await said(root, ["show", ":a.bin"]), "text");
      assertEquals((await ask("git_status")).code, null);
    }, settings);
  }
});

Deno.test("filters: a policy that names one that nobody knows is told which are known", async () => {
  await using workspace = new Workspace({});
  const policy = workspace.policy("version: 1\ngit: { filters: [annex] }\n");
  const { status, stdout } = await start(["policy", "check", policy]);
  assert(status !== 0);
  assertStringIncludes(stdout, "lfs");
});

function has(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}
