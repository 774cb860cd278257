/** Lines that people and models write, which must do what bash does: same output, same status, same files. */

import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { Pipe, Workspace } from "../binary/toolgate.ts";
import { readRows } from "./_read_lines.ts";

const LINES = readRows("legitimate.tsv").map(([, line = ""]) => JSON.parse(line) as string);

const POLICY = `version: 1
risk: { allow: dangerous, ask: dangerous }
paths:
  - { allow: [read, write], match: ["**"] }
commands:
  - { allow: ["*"] }
environment: { pass: [PATH, HOME, LANG] }
agents: { root: { permissions: [all] } }
timeouts: { default: 1h }
`;

const FILES: Readonly<Record<string, string>> = {
  "a.txt": "alpha\nbeta\n",
  "b.txt": "beta\ngamma\n",
  "numbers.txt": "10\n9\n2\n33\n",
  "dup.txt": "x\nx\ny\nx\n",
  "data.csv": "a,1;x\nb,2;y\n",
  "names.txt": "bob\nAl\n",
  "hello.py": 'import sys\nprint("hello", sys.argv[1:], sys.stdin.read())\n',
  "src/main.ts": "export const a = 1;\n",
  "src/other.ts": "export {};\n",
  "-dash.txt": "dash\n",
  "with space.txt": "space\n",
};

const ENVIRONMENT = { PATH: "/usr/local/bin:/usr/bin:/bin", LANG: "C.UTF-8" };

/** A fresh folder: the same for bash and for Toolgate. */
function fill(folder: string): void {
  for (const { name } of Deno.readDirSync(folder)) {
    Deno.removeSync(join(folder, name), { recursive: true });
  }
  for (const [path, text] of Object.entries(FILES)) {
    Deno.mkdirSync(join(folder, path, ".."), { recursive: true });
    Deno.writeTextFileSync(join(folder, path), text);
  }
  Deno.mkdirSync(join(folder, "empty"));
  Deno.symlinkSync("a.txt", join(folder, "link.txt"));
}

/** All that lies in a folder: names, kinds, texts. */
function contents(folder: string, below = ""): readonly string[] {
  const entries = [...Deno.readDirSync(join(folder, below))];
  return entries.flatMap(({ name, isDirectory, isSymlink }) => {
    const path = below === "" ? name : `${below}/${name}`;
    if (isDirectory) return [`${path}/`, ...contents(folder, path)];
    if (isSymlink) return [`${path} -> ${Deno.readLinkSync(join(folder, path))}`];
    const mode = ((Deno.lstatSync(join(folder, path)).mode ?? 0) & 0o777).toString(8);
    // Archives hold times.
    const text = /\.(?:tgz|tar|gz)$/.test(path) ? "" : Deno.readTextFileSync(join(folder, path));
    return [`${path} ${mode} ${text}`];
  }).sort();
}

interface Came {
  readonly stdout: string;
  readonly status: number | null;
  readonly files: readonly string[];
}

async function byBash(line: string, folder: string): Promise<Came> {
  fill(folder);
  const { stdout, code } = await new Deno.Command("bash", {
    args: ["-c", line],
    cwd: folder,
    clearEnv: true,
    env: { ...ENVIRONMENT, HOME: folder },
    stdin: "null",
    stdout: "piped",
    stderr: "null",
  }).output();
  return { stdout: new TextDecoder().decode(stdout), status: code, files: contents(folder) };
}

Deno.test("legitimate lines do what bash does", async (t) => {
  assert(LINES.length >= 120, `${LINES.length} lines`);
  await using workspace = new Workspace();
  // At one place in turn, so that nothing hangs on its name.
  const folder = workspace.root;
  const pipe = new Pipe(["--policy", workspace.policy(POLICY)], {
    cwd: folder,
    env: { ...ENVIRONMENT, HOME: folder },
  });
  for (const line of LINES) {
    await t.step(line, async () => {
      const expected = await byBash(line, folder);
      fill(folder);
      const { output, error } = await pipe.ask({
        id: 1,
        tool: "run_command",
        args: { command: line },
      });
      const came = { stdout: output?.stdout, status: output?.exit_code, files: contents(folder) };
      assertEquals(came, expected, `${error?.message}; ${output?.stderr}`);
    });
  }
  assertEquals((await pipe.close()).status, 0);
});
