/** The completion scripts in the shells that they are for, which cannot find Toolgate: nothing may start it. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { hasProgram } from "../../../scripts/_debian.ts";
import { COMMANDS } from "../../../src/cli/commands.ts";
import { FLAGS } from "../../../src/cli/flags.ts";
import { createRegistry } from "../../../src/tools/registry.ts";
import { comesToBe } from "../../until.ts";
import { Terminal } from "../_terminal.ts";
import { start, Workspace } from "../toolgate.ts";

interface ShellCase {
  readonly name: "bash" | "zsh" | "fish";
  /** What is special about it, where it is not the usual. */
  readonly way?: string;
  readonly args: readonly string[];
  /** Loads the script and puts the line being typed into `out` at Control-O. */
  readonly setUp: (script: string, out: string) => string;
  /** A script that prints what the lookup `question` offers, a word a line. */
  readonly lookup: (script: string, questions: readonly string[]) => string;
  /** Defines a toolgate that puts its arguments into `out`, each with a NUL behind it. */
  readonly stub: (out: string) => string;
  /** How a blank in a completed name is written. */
  readonly blank: string;
}

const stub = (out: string) => `toolgate() { printf '%s\\0' "$@" > ${out}; }`;

const zshOrBash = (open: string) => (script: string, questions: readonly string[]) =>
  [
    `${open}source ${script}`,
    ...questions.map((question) =>
      `_toolgate_lookup '${question}'; printf '%s\\n' '> ${question}' "\${offer[@]}"`
    ),
  ].join("\n");

const BASH: ShellCase = {
  name: "bash",
  args: ["--noprofile", "--norc", "-i"],
  setUp: (script, out) =>
    `source ${script}; bind -x '"\\C-o": printf %s "$READLINE_LINE" > ${out}'`,
  lookup: zshOrBash(""),
  stub,
  blank: "\\ ",
};

const ZSH: ShellCase = {
  name: "zsh",
  args: ["-f", "-i"],
  setUp: (script, out) =>
    `autoload -Uz compinit; compinit -u -D; source ${script}; ` +
    `probe() { print -rn -- "$BUFFER" > ${out} }; zle -N probe; bindkey '^O' probe`,
  lookup: zshOrBash("compdef() { }; "),
  stub,
  blank: "\\ ",
};

const FISH: ShellCase = {
  name: "fish",
  args: ["--no-config", "-i"],
  setUp: (script, out) =>
    `set -g fish_autosuggestion_enabled 0; source ${script}; bind \\co 'commandline > ${out}'`,
  lookup: (script, questions) =>
    [
      `source ${script}`,
      ...questions.map((question) =>
        `echo '> ${question}'; __toolgate_lookup '${question}' | string replace -r '\\t.*' ''`
      ),
    ].join("\n"),
  stub: (out) => `function toolgate; printf '%s\\0' $argv > ${out}; end`,
  blank: "\\ ",
};

const SHELLS: readonly ShellCase[] = [
  BASH,
  {
    ...BASH,
    way: "words parted at blanks alone",
    setUp: (script, out) => `COMP_WORDBREAKS=$' \\t\\n'; ${BASH.setUp(script, out)}`,
  },
  ZSH,
  {
    ...ZSH,
    way: "loaded by compinit from fpath",
    setUp: (script, out) =>
      `mkdir $HOME/functions; cp ${script} $HOME/functions/_toolgate; fpath=($HOME/functions $fpath); ` +
      ZSH.setUp("/dev/null", out),
  },
  FISH,
];

/** A name that runs something wherever it is typed without quotes. */
const HOSTILE = "x$(touch pwned)`touch pwned`;touch pwned;'\".txt";

const FILES = {
  "notes.txt": "",
  "folder/inner.txt": "",
  "odd name.txt": "",
  [HOSTILE]: "",
};

