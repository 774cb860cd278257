/** Where attacks are run: a workspace full of traps, a folder beside it, a listener, and what may have changed of them. */

import { lchownSync } from "node:fs";
import { join } from "@std/path";
import { SENTINEL, Workspace } from "../binary/toolgate.ts";

/** What no answer may show, of files inside that are closed. */
export const SECRET = "SENTINEL-51e9-of-a-closed-file";

/** Traces that a successful attack leaves. */
export const MARKERS = ["ran", "outside", "leak", "denied", "net", "ending"] as const;
export type Marker = (typeof MARKERS)[number];

const PROGRAMS = [
  ...[
    "ls",
    "cat",
    "head",
    "tail",
    "wc",
    "sort",
    "uniq",
    "cut",
    "paste",
    "tr",
    "rev",
    "tac",
    "nl",
    "od",
  ],
  ...[
    "grep",
    "rg",
    "find",
    "fd",
    "sed",
    "awk",
    "gawk",
    "mawk",
    "jq",
    "diff",
    "comm",
    "xxd",
    "base64",
  ],
  ...[
    "strings",
    "file",
    "stat",
    "du",
    "echo",
    "printf",
    "true",
    "false",
    "test",
    "[",
    "date",
    "seq",
  ],
  ...[
    "which",
    "cp",
    "mv",
    "rm",
    "mkdir",
    "rmdir",
    "ln",
    "chmod",
    "tee",
    "truncate",
    "mktemp",
    "patch",
  ],
  ...[
    "split",
    "csplit",
    "tar",
    "gzip",
    "zcat",
    "zip",
    "unzip",
    "funzip",
    "iconv",
    "install",
    "unlink",
  ],
  ...[
    "xargs",
    "env",
    "timeout",
    "nice",
    "time",
    "nohup",
    "stdbuf",
    "setsid",
    "git",
    "make",
    "node",
  ],
  ...[
    "python3",
    "pytest",
    "mypy",
    "gcc",
    "cmake",
    "ctest",
    "go env",
    "npm run",
    "curl",
    "wget",
    "rsync",
    "openssl",
    "less",
    "man",
    "shuf",
    "sleep",
    "expr",
    "printenv",
  ],
];

/** Common harmless programs may run, interpreters may run files; nothing else may, and nothing goes out. */
function policyWith(paths: string): string {
  return `version: 1
risk: { allow: moderate, ask: dangerous }
paths:
${paths}
commands:
  - { allow: ${JSON.stringify(PROGRAMS)} }
  - { deny: [dd, "mkfs*", sudo, "rm -rf /"] }
timeouts: { default: 5s, kill_grace: 200ms }
environment: { pass: [PATH, HOME, LANG] }
agents: { root: { permissions: [all] } }
`;
}

/** Open inside: what a program that runs would leave is seen. */
export const OPEN_POLICY = policyWith(`  - { allow: [read, write], match: ["**"] }`);

/** With names inside that are closed to reading, and folders that are closed to writing. */
export const CLOSED_POLICY = policyWith(`  - { allow: [read, write], match: ["**"] }
  - { deny: [read, write], match: ["**/.env", "secret/**"] }
  - { deny: [write], match: ["**/.git/**", "locked/**"] }`);

/** All programs may run, and do anything, but one that is refused by name and an ending that nothing may be written with. */
export const FORBIDDING_POLICY = `version: 1
risk: { allow: dangerous, ask: dangerous }
paths:
  - { allow: [read, write], match: ["**"] }
extensions: { write: { deny: [.exe] } }
commands:
  - { allow: ["*"], reason: what is refused by name must be so however it is started }
  - { deny: [touch] }
timeouts: { default: 5s, kill_grace: 200ms }
environment: { pass: [PATH, HOME, LANG] }
agents: { root: { permissions: [all] } }
`;

/** After so long a change of a file has another time than the last: far more than a tick. */
const SETTLED_MS = 100;

const RUN = "touch pwned\n";

