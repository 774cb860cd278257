/** What somebody at a terminal sees, through a pseudo terminal. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { linesOf, onTerminal, Terminal, type TerminalOptions } from "../_terminal.ts";
import { BINARY, sealedBinary, start, Workspace } from "../toolgate.ts";

const ESCAPE = "\x1b";
const FILES = {
  "a.txt": "one\ntwo\n",
  "hostile.txt": `${ESCAPE}]0;owned\x07${ESCAPE}[2Jtext\u202e\r\n`,
  [`src/${"deep/".repeat(20)}end.ts`]: `const needle = "${"x".repeat(300)}";\n`,
};

/** The line that moves; on a busy machine it may be shown for the first time after a second. */
const AT_WORK = /run_command {2}\d+ s/;

async function shown(
  workspace: Workspace,
  args: readonly string[],
  options: TerminalOptions = {},
) {
  const env = { HOME: workspace.base, ...options.env };
  return await onTerminal(BINARY, args, { cwd: workspace.root, ...options, env });
}

Deno.test("lists are tables within the width of the terminal", async () => {
  await using workspace = new Workspace(FILES);
  for (const columns of [50, 100]) {
    const calls = [
      ["call", "list_directory", "recursive=true"],
      ["call", "search_files", "pattern=needle"],
      ["tools"],
      ["--help"],
    ];
    for (const args of calls) {
      const { status, text } = await shown(workspace, args, { columns });
      assertEquals(status, 0, text);
      const lines = linesOf(text);
      assert(lines.length > 3, text);
      for (const line of lines) assert(line.length <= columns, `${columns}: ${line}`);
    }
  }
  const said = await shown(workspace, ["call", "search_files", "pattern=needle"], {
    columns: 100,
    env: { COLUMNS: "50" },
  });
  for (const line of linesOf(said.text)) assert(line.length <= 50, line);
});

Deno.test("diffs and errors have colours, unless the environment or the terminal wants none", async () => {
  await using workspace = new Workspace(FILES);
  const preview = ["call", "write_file", "path=a.txt", "content=one", "--preview"];
  const refused = ["call", "read_file", "path=../x"];
  const diff = await shown(workspace, preview);
  assertStringIncludes(diff.text, `${ESCAPE}[31m-two${ESCAPE}[0m`);
  assertStringIncludes(diff.text, `${ESCAPE}[36m@@`);
  const error = await shown(workspace, refused);
  assertEquals(error.status, 3);
  assertStringIncludes(error.text, `${ESCAPE}[1;31mPATH_OUTSIDE_WORKSPACE:`);
  for (const env of [{ NO_COLOR: "1" }, { TERM: "dumb" }, { TERM: "" }]) {
    for (const args of [preview, refused, ["--help"], ["tools", "show", "read_file"]]) {
      const { text } = await shown(workspace, args, { env });
      // A line that moves is no colour: on a busy machine a call is long enough for one, which is taken back.
      const said = "NO_COLOR" in env ? text.replaceAll(`${ESCAPE}[K`, "") : text;
      assert(!said.includes(ESCAPE), `${JSON.stringify(env)} ${args.join(" ")}: ${text}`);
    }
  }
});

Deno.test("without a terminal there are no colours and no width", async () => {
  await using workspace = new Workspace(FILES);
  const env = { TERM: "xterm", HOME: workspace.base };
  const preview = [
    "call",
    "write_file",
    "path=a.txt",
    "content=one",
    "--preview",
    "--format",
    "text",
  ];
  const options = { cwd: workspace.root, env };
  for (
    const args of [preview, ["--help"], ["tools", "docs"], ["tools", "list", "--format", "text"]]
  ) {
    const { status, stdout, stderr } = await start(args, options);
    assertEquals(status, 0);
    assert(!(stdout + stderr).includes(ESCAPE), args.join(" "));
  }
  const { stderr } = await start(["call", "read_file", "path=../x", "--format", "text"], options);
  assert(stderr.startsWith("PATH_OUTSIDE_WORKSPACE: "), stderr);
});

Deno.test("what a file or a program writes cannot steer the terminal", async () => {
  await using workspace = new Workspace(FILES);
  const calls = [
    ["call", "read_file", "path=hostile.txt"],
    ["call", "run_command", "argv=cat,hostile.txt"],
    ["call", "search_files", "pattern=text"],
    ["call", "write_file", "path=hostile.txt", "content=x", "--preview"],
  ];
  for (const args of calls) {
    const { status, text } = await shown(workspace, args);
    assertEquals(status, 0, text);
    assertStringIncludes(text, "\\x1b");
    assert(
      !text.includes(`${ESCAPE}]`) && !text.includes(`${ESCAPE}[2J`) && !text.includes("\x07"),
    );
    assert(!text.includes("\u202e"), JSON.stringify(text));
  }
});