/** What is typed before the tab key, and what is on the line after it; `·` stands for a blank in a word. */
const TYPED: readonly (readonly [string, string])[] = [
  ["toolgate ser", "toolgate serve "],
  ["toolgate call read_f", "toolgate call read_file "],
  ["toolgate --agent x call read_f", "toolgate --agent x call read_file "],
  ["toolgate --agent=x call read_f", "toolgate --agent=x call read_file "],
  ["toolgate call read_file enc", "toolgate call read_file encoding="],
  ["toolgate call --preview read_file pat", "toolgate call --preview read_file path="],
  ["toolgate call grep case", "toolgate call grep case_sensitive="],
  ["toolgate call fs.read path=not", "toolgate call fs.read path=notes.txt "],
  ["toolgate call list_directory path=fol", "toolgate call list_directory path=folder/"],
  ["toolgate call read_file path=folder/i", "toolgate call read_file path=folder/inner.txt "],
  ["toolgate call read_file path=odd", "toolgate call read_file path=odd·name.txt "],
  ["toolgate call run_linter tool=deno", "toolgate call run_linter tool=deno·lint "],
  ["toolgate call get_timestamp format=u", "toolgate call get_timestamp format=unix "],
  ["toolgate call search_files literal=t", "toolgate call search_files literal=true "],
  ["toolgate tools sho", "toolgate tools show "],
  ["toolgate tools show get_t", "toolgate tools show get_timestamp "],
  ["toolgate policy explain run_c", "toolgate policy explain run_command "],
  ["toolgate policy explain read_file enc", "toolgate policy explain read_file encoding="],
  ["toolgate completions zs", "toolgate completions zsh "],
  ["toolgate tools schema --for anth", "toolgate tools schema --for anthropic "],
  ["toolgate --format te", "toolgate --format text "],
  ["toolgate --format=te", "toolgate --format=text "],
  ["toolgate call read_file --prev", "toolgate call read_file --preview "],
  ["toolgate --root fol", "toolgate --root folder/"],
  ["toolgate --policy not", "toolgate --policy notes.txt "],
  // Nothing stands behind these.
  ["toolgate serve read_f", "toolgate serve read_f"],
  ["toolgate call read_file content=no", "toolgate call read_file content=no"],
  ["toolgate tools show get_timestamp get_h", "toolgate tools show get_timestamp get_h"],
];

for (const shell of SHELLS) {
  const ignore = !hasProgram(shell.name);
  const way = shell.way === undefined ? "" : ` (${shell.way})`;

  Deno.test({
    name:
      `${shell.name}${way}: the tab key completes commands, flags, tools, arguments, values and files`,
    ignore,
    async fn() {
      await using workspace = new Workspace(FILES);
      const { script, out } = await written(shell, workspace);
      await using terminal = new Terminal({ columns: 200 });
      const env = { HOME: workspace.base, PS1: "$ " };
      terminal.start(shell.name, shell.args, { cwd: workspace.root, env });
      terminal.type(`${shell.setUp(script, out)}; echo rea''dy\n`);
      await terminal.until((text) => text.includes("ready"));
      for (const [typed, expected] of TYPED) {
        const line = await completed(terminal, typed, out);
        assertEquals(line, expected.replace("·", shell.blank), typed);
      }
      terminal.type(`${shell.stub(out)}\n`);
      const hostile = await completed(terminal, "toolgate call read_file path=x", out, "\n");
      assertEquals(hostile.split("\0"), ["call", "read_file", `path=${HOSTILE}`, ""]);
      assert([...Deno.readDirSync(workspace.root)].every(({ name }) => name !== "pwned"));
    },
  });

  if (shell.way !== undefined) continue;

  Deno.test({
    name:
      `${shell.name}: every command, flag, tool and argument is offered, and none that is not there`,
    ignore,
    async fn() {
      await using workspace = new Workspace();
      const { script } = await written(shell, workspace);
      const tools = await createRegistry().catalogue.all();
      const expected: Record<string, readonly string[]> = {
        commands: Object.keys(COMMANDS),
        tools: tools.map(({ name }) => name),
      };
      for (const { name, aliases, input } of tools) {
        const keys = Object.keys(input.properties ?? {}).map((key) => `${key}=`);
        for (const each of [name, ...aliases]) expected[`arguments ${each}`] = keys;
        for (const [key, { type, enum: members }] of Object.entries(input.properties ?? {})) {
          const values = type === "boolean" ? ["true", "false"] : members?.map(String);
          if (values !== undefined) expected[`value ${name} ${key}`] = values;
          // Whatever is a path in a name is one to the shell.
          const isPath = ["path", "src", "dst", "cwd"].includes(key);
          if (isPath) expected[`value ${name} ${key}`] = ["@file"];
        }
      }
      if (shell.name !== "fish") {
        for (const command of Object.keys(COMMANDS)) {
          expected[`flags ${command}`] = FLAGS.filter(({ commands }) =>
            commands?.includes(command) ?? true
          ).map(({ name }) => `--${name}`);
        }
      }
      const { success, stdout, stderr } = await new Deno.Command(shell.name, {
        args: ["-c", shell.lookup(script, Object.keys(expected))],
        env: { PATH: "/usr/bin:/bin", HOME: workspace.base },
        clearEnv: true,
        stdin: "null",
      }).output();
      assert(success, new TextDecoder().decode(stderr));
      const found: Record<string, readonly string[]> = {};
      let asked = "";
      for (const line of new TextDecoder().decode(stdout).split("\n").filter(Boolean)) {
        if (line.startsWith("> ")) found[asked = line.slice(2)] = [];
        else found[asked] = [...found[asked] ?? [], line.split(":")[0] ?? ""];
      }
      const given = Object.entries(expected).filter(([, words]) => words.length > 0);
      for (const [question, words] of given) assertEquals(found[question], words, question);
    },
  });
}