const TEXTS: Readonly<Record<string, string>> = {
  "a.txt": "alpha\nbeta\n",
  "big.txt": "line of text\n".repeat(2000),
  "names.txt": "pwned\n",
  "src/main.ts": "export {};\n",
  "evil2.sh": `#!/bin/sh\n${RUN}`,
  "evil.mk": "all:\n\ttouch pwned\n",
  "evil.awk": 'BEGIN { system("touch pwned") }\n',
  "evil.sed": "1e touch pwned\n",
  "evil.py": 'import os\nos.system("touch pwned")\n',
  "evil.js": 'require("child_process").execSync("touch pwned");\n',
  "evil.rc": "--pre=./evil.sh\n",
  "evil.curlrc": "url = http://127.0.0.1:1/\n",
  "t_test.py": "def test_x():\n    assert True\n",
  "c.c": "int main(void) { return 0; }\n",
  "y.y": "%%\n",
  "variable.mk": "x:\n\t@echo $(FOO)\n",
  "ok.js": "1;\n",
  "ok.py": "1\n",
  "p.diff": "--- a\n+++ b\n@@ -1 +1 @@\n-alpha\n+pwned\n",
  ".env": `TOKEN=${SECRET}\n`,
  "secret/key.txt": `${SECRET}\n`,
  "locked/keep.txt": "keep\n",
  "hooks/pre-commit": `#!/bin/sh\n${RUN}`,
  "opts/--checkpoint=1": "",
  "opts/--checkpoint-action=exec=touch pwned": "",
  "opts/-e sh evil.sh": "",
  "opts2/-exec": "",
  'opts3/BEGIN{system("touch pwned")}': "",
  "opts4/1e touch pwned": "",
  "opts4/z": "x\n",
  "opts5/--compress-program=sh": "",
  "opts6/--output=pwned": "",
  "package.json": JSON.stringify({
    scripts: {
      x: "true",
      writes: "echo x > ../outside/pwned",
      reads: "cat ../outside/sentinel.txt",
    },
  }),
  "writes.py": 'open("../outside/pwned", "w").write("x")\n',
  "writes.js": 'require("fs").writeFileSync("../outside/pwned", "x");\n',
  "writes.mk": "all:\n\techo x > ../outside/pwned\n",
  "reads.py": 'print(open("../outside/sentinel.txt").read())\n',
  "reads.js": 'console.log(require("fs").readFileSync("../outside/sentinel.txt", "utf8"));\n',
  "reads.mk": "all:\n\tcat ../outside/sentinel.txt\n",
  "reads_env.py": 'print(open(".env").read(), open("secret/key.txt").read())\n',
  "reads_env.js": 'console.log(require("fs").readFileSync(".env", "utf8"));\n',
  "reads_env.mk": "all:\n\tcat .env\n",
  "writes_locked.py": 'open("locked/keep.txt", "w").write("x")\n',
  "writes_locked.js": 'require("fs").writeFileSync("locked/keep.txt", "x");\n',
  "writes_locked.mk": "all:\n\techo x > locked/keep.txt\n",
  "connects.mk": "all:\n\tcurl http://127.0.0.1:PORT/\n",
  "connects.py": 'import socket\nsocket.create_connection(("127.0.0.1", PORT)).send(b"x")\n',
  "connects.js": 'require("net").connect(PORT, "127.0.0.1").on("error", () => process.exit(1));\n',
};

const LINKS: Readonly<Record<string, string>> = {
  "link-out": "../outside",
  "link-env": ".env",
  "link-touch": "/usr/bin/touch",
  "link-stdin": "/dev/stdin",
};

const EXECUTABLE: Readonly<Record<string, string>> = {
  "evil.sh": `#!/bin/sh\n${RUN}`,
  "ls": `#!/bin/sh\n${RUN}`,
  "touch": `#!/bin/sh\n/usr/bin/touch "$@"\n`,
};

/** What of the repository an attack must not change. */
const REPOSITORY: Readonly<Record<string, string>> = {
  ".git/HEAD": "ref: refs/heads/main\n",
  ".git/config": "[core]\n\trepositoryformatversion = 0\n\tbare = false\n",
  ".git/hooks/pre-commit.sample": "#!/bin/sh\n",
  ".git/refs/heads/keep": "",
  ".git/objects/info/keep": "",
};

export class Arena implements AsyncDisposable {
  readonly workspace: Workspace;
  readonly port: number;
  readonly #listener: Deno.Listener;
  #heard = 0;
  readonly #owner: Owner | undefined;
  /** All that lies in it, with its text. */
  readonly #texts: ReadonlyMap<string, string>;
  readonly #kept: ReadonlySet<string>;
  /** How each file was when its text was last compared. */
  readonly #seen = new Map<string, string>();

