/** What is changed between a yes and the deed, and what would be harm then: one row an attack, each in a folder of its own. */

import { assertEquals } from "@std/assert";
import type { Workspace } from "../binary/toolgate.ts";

/** A folder of a workspace, which a row has to itself. */
export class Place {
  readonly #workspace: Workspace;
  readonly folder: string;

  constructor(workspace: Workspace, folder: string) {
    this.#workspace = workspace;
    this.folder = folder;
    Deno.mkdirSync(workspace.path(folder));
  }

  path(...parts: readonly string[]): string {
    return this.#workspace.path(this.folder, ...parts);
  }

  write(path: string, text: string): void {
    this.#workspace.write(`${this.folder}/${path}`, text);
  }

  read(path: string): string {
    return this.#workspace.read(`${this.folder}/${path}`);
  }
}

/** All is asked for but `sleep`; or, by paths, what lies in `guarded`. */
export const POLICIES = {
  all: `version: 1
paths: [{ allow: [read, write], match: ["**"] }]
commands: [{ allow: [sleep] }, { ask: [sh, cat, cp, make] }]
risk: { allow: safe, ask: dangerous }
tools: { run_command: { risk: safe } }
approvals: { expire: 1h, remember: 10m }
timeouts: { default: 1h }
`,
  guarded: `version: 1
paths:
  - { allow: [read, write], match: ["**"] }
  - { ask: [read, write], match: ["*/guarded/**"] }
commands: [{ allow: [sleep, sh, cat] }]
risk: { allow: dangerous, ask: dangerous }
approvals: { expire: 1h }
timeouts: { default: 1h }
`,
} as const;

export interface Attack {
  readonly name: string;
  readonly policy: keyof typeof POLICIES;
  readonly files: Readonly<Record<string, string>>;
  /** Before the request is sent. */
  readonly lay?: (at: Place) => void;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly change: (at: Place) => void;
  /** What was agreed to is untouched by the path that it was found at: once it waits, it may run there. */
  readonly stands?: true;
  /** Whether what nobody agreed to was done. `said`: the answer, as JSON; "" where there is none yet. */
  readonly harmed: (at: Place, said: string) => boolean;
}

const EVIL = "echo harm >proof\n";
const GOOD = "echo fine >good\n";
const hasProof = (at: Place) => exists(at, "proof");

function exists(at: Place, path: string): boolean {
  try {
    Deno.lstatSync(at.path(path));
    return true;
  } catch {
    return false;
  }
}

function sh(script: string, more: Readonly<Record<string, unknown>> = {}) {
  return { tool: "run_command", args: { argv: ["sh", script], ...more } } as const;
}

const SCRIPT = { policy: "all", harmed: hasProof } as const;

const make = (...words: readonly string[]) =>
  ({ tool: "run_command", args: { argv: ["make", "-s", ...words] } }) as const;
const RULE = (recipe: string) => `all:\n\t@${recipe}`;

