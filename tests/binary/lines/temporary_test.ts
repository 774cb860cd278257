/** What a call's programs have beyond the workspace: a folder of their own while it lasts, caches, and an identity. */

import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { baseName } from "../../../src/core/path_text.ts";
import { Pipe, Workspace } from "../toolgate.ts";

/** Line, and what it prints; null: refused. */
const LINES: readonly (readonly [line: string, stdout: string | null])[] = [
  ['f=$(mktemp) && echo hi > "$f" && cat "$f" && wc -c < "$f"', "hi\n3\n"],
  ["echo x > $TMPDIR/y; sort $TMPDIR/y; ls $TMPDIR; cp $TMPDIR/y kept", "x\ny\n"],
  ["seq 200000 | sort -S 1M -n | tail -1", "200000\n"],
  ["printf 'a\\nb\\n' | tac; ls -A $TMPDIR", "b\na\n"],
  ["d=$(mktemp -d) && mkdir $d/e && ls $d && rmdir $d/e $d", "e\n"],
  // The folder of all calls, another call's, and what a link in the own leads to.
  ["ls $TMPDIR/..", null],
  ["echo x > $TMPDIR/../other", null],
  ["cat $TMPDIR/../../SENTINEL", null],
  ["ln -s /etc $TMPDIR/l; cat $TMPDIR/l/passwd | head -1", null],
  ["echo x > /tmp/toolgate-no-such", null],
  // A /tmp of the line's own, which the next line finds as it was; nothing of the machine's is in it.
  ["echo one > /tmp/NAME && cat /tmp/NAME", "one\n"],
  ["cat /tmp/NAME; ls /tmp", "one\nNAME\n"],
  [
    "cat > /tmp/a.py <<'E'\nimport sys; print(open(sys.argv[1]).read(), end='')\nE\npython3 /tmp/a.py /tmp/NAME",
    "one\n",
  ],
  [
    "F=/tmp/d/e; mkdir -p $F && cd /tmp/d && pwd && find /tmp/d && rmdir /tmp/d/e",
    "/tmp/d\n/tmp/d\n/tmp/d/e\n",
  ],
  ["cat /tmp/MACHINE", null],
  ["cp /tmp/MACHINE stolen", null],
  ["f=MACHINE; cat /tmp/$f", null],
  ["python3 -c 'print(open(\"/tmp/MACHINE\").read())'", null],
  ["echo changed > /tmp/MACHINE && cat /tmp/MACHINE && rm /tmp/MACHINE", "changed\n"],
  ["ln -sf /etc /tmp/l; cat /tmp/l/hostname", null],
  // A link that a program has made there leads where it leads, and is judged there.
  [
    "python3 -c 'import os, sys; os.symlink(\"WORKSPACE\", sys.argv[1])' /tmp/k; cat /tmp/k/kept",
    "x\n",
  ],
  [
    "python3 -c 'import os, sys; os.symlink(\"OUTSIDE\", sys.argv[1])' /tmp/l; cat /tmp/l/SENTINEL",
    null,
  ],
  ["cat /tmp/l/SENTINEL", null],
  ["echo changed > /tmp/l/SENTINEL", null],
  // What is made there can be started, by the line whose folder it is and by no other.
  ["cp /bin/echo /tmp/p; /tmp/p ran", "ran\n"],
  [
    "cd /tmp && ./p again; timeout 9 /tmp/p once; cp p q && P=/tmp/q && $P more",
    "again\nonce\nmore\n",
  ],
  ["$TMPDIR/../tmp-root/p ran", null],
  ["cp /bin/echo $TMPDIR/p; $TMPDIR/p own", "own\n"],
  ["ln -s /usr/bin/mount $TMPDIR/e; $TMPDIR/e", null],
  ["cp /usr/bin/git $TMPDIR/git && $TMPDIR/git init -q made; ls made", null],
  ["cp /usr/bin/git $TMPDIR/x && $TMPDIR/x init -q made; ls made/.git", null],
  ["rm -f /tmp/p /tmp/q", ""],
  ["cat WORKSPACE/kept | cat - /tmp/NAME", "x\none\n"],
  ["cat WORKSPACE/kept | cat", "x\n"],
  // Made and run in one line.
  ["printf '#!/bin/sh\\necho ran\\n' > p; chmod +x p; ./p; rm p", "ran\n"],
  ["ln -s /usr/bin/mount e; ./e", null],
  ["git config --get user.name; git config --get user.email", "A B\na@b.c\n"],
];