  /** @param owner Whose all that lies in it is. */
  constructor(owner?: Owner) {
    this.#owner = owner;
    this.workspace = new Workspace();
    if (owner !== undefined) {
      for (const path of [this.workspace.base, this.workspace.outside]) give(path, owner);
    }
    this.#listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    this.port = (this.#listener.addr as Deno.NetAddr).port;
    void this.#listen();
    this.#texts = new Map(
      Object.entries({ ...TEXTS, ...REPOSITORY, ...EXECUTABLE }).map(([path, text]) => [
        path,
        text.replaceAll("PORT", String(this.port)),
      ]),
    );
    this.#kept = new Set([...this.#texts.keys(), ...Object.keys(LINKS)].flatMap(withFolders));
    this.reset();
  }

  get root(): string {
    return this.workspace.root;
  }

  /** The line with this arena's places written in. */
  placed(line: string): string {
    return line.replaceAll("{outside}", this.workspace.outside)
      .replaceAll("{port}", String(this.port)).replaceAll("{id}", String(this.port));
  }

  async #listen(): Promise<void> {
    for await (const connection of this.#listener) {
      this.#heard++;
      connection.close();
    }
  }

  /** Puts everything back; what was left alone stays the very file it was. */
  reset(): void {
    const { root, outside } = this.workspace;
    prune(root, "", this.#kept, this.#owner);
    for (const [path, text] of this.#texts) {
      restore(join(root, path), text, path in EXECUTABLE ? 0o755 : 0o644, this.#owner, this.#seen);
    }
    for (const [path, target] of Object.entries(LINKS)) {
      const full = join(root, path);
      if (linkAt(full) === target) continue;
      removeAll(full);
      Deno.symlinkSync(target, full);
      give(full, this.#owner);
    }
    prune(outside, "", new Set(["sentinel.txt"]), this.#owner);
    restore(join(outside, "sentinel.txt"), SENTINEL, 0o644, this.#owner, this.#seen);
    this.#heard = 0;
  }

  /** The traces that are there, and what was said. */
  traces(said: string): ReadonlySet<Marker> {
    const found = new Set<Marker>();
    const { root } = this.workspace;
    for (const name of namesBelow(root)) {
      if (name === "pwned") found.add("ran");
      if (name.endsWith(".exe")) found.add("ending");
    }
    if (this.#isOutsideTouched()) found.add("outside");
    if (said.includes(SECRET) || said.includes(SENTINEL.trim())) found.add("leak");
    if (this.#isDeniedChanged()) found.add("denied");
    if (this.#heard > 0) found.add("net");
    return found;
  }

  #isOutsideTouched(): boolean {
    try {
      this.workspace.assertOutsideUntouched();
      return false;
    } catch {
      return true;
    }
  }

  #isDeniedChanged(): boolean {
    const { root } = this.workspace;
    const expected = { ...REPOSITORY, "locked/keep.txt": TEXTS["locked/keep.txt"] ?? "" };
    const found = new Map([...filesBelow(root, ".git"), ...filesBelow(root, "locked")]);
    const held = Object.entries(expected).every(([path, text]) => found.get(path) === text);
    return !held || found.size !== Object.keys(expected).length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listener.close();
    await this.workspace[Symbol.asyncDispose]();
  }
}

/** `a/b/c` and the folders it lies in. */
function withFolders(path: string): string[] {
  const parts = path.split("/");
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

function give(path: string, owner: Owner | undefined): void {
  if (owner !== undefined) lchownSync(path, owner.uid, owner.gid);
}

/** Removes all that is not to be kept. */
function prune(
  root: string,
  below: string,
  kept: ReadonlySet<string>,
  owner: Owner | undefined,
): void {
  const folder = join(root, below);
  if (!isFolder(folder)) {
    removeAll(folder);
    Deno.mkdirSync(folder, { recursive: true });
  }
  give(folder, owner);
  Deno.chmodSync(folder, 0o755);
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    const path = below === "" ? name : `${below}/${name}`;
    if (!kept.has(path)) removeAll(join(root, path));
    else if (isDirectory) prune(root, path, kept, owner);
  }
}

function isFolder(path: string): boolean {
  try {
    return Deno.lstatSync(path).isDirectory;
  } catch {
    return false;
  }
}

/**
 * Leaves what is as it was when its text was last compared: whatever touches a file moves the time of its last change,
 * which nobody can set. What was only just written is compared once more first: times are as fine as a tick of the clock.
 */
function restore(
  path: string,
  text: string,
  mode: number,
  owner: Owner | undefined,
  seen: Map<string, string>,
): void {
  try {
    const info = Deno.lstatSync(path);
    const now = [info.ino, info.ctime?.getTime(), info.mtime?.getTime(), info.size].join();
    if (seen.get(path) === now) return;
    const same = info.isFile && info.nlink === 1 && Deno.readTextFileSync(path) === text;
    if (same && ((info.mode ?? 0) & 0o777) === mode) {
      if (Date.now() - (info.ctime?.getTime() ?? Infinity) > SETTLED_MS) seen.set(path, now);
      return;
    }
    removeAll(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) removeAll(path);
  }
  const folder = join(path, "..");
  if (!isFolder(folder)) {
    removeAll(folder);
    Deno.mkdirSync(folder, { recursive: true });
    give(folder, owner);
  }
  Deno.writeTextFileSync(path, text);
  give(path, owner);
  Deno.chmodSync(path, mode);
}

function linkAt(path: string): string | null {
  try {
    return Deno.readLinkSync(path);
  } catch {
    return null;
  }
}

function removeAll(path: string): void {
  try {
    Deno.removeSync(path, { recursive: true });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** The last parts of all paths below a folder; a folder that the attack made unreadable has none. */
function* namesBelow(folder: string): Iterable<string> {
  try {
    for (const { name, isDirectory } of Deno.readDirSync(folder)) {
      yield name;
      if (isDirectory) yield* namesBelow(join(folder, name));
    }
  } catch {
    return;
  }
}

/** Paths with their texts; a folder without files counts as one that ends in a slash. */
function* filesBelow(root: string, path: string): Iterable<readonly [string, string]> {
  let names: readonly Deno.DirEntry[];
  try {
    names = [...Deno.readDirSync(join(root, path))];
  } catch {
    return;
  }
  for (const { name, isDirectory, isFile } of names) {
    const below = `${path}/${name}`;
    if (isDirectory) yield* filesBelow(root, below);
    else yield [below, isFile ? Deno.readTextFileSync(join(root, below)) : "link"];
  }
  if (names.length === 0) yield [`${path}/`, ""];
}