Deno.test("a long command says that it is at work, and takes the line back", async () => {
  await using workspace = new Workspace(FILES);
  await using terminal = new Terminal({ columns: 60 });
  const env = { HOME: workspace.base };
  const waiting = ["call", "run_command", "command=until [ -e seen ]; do sleep 0.05; done"];
  terminal.start(BINARY, waiting, { cwd: workspace.root, env });
  await terminal.until((text) => /run_command {2}[1-9]\d* s/.test(text));
  workspace.write("seen", "");
  const { status, text } = await terminal.end();
  assertEquals(status, 0);
  const erase = `\r${ESCAPE}[K`;
  const behind = text.slice(text.lastIndexOf("run_command"));
  assert(behind.includes(erase), JSON.stringify(behind));
  assertEquals(behind.slice(behind.lastIndexOf(erase) + erase.length).trim(), "");
});

Deno.test("Control-C ends the call, and the line is taken back", async () => {
  await using workspace = new Workspace(FILES);
  await using terminal = new Terminal({ columns: 60 });
  const env = { HOME: workspace.base };
  terminal.start(BINARY, ["call", "run_command", "argv=sleep,6000"], { cwd: workspace.root, env });
  await terminal.until((text) => AT_WORK.test(text));
  terminal.type("\x03");
  const { status, text } = await terminal.end();
  assertEquals(status, 5);
  const behind = text.slice(text.lastIndexOf(`\r${ESCAPE}[K`));
  assert(!behind.includes("run_command  "), JSON.stringify(behind));
  assertStringIncludes(behind, "CANCELLED:");
});

Deno.test("no line moves where nobody sees it or nobody wants it", async () => {
  await using workspace = new Workspace(FILES);
  const waiting = ["call", "run_command", "argv=sleep,1"];
  const quiet = [
    await shown(workspace, waiting, { env: { TERM: "dumb" } }),
    await shown(workspace, [...waiting, "--quiet"]),
  ];
  for (const { status, text } of quiet) assertEquals([status, text.trim()], [0, ""]);
  const piped = await start(waiting, { cwd: workspace.root, env: { TERM: "xterm" } });
  assertEquals([piped.status, piped.stderr], [0, ""]);
});

/** A shell script that takes its time, says it on both streams, and leaves its last line open. */
const TALKS = "for i in 1 2; do echo line $i; sleep 0.6; done; echo err >&2; printf end\n";
const TALKING = `version: 1
paths: [{ allow: [read, write], match: ["**"] }]
commands: [{ allow: [sh] }]
risk: { allow: dangerous, ask: dangerous }
`;

/** Runs it on a terminal, by a shell, so that streams can lead elsewhere. */
async function talks(workspace: Workspace, behind: string) {
  workspace.write("talks.sh", TALKS);
  const policy = workspace.policy(TALKING);
  const line = `"${BINARY}" call run_command argv=sh,talks.sh --policy "${policy}" ${behind}`;
  return await onTerminal("/bin/sh", ["-c", line], {
    cwd: workspace.root,
    env: { HOME: workspace.base },
  });
}

Deno.test("what a program says on the terminal is shown as it says it, and no line moves between", async () => {
  await using workspace = new Workspace();
  for (const flags of ["", "--quiet"]) {
    const { status, text } = await talks(workspace, flags);
    assertEquals(status, 0, text);
    const behind = text.slice(text.indexOf("line 1"));
    assert(!behind.includes(`${ESCAPE}[K`), JSON.stringify(behind));
    for (const said of ["line 1\r\n", "line 2\r\n", "end", "err"]) {
      assertEquals(behind.split(said).length, 2, `${said}: ${JSON.stringify(behind)}`);
    }
    assert(behind.endsWith("\r\n"), "the prompt begins on a line of its own");
  }
});