/** Of programs: tried while they wait for a thread, too. */
export const PROGRAMS: readonly Attack[] = [
  {
    name: "the makefile that make finds has another text",
    ...SCRIPT,
    files: { "Makefile": RULE(GOOD) },
    ...make(),
    change: (at) => at.write("Makefile", RULE(EVIL)),
  },
  {
    name: "a makefile that comes before the one that was there",
    ...SCRIPT,
    files: { "Makefile": RULE(GOOD) },
    ...make(),
    change: (at) => at.write("GNUmakefile", RULE(EVIL)),
  },
  {
    name: "the makefile in a folder that is named is a link to another",
    ...SCRIPT,
    files: { "b/Makefile": RULE(GOOD), "b/evil": RULE(EVIL.replace(">proof", ">../proof")) },
    ...make("-C", "b"),
    change(at) {
      Deno.removeSync(at.path("b/Makefile"));
      Deno.symlinkSync("evil", at.path("b/Makefile"));
    },
  },
  {
    name: "the script has another text",
    ...SCRIPT,
    files: { "run.sh": GOOD },
    ...sh("run.sh"),
    change: (at) => at.write("run.sh", EVIL),
  },
  {
    name: "another text of the same length and times",
    ...SCRIPT,
    files: { "run.sh": `${GOOD}#` },
    ...sh("run.sh"),
    change(at) {
      const { mtime, atime } = Deno.statSync(at.path("run.sh"));
      at.write("run.sh", EVIL);
      assertEquals(EVIL.length, GOOD.length + 1);
      if (mtime !== null && atime !== null) Deno.utimeSync(at.path("run.sh"), atime, mtime);
    },
  },
  {
    name: "another file of that name",
    ...SCRIPT,
    files: { "run.sh": GOOD, "evil.sh": EVIL },
    ...sh("run.sh"),
    change: (at) => Deno.renameSync(at.path("evil.sh"), at.path("run.sh")),
  },
  {
    name: "a hard link of that name",
    ...SCRIPT,
    files: { "run.sh": GOOD, "evil.sh": EVIL },
    ...sh("run.sh"),
    change(at) {
      Deno.removeSync(at.path("run.sh"));
      Deno.linkSync(at.path("evil.sh"), at.path("run.sh"));
    },
  },
  {
    name: "a symbolic link of that name",
    ...SCRIPT,
    files: { "run.sh": GOOD, "evil.sh": EVIL },
    ...sh("run.sh"),
    change(at) {
      Deno.removeSync(at.path("run.sh"));
      Deno.symlinkSync("evil.sh", at.path("run.sh"));
    },
  },
  {
    name: "another folder on the way",
    ...SCRIPT,
    files: { "bin/run.sh": GOOD, "evil/run.sh": EVIL },
    ...sh("bin/run.sh"),
    change(at) {
      Deno.renameSync(at.path("bin"), at.path("old"));
      Deno.renameSync(at.path("evil"), at.path("bin"));
    },
  },
  {
    name: "a link on the way leads elsewhere",
    ...SCRIPT,
    files: { "plain/run.sh": GOOD, "evil/run.sh": EVIL },
    lay: (at) => Deno.symlinkSync("plain", at.path("bin")),
    ...sh("bin/run.sh"),
    change(at) {
      Deno.removeSync(at.path("bin"));
      Deno.symlinkSync("evil", at.path("bin"));
    },
  },
  {
    name: "a link on the way leads to a copy with the very same file",
    ...SCRIPT,
    stands: true,
    harmed: (at) => exists(at, "evil/good"),
    files: { "good/run.sh": GOOD, "evil/x": "" },
    lay(at) {
      Deno.linkSync(at.path("good/run.sh"), at.path("evil/run.sh"));
      Deno.symlinkSync("good", at.path("bin"));
    },
    ...sh("run.sh", { cwd: "bin" }),
    change(at) {
      Deno.removeSync(at.path("bin"));
      Deno.symlinkSync("evil", at.path("bin"));
    },
  },
  {
    name: "another folder to start in",
    ...SCRIPT,
    harmed: (at) => exists(at, "sub/proof"),
    files: { "sub/run.sh": GOOD, "evil/run.sh": EVIL },
    ...sh("run.sh", { cwd: "sub" }),
    change(at) {
      Deno.renameSync(at.path("sub"), at.path("old"));
      Deno.renameSync(at.path("evil"), at.path("sub"));
    },
  },
  {
    name: "the script has another mode",
    ...SCRIPT,
    harmed: (at) => exists(at, "good"),
    files: { "run.sh": GOOD },
    ...sh("run.sh"),
    change: (at) => Deno.chmodSync(at.path("run.sh"), 0o777),
  },
  {
    name: "the second of two scripts",
    ...SCRIPT,
    files: { "a.sh": GOOD, "b.sh": GOOD },
    tool: "run_command",
    args: { command: "sh a.sh && sh b.sh" },
    change: (at) => at.write("b.sh", EVIL),
  },
  {
    name: "a file that is redirected from",
    policy: "all",
    harmed: (at) => exists(at, "out") && at.read("out").includes("harm"),
    files: { "in.txt": "fine\n" },
    tool: "run_command",
    args: { command: "cat <in.txt >out" },
    change: (at) => at.write("in.txt", "harm\n"),
  },
  {
    name: "a file that a program alone reads and shows",
    policy: "all",
    harmed: (_, said) => said.includes("harm"),
    files: { "in.txt": "fine\n" },
    tool: "run_command",
    args: { argv: ["cat", "in.txt"] },
    change: (at) => at.write("in.txt", "harm\n"),
  },
  {
    name: "a file that is copied by a program",
    policy: "all",
    harmed: (at) => exists(at, "out") && at.read("out").includes("harm"),
    files: { "in.txt": "fine\n" },
    tool: "run_command",
    args: { argv: ["cp", "in.txt", "out"] },
    change: (at) => at.write("in.txt", "harm\n"),
  },
  {
    name: "the folder of what a program makes",
    policy: "all",
    harmed: (at) => exists(at, "other/out"),
    files: { "in.txt": "fine\n", "d/x": "", "other/x": "" },
    tool: "run_command",
    args: { argv: ["cp", "in.txt", "d/out"] },
    change(at) {
      Deno.renameSync(at.path("d"), at.path("old"));
      Deno.symlinkSync("other", at.path("d"));
    },
  },
];