Deno.test({
  name: "fish: flags are offered where their commands are, with what they are good for",
  ignore: !hasProgram("fish"),
  async fn() {
    await using workspace = new Workspace(FILES);
    const { script } = await written(FISH, workspace);
    const offered = async (line: string) => {
      const { stdout } = await new Deno.Command("fish", {
        args: ["--no-config", "-c", `source ${script}; complete -C '${line}'`],
        env: { PATH: "/usr/bin:/bin", HOME: workspace.base },
        clearEnv: true,
        cwd: workspace.root,
      }).output();
      return new TextDecoder().decode(stdout).split("\n").filter(Boolean);
    };
    const flags = (await offered("toolgate call --")).map((line) => line.split("\t")[0]);
    for (const { name, commands } of FLAGS) {
      assertEquals(flags.includes(`--${name}`), commands?.includes("call") ?? true, name);
    }
    assertEquals(await offered("toolgate call read_file path=not"), ["path=notes.txt"]);
    assertStringIncludes((await offered("toolgate ser"))[0] ?? "", "\t");
  },
});

Deno.test("an unknown shell is told of the known ones; a policy that cannot be used costs no completion", async () => {
  const unknown = await start(["completions", "zhs"]);
  assertEquals(unknown.status, 2);
  assertStringIncludes(unknown.stderr, "zsh");
  const broken = await start(["completions", "bash", "--policy", "/nowhere/policy.yaml"]);
  assertEquals(broken.status, 0);
  assertStringIncludes(broken.stdout, "complete -F _toolgate toolgate");
  assertStringIncludes(broken.stderr, "no such file");
});

/** The script on disk, and where the typed line is to be put. */
async function written(
  { name }: ShellCase,
  workspace: Workspace,
): Promise<{ readonly script: string; readonly out: string }> {
  const { status, stdout, stderr } = await start(["completions", name], { cwd: workspace.root });
  assertEquals([status, stderr], [0, ""]);
  const script = workspace.policy(stdout, `completion.${name}`);
  return { script, out: `${workspace.base}/line` };
}

/** The line after the tab key, or what `key` after that makes of it. The next one is clean. */
async function completed(
  terminal: Terminal,
  typed: string,
  out: string,
  key = "\x0f",
): Promise<string> {
  terminal.type(`${typed}\t${key}`);
  let line = "";
  const isTold = () => {
    try {
      line = Deno.readTextFileSync(out);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
    return line !== "";
  };
  assert(
    await comesToBe(isTold),
    `the line was not told after ${typed}: ${JSON.stringify(terminal.text.slice(-500))}`,
  );
  Deno.removeSync(out);
  // Control-U: the line is taken back.
  terminal.type("\x15");
  return line.replace(/\n$/, "");
}