Deno.test("results that go to a file leave the terminal to the line that moves, which is taken back", async () => {
  await using workspace = new Workspace();
  const erase = `\r${ESCAPE}[K`;
  for (const format of ["", "--format json", "--format text"]) {
    const { status, text } = await talks(workspace, `${format} > out`);
    assertEquals(status, 0, text);
    const result = workspace.read("out");
    assert(!result.includes(ESCAPE), result);
    if (format.endsWith("text")) assertStringIncludes(result, "line 1\nline 2\n");
    else assertEquals(JSON.parse(result).output.stdout, "line 1\nline 2\nend");
    assert(text.includes(`${erase}run_command  `) && AT_WORK.test(text), JSON.stringify(text));
    const last = text.slice(text.lastIndexOf(erase) + erase.length).trim();
    assert(last === "" || last === "err", JSON.stringify(text));
  }
  // What goes to a file of its own leaves nothing of itself on the terminal.
  const { text } = await talks(workspace, "2> problems");
  assertStringIncludes(text, "line 2\r\n");
  assert(!text.includes("err") && !text.includes(`${ESCAPE}[K`), JSON.stringify(text));
  assertEquals(workspace.read("problems"), "err\n");
});

Deno.test("who is asked sees what would change, in colours, and no line that moves", async () => {
  await using workspace = new Workspace(FILES);
  const policy = workspace.policy(`version: 1
paths: [{ allow: [read], match: ["**"] }, { ask: [write], match: ["**"], reason: say so }]
`);
  await using terminal = new Terminal();
  terminal.start(BINARY, ["call", "write_file", "path=a.txt", "content=one", "--policy", policy], {
    cwd: workspace.root,
    env: { HOME: workspace.base },
  });
  const asked = await terminal.until((text) => text.includes("Agree?"));
  assertStringIncludes(asked, `${ESCAPE}[31m-two${ESCAPE}[0m`);
  const before = terminal.text.length;
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  terminal.type("y\n");
  const { status, text } = await terminal.end();
  assertEquals(status, 0, text);
  const answered = text.slice(before);
  assert(
    !answered.slice(0, answered.indexOf("y")).includes(`${ESCAPE}[K`),
    JSON.stringify(answered),
  );
  assertEquals(workspace.read("a.txt"), "one");
});

Deno.test("a sealed build, which gives up all rights for its call, shows the result as well", async () => {
  await using workspace = new Workspace(FILES);
  const policy = workspace.policy(`version: 1
paths: [{ allow: [read, write], match: ["**"] }]
commands: [{ allow: [sleep] }]
`);
  const binary = await sealedBinary("sealed-terminal", policy);
  const calls: readonly (readonly [readonly string[], string | RegExp])[] = [
    [["call", "read_file", "path=a.txt"], "two"],
    [["call", "list_directory"], "hostile.txt"],
    [["call", "write_file", "path=a.txt", "content=one", "--preview"], `${ESCAPE}[31m-two`],
    [["call", "run_command", "argv=sleep,1"], AT_WORK],
  ];
  for (const [args, words] of calls) {
    const options = { cwd: workspace.root, env: { HOME: workspace.base } };
    const { status, text } = await onTerminal(binary, args, options);
    assertEquals(status, 0, text);
    if (words instanceof RegExp) assertMatch(text, words);
    else assertStringIncludes(text, words);
  }
});

Deno.test("help is there for every command and tool, and mistakes are met with what was meant", async () => {
  for (
    const command of [
      "call",
      "serve",
      "mcp",
      "tools",
      "policy",
      "approvals",
      "audit",
      "doctor",
      "completions",
    ]
  ) {
    const { status, stdout } = await start([command, "--help"]);
    assertEquals(status, 0);
    assertStringIncludes(stdout, `usage: toolgate ${command}`);
    assertStringIncludes(stdout, "examples:\n  ");
  }
  for (
    const args of [["call", "read_file", "--help"], ["help", "fs.read"], [
      "help",
      "call",
      "read_file",
    ]]
  ) {
    const { status, stdout } = await start(args);
    assertEquals(status, 0);
    assertStringIncludes(stdout, "start_line");
  }
  const mistakes: readonly (readonly [readonly string[], string])[] = [
    [["tols"], "did you mean tools?"],
    [["read_file", "path=a"], "toolgate call read_file"],
    [["grep", "x"], "toolgate call search_files"],
    [["call", "raed_file", "--help"], 'Did you mean "read_file"?'],
    [["--verion"], "did you mean --version?"],
    [["call", "read_file", "--previw"], "did you mean --preview?"],
    [["doctor", "--preview"], "it is a flag of call and policy"],
    [["help", "polcy"], "did you mean policy?"],
  ];
  for (const [args, words] of mistakes) {
    const { status, stdout, stderr } = await start(args);
    assertEquals([status, stdout], [2, ""], args.join(" "));
    assertStringIncludes(stderr, words);
  }
});