Deno.test("a call's programs have a folder of their own, and what they keep lies apart for each workspace", async () => {
  await using workspace = new Workspace();
  const home = `${workspace.base}/home`;
  Deno.mkdirSync(home);
  const temporary = `${home}/tmp`;
  Deno.mkdirSync(temporary);
  Deno.writeTextFileSync(`${home}/.gitconfig`, "[user]\nname = A B\nemail = a@b.c\n");
  Deno.writeTextFileSync(`${temporary}/SENTINEL`, "secret");
  const pipe = new Pipe([], {
    cwd: workspace.root,
    env: { HOME: home, TMPDIR: temporary },
  });
  const folders = new Set<string>();
  // What others have in the machine's, and every one may read and change.
  const machine = Deno.makeTempFileSync({ dir: "/tmp", prefix: "everyones-" });
  Deno.writeTextFileSync(machine, "secret\n");
  Deno.chmodSync(machine, 0o666);
  const name = `${baseName(machine)}-other`;
  for (const [line, stdout] of LINES) {
    const [command = "", expected] = [line, stdout].map((text) =>
      text?.replaceAll("MACHINE", baseName(machine)).replaceAll("NAME", name)
        .replaceAll("WORKSPACE", workspace.root).replaceAll("OUTSIDE", temporary) ?? null
    );
    const answer = await pipe.ask({ id: 1, tool: "run_command", args: { command } });
    const said = JSON.stringify(answer);
    assert(!said.includes("secret") && !said.includes("root:"), said);
    if (expected === null) assert(answer.output?.exit_code !== 0, said);
    else assertEquals(answer.output?.stdout, expected, said);
    for (const { name } of Deno.readDirSync(temporary)) folders.add(name);
  }
  assertEquals(Deno.readTextFileSync(machine), "secret\n");
  assertEquals(Deno.readTextFileSync(`${temporary}/SENTINEL`), "secret");
  assertThrows(() => Deno.lstatSync(`/tmp/${name}`), Deno.errors.NotFound);
  Deno.removeSync(machine);
  assertEquals(Deno.readTextFileSync(`${workspace.root}/kept`), "x\n");
  // Between calls nothing of any call is left.
  const [root = ""] = [...folders].filter((name) => name.startsWith("toolgate-"));
  assertEquals(folders, new Set(["SENTINEL", root]));
  assertEquals([...Deno.readDirSync(`${temporary}/${root}`)].map(({ name }) => name).sort(), [
    "gitconfig",
    "tmp-root",
  ]);
  const env = await pipe.ask({ id: 3, tool: "run_command", args: { command: "env" } });
  const cache = `${Deno.realPathSync(home)}/.cache/toolgate/`;
  assertMatch(env.output.stdout, new RegExp(`^GOENV=${cache}[0-9a-f]{16}/go-env$`, "m"));
  await pipe.close();
  assertEquals([...Deno.readDirSync(temporary)].map(({ name }) => name), ["SENTINEL"]);
});

/** Says where its folder lies, writes there, and stays until it may go. */
const STAYS = `import os, time
folder = os.environ["TMPDIR"]
open(folder + "/secret", "w").write("told")
open("where", "w").write(folder)
while not os.path.exists("go"): time.sleep(0.01)
`;
/** Tries the other's folder, and that of whoever ran before; its own it has. */
const TRIES = `import os
def tried(what):
    try: return what()
    except OSError: return "refused"
own = os.environ["TMPDIR"]
open(own + "/mine", "w").write("own")
said = [open(own + "/mine").read()]
for folder in [open("where").read(), open("before").read() if os.path.exists("before") else own + "/.."]:
    said.append(tried(lambda: open(folder + "/secret").read()))
    said.append(tried(lambda: open(folder + "/made", "w").write("made")))
    said.append(tried(lambda: os.listdir(folder)))
    said.append(tried(lambda: os.link(folder + "/secret", "linked")))
    said.append(tried(lambda: os.rename(folder, own + "/taken")))
open("before", "w").write(own)
print(" ".join(map(str, said)))
`;

// Where names are denied programs hold files for what they make, and their rules are nobody else's meanwhile; elsewhere it
// is the folder alone by which they are.
for (const denied of [true, false]) {
  Deno.test(`a run's programs reach the folder of no other, under way or over${denied ? ", where a name is denied" : ""}`, async () => {
    await using workspace = new Workspace({
      "stays.py": STAYS,
      "tries.py": TRIES,
      ".env": "A=1\n",
    });
    const policy = workspace.policy(`version: 1
paths:
  - { allow: [read, write], match: ["**"] }
${denied ? '  - { deny: [read, write], match: ["**/.env"] }' : ""}
commands: [{ allow: [python3] }]
risk: { allow: dangerous, ask: dangerous }
`);
    const pipe = new Pipe(["--policy", policy], { cwd: workspace.root });
    const request = (id: number, script: string) => ({
      id,
      tool: "run_command",
      args: { argv: ["python3", script] },
    });
    const tries = async (id: number) => {
      const answer = await pipe.ask(request(id, "tries.py"));
      assert(answer.success && answer.id === id, JSON.stringify(answer));
      assertEquals(answer.output.stdout, `own${" refused".repeat(10)}\n`);
    };
    await pipe.send(request(1, "stays.py"));
    while (!exists(workspace.path("where"))) await new Promise((go) => setTimeout(go, 5));
    const folder = Deno.readTextFileSync(workspace.path("where"));
    for (let id = 2; id < 12; id++) await tries(id);
    assertEquals(Deno.readTextFileSync(`${folder}/secret`), "told");
    assertEquals([...Deno.readDirSync(folder)].map(({ name }) => name), ["secret"]);
    Deno.writeTextFileSync(workspace.path("go"), "");
    assert((await pipe.next())?.success);
    assert(!exists(folder));
    await tries(12);
    assertEquals((await pipe.close()).status, 0);
  });
}

function exists(path: string): boolean {
  try {
    return Deno.lstatSync(path).size >= 0;
  } catch {
    return false;
  }
}