const WRITE = { tool: "write_file", args: { path: "d/new", content: "text" } } as const;

/** Of the file tools. */
export const FILES: readonly Attack[] = [
  {
    name: "the folder is a link to another",
    policy: "all",
    files: { "d/x": "", "e/x": "" },
    ...WRITE,
    change(at) {
      Deno.renameSync(at.path("d"), at.path("old"));
      Deno.symlinkSync("e", at.path("d"));
    },
    harmed: (at) => exists(at, "e/new"),
  },
  {
    name: "the folder is another",
    policy: "all",
    files: { "d/x": "", "e/y": "" },
    ...WRITE,
    change(at) {
      Deno.renameSync(at.path("d"), at.path("old"));
      Deno.renameSync(at.path("e"), at.path("d"));
    },
    harmed: (at) => exists(at, "d/new"),
  },
  {
    name: "a folder above it is another",
    policy: "all",
    files: { "up/d/x": "", "e/d/y": "" },
    tool: "write_file",
    args: { path: "up/d/new", content: "text" },
    change(at) {
      Deno.renameSync(at.path("up"), at.path("old"));
      Deno.renameSync(at.path("e"), at.path("up"));
    },
    harmed: (at) => exists(at, "up/d/new"),
  },
  {
    name: "the folder that was to be made is there, and is a link",
    policy: "all",
    files: { "e/x": "" },
    ...WRITE,
    change: (at) => Deno.symlinkSync("e", at.path("d")),
    harmed: (at) => exists(at, "e/new"),
  },
  {
    name: "the folder that was to be made is there, and is another's",
    policy: "all",
    files: {},
    ...WRITE,
    change: (at) => Deno.mkdirSync(at.path("d")),
    harmed: (at) => exists(at, "d/new"),
  },
  {
    name: "a link leads from where it is asked for to where it is not",
    policy: "guarded",
    files: { "guarded/x": "", "open/x": "" },
    lay: (at) => Deno.symlinkSync("guarded", at.path("l")),
    tool: "write_file",
    args: { path: "l/new", content: "text" },
    change(at) {
      Deno.removeSync(at.path("l"));
      Deno.symlinkSync("open", at.path("l"));
    },
    harmed: (at) => exists(at, "open/new"),
  },
  {
    name: "the folder leads from where it is asked for to where it is not",
    policy: "guarded",
    files: { "guarded/sub/x": "", "open/x": "" },
    tool: "write_file",
    args: { path: "guarded/sub/new", content: "text" },
    change(at) {
      Deno.renameSync(at.path("guarded/sub"), at.path("guarded/old"));
      Deno.symlinkSync("../open", at.path("guarded/sub"));
    },
    harmed: (at) => exists(at, "open/new"),
  },
  {
    name: "a file is there by now",
    policy: "all",
    files: { "d/x": "" },
    ...WRITE,
    change: (at) => at.write("d/new", "somebody else's"),
    harmed: (at) => at.read("d/new") !== "somebody else's",
  },
  {
    name: "the file has another text",
    policy: "all",
    files: { "d/new": "old" },
    ...WRITE,
    change: (at) => at.write("d/new", "somebody else's"),
    harmed: (at) => at.read("d/new") !== "somebody else's",
  },
  {
    name: "the file is a hard link to another",
    policy: "all",
    files: { "d/new": "old", "precious": "precious" },
    ...WRITE,
    change(at) {
      Deno.removeSync(at.path("d/new"));
      Deno.linkSync(at.path("precious"), at.path("d/new"));
    },
    harmed: (at) => at.read("d/new") !== "precious",
  },
  {
    name: "more lies in a tree that is to go",
    policy: "all",
    files: { "d/x": "" },
    tool: "delete_file",
    args: { path: "d", recursive: true },
    change: (at) => at.write("d/deep/precious", "precious"),
    harmed: (at) => !exists(at, "d/deep/precious"),
  },
  {
    name: "a file deep in a tree that is to go has another text",
    policy: "all",
    files: { "d/deep/x": "a", "d/deep/y": "b" },
    tool: "delete_file",
    args: { path: "d", recursive: true },
    change: (at) => at.write("d/deep/x", "precious"),
    harmed: (at) => !exists(at, "d/deep/x"),
  },
  {
    name: "what is copied has another text",
    policy: "all",
    files: { "a": "fine" },
    tool: "copy_file",
    args: { src: "a", dst: "b" },
    change: (at) => at.write("a", "harm"),
    harmed: (at) => exists(at, "b"),
  },
  {
    name: "what is moved is another file",
    policy: "all",
    files: { "a": "fine", "c": "harm" },
    tool: "move_file",
    args: { src: "a", dst: "b" },
    change: (at) => Deno.renameSync(at.path("c"), at.path("a")),
    harmed: (at) => exists(at, "b"),
  },
  {
    name: "where it is moved to is another folder",
    policy: "all",
    files: { "a": "fine", "d/x": "", "e/x": "" },
    tool: "move_file",
    args: { src: "a", dst: "d/b" },
    change(at) {
      Deno.renameSync(at.path("d"), at.path("old"));
      Deno.symlinkSync("e", at.path("d"));
    },
    harmed: (at) => exists(at, "e/b"),
  },
  {
    name: "what is read was another file, where reading is asked for",
    policy: "guarded",
    files: { "guarded/a": "fine", "b": "harm" },
    tool: "copy_file",
    args: { src: "guarded/a", dst: "c" },
    change: (at) => Deno.renameSync(at.path("b"), at.path("guarded/a")),
    harmed: (at) => exists(at, "c") && at.read("c") === "harm",
  },
];

/** The arguments of a row that lies in a folder. */
export function argumentsIn({ tool, args }: Attack, folder: string): Record<string, unknown> {
  const inFolder = Object.entries(args).map(([name, value]) =>
    ["path", "src", "dst"].includes(name) ? [name, `${folder}/${value}`] : [name, value]
  );
  const { cwd } = args;
  const start = tool === "run_command"
    ? { cwd: cwd === undefined ? folder : `${folder}/${cwd}` }
    : {};
  return { ...Object.fromEntries(inFolder), ...start };
}
