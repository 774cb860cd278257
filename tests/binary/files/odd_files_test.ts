/** Files that are not what they seem, and names that break what is careless. */

import { assert, assertEquals } from "@std/assert";
import { type Answer, call, Pipe, SENTINEL, type StartOptions, Workspace } from "../toolgate.ts";

const POLICY = `version: 1
paths: [{ allow: [read, write], match: ["**"] }]
commands: [{ allow: [cat] }]
`;

/** A policy that lets devices through: the tools themselves must not fall for them. */
const DEVICES = `version: 1
paths: [{ allow: [read, write], match: ["**", "/dev/**"] }]
`;

type Ask = (tool: string, args: Record<string, unknown>) => Promise<Answer>;

/** The same attempts over one call each, and over a pipe. */
async function inBothLives(
  workspace: Workspace,
  policy: string,
  attempt: (ask: Ask, life: string) => Promise<void>,
): Promise<void> {
  const options: StartOptions = { cwd: workspace.root };
  const flags = ["--policy", workspace.policy(policy)];
  await attempt(async (tool, args) => {
    const { answer } = await call([tool, "--json", JSON.stringify(args), ...flags], options);
    return answer;
  }, "call");
  const pipe = new Pipe(flags, options);
  await attempt((tool, args) => pipe.ask({ id: 1, tool, args }), "serve");
  assertEquals((await pipe.close()).status, 0);
}

/** The shell, for what the runtime cannot make. */
async function sh(script: string, cwd: string): Promise<void> {
  const { success, stderr } = await new Deno.Command("/bin/sh", {
    args: ["-c", script],
    cwd,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).output();
  assert(success, new TextDecoder().decode(stderr));
}

Deno.test("a write through a hard link makes a new file: the other name keeps its content", async () => {
  await using workspace = new Workspace();
  await inBothLives(workspace, POLICY, async (ask, life) => {
    const sentinel = `${workspace.outside}/sentinel.txt`;
    Deno.linkSync(sentinel, workspace.path("hard.txt"));
    assertEquals(Deno.statSync(sentinel).nlink, 2);
    const { output } = await ask("write_file", { path: "hard.txt", content: `by ${life}` });
    assertEquals(output?.created, false);
    assertEquals(workspace.read("hard.txt"), `by ${life}`);
    workspace.assertOutsideUntouched();
    assertEquals(Deno.statSync(sentinel).nlink, 1);
    Deno.removeSync(workspace.path("hard.txt"));
  });
});

Deno.test("pipes, sockets and devices are no files, and nothing waits for them", async () => {
  await using workspace = new Workspace({ "a.txt": "needle\n" });
  await sh("mkfifo pipe && mkdir sub && mkfifo sub/pipe", workspace.root);
  const listener = Deno.listen({ transport: "unix", path: workspace.path("socket") });
  await inBothLives(workspace, DEVICES, async (ask) => {
    for (const path of ["pipe", "socket", "/dev/zero", "/dev/full", "/dev/null", "/dev/urandom"]) {
      assertEquals((await ask("read_file", { path })).error?.code, "NOT_A_FILE", path);
      const written = await ask("write_file", { path, content: "x" });
      assertEquals(written.error?.code, "NOT_A_FILE", path);
      assertEquals((await ask("get_file_info", { path })).output?.type, "other", path);
    }
    const listed = await ask("list_directory", { recursive: true });
    const types = listed.output.entries.map(({ path, type }: Record<string, string>) => [
      path,
      type,
    ]);
    assertEquals(types, [
      ["a.txt", "file"],
      ["pipe", "other"],
      ["socket", "other"],
      ["sub", "directory"],
      ["sub/pipe", "other"],
    ]);
    const found = await ask("search_files", { pattern: "needle" });
    assertEquals(found.output?.total_matches, 1);
  });
  listener.close();
});

Deno.test("links to pipes and devices lead out, or to what is no file", async () => {
  await using workspace = new Workspace();
  await sh("mkfifo pipe", workspace.root);
  Deno.symlinkSync("pipe", workspace.path("to-pipe"));
  Deno.symlinkSync("/dev/zero", workspace.path("to-zero"));
  Deno.symlinkSync("/proc/self/environ", workspace.path("to-environ"));
  Deno.symlinkSync("/proc/self/root/etc/passwd", workspace.path("to-root"));
  Deno.symlinkSync("/proc/self/cwd", workspace.path("to-cwd"));
  Deno.symlinkSync("circle", workspace.path("circle"));
  const outside = "PATH_OUTSIDE_WORKSPACE";
  await inBothLives(workspace, POLICY, async (ask) => {
    for (
      const [path, code] of [
        ["to-pipe", "NOT_A_FILE"],
        ["to-zero", outside],
        ["to-environ", outside],
        ["to-root", outside],
        ["/proc/self/cwd/../../outside/sentinel.txt", outside],
        ["circle", "INVALID_ARGUMENTS"],
      ] as const
    ) {
      assertEquals((await ask("read_file", { path })).error?.code, code, path);
      assertEquals((await ask("write_file", { path, content: "x" })).error?.code, code, path);
    }
  });
  workspace.assertOutsideUntouched();
});

Deno.test("names with line ends, quotes, escapes and bytes that are no UTF-8 are listed on one line", async () => {
  await using workspace = new Workspace({
    "new\nline": "needle\n",
    'quote"back\\slash': "needle\n",
    "escape\u001b[31m": "needle\n",
    "\u2028separator": "needle\n",
    "ümlaut/𝄞": "needle\n",
    "-rf": "needle\n",
    'id":1,"success': "needle\n",
  });
  await sh(
    `printf needle > "$(printf 'bad\\377\\376')" && mkdir "$(printf 'dir\\200')" && printf needle > "$(printf 'dir\\200/in')"`,
    workspace.root,
  );
  await inBothLives(workspace, POLICY, async (ask) => {
    const { output } = await ask("list_directory", { recursive: true });
    const names: string[] = output.entries.map(({ name }: { readonly name: string }) => name);
    assertEquals(
      new Set(names),
      new Set([
        "new\nline",
        'quote"back\\slash',
        "escape\u001b[31m",
        "\u2028separator",
        "ümlaut",
        "𝄞",
        "-rf",
        'id":1,"success',
        "bad\\xff\\xfe",
        "dir\\x80",
      ]),
    );
    assertEquals(output.total, names.length);
    const found = await ask("search_files", { pattern: "needle" });
    assertEquals(found.output?.total_matches, 7);
    for (const path of ["new\nline", "-rf", "ümlaut/𝄞"]) {
      assertEquals((await ask("read_file", { path })).output?.content, "needle\n", path);
    }
    // What is shown of such a name is no path.
    assertEquals((await ask("read_file", { path: "bad\\xff\\xfe" })).error?.code, "FILE_NOT_FOUND");
  });
});

Deno.test("a sparse file of a terabyte is too large, and nothing is read of it", async () => {
  await using workspace = new Workspace({ "a.txt": "needle\n", "huge": "" });
  const size = 2 ** 40;
  Deno.truncateSync(workspace.path("huge"), size);
  await inBothLives(workspace, POLICY, async (ask) => {
    const { error } = await ask("read_file", { path: "huge" });
    assertEquals([error?.code, error?.details?.["size"]], ["FILE_TOO_LARGE", size]);
    const encoded = await ask("read_file", { path: "huge", encoding: "base64" });
    assertEquals(encoded.error?.code, "FILE_TOO_LARGE");
    const part = await ask("read_file", { path: "huge", start_line: 1, end_line: 1 });
    assertEquals(part.error?.code, "FILE_TOO_LARGE");
    assertEquals((await ask("get_file_info", { path: "huge" })).output?.size, size);
    const found = await ask("search_files", { pattern: "needle" });
    assertEquals(found.output?.total_matches, 1);
    // The preview shows no difference to what is too large to be read.
    const { answer } = await call(
      ["write_file", "path=huge", "content=small", "--preview", "--root", workspace.root],
    );
    assertEquals([answer.error, answer.output.diff], [null, null]);
  });
  assertEquals(Deno.statSync(workspace.path("huge")).size, size);
});

Deno.test("what lies under the names of temporary files is neither followed nor taken for ours", async () => {
  await using workspace = new Workspace({ "a.txt": "old" });
  const sentinel = `${workspace.outside}/sentinel.txt`;
  const plant: readonly ((path: string) => void)[] = [
    (path) => Deno.symlinkSync(sentinel, path),
    (path) => Deno.symlinkSync(`${workspace.outside}/new.txt`, path),
    (path) => Deno.symlinkSync(workspace.outside, path),
    (path) => Deno.mkdirSync(path),
  ];
  for (let slot = 0; slot < 8; slot++) {
    plant[slot % plant.length]?.(workspace.path(`.toolgate-${slot}.tmp`));
  }
  await inBothLives(workspace, POLICY, async (ask, life) => {
    const { success, error } = await ask("write_file", { path: "a.txt", content: `by ${life}` });
    assert(success, error?.message);
    assertEquals(workspace.read("a.txt"), `by ${life}`);
    workspace.assertOutsideUntouched();
    assertEquals([...Deno.readDirSync(workspace.root)].length, 9);
  });
});

Deno.test("a request longer than what passes between threads at once", async () => {
  await using workspace = new Workspace();
  const pipe = new Pipe(["--policy", workspace.policy(POLICY)], { cwd: workspace.root });
  for (const [index, length] of [200_000, 300_000, 3_000_000].entries()) {
    const content = "0123456789abcdeü".repeat(length / 16);
    const { output } = await pipe.ask({
      id: index,
      tool: "write_file",
      args: { path: "big.txt", content },
    });
    assertEquals(output?.bytes_written, new TextEncoder().encode(content).length);
    assertEquals(workspace.read("big.txt"), content);
  }
  assertEquals((await pipe.close()).status, 0);
});

Deno.test("a program of the call that makes a link out makes no way out", async () => {
  await using workspace = new Workspace({ "make.sh": `ln -s "$1" out && cat out/sentinel.txt\n` });
  const policy = POLICY.replace("[cat]", "[sh, cat]") +
    "risk: { allow: dangerous, ask: dangerous }\n";
  await inBothLives(workspace, policy, async (ask, life) => {
    const made = await ask("run_command", { argv: ["sh", "make.sh", `../outside`] });
    assert(!JSON.stringify(made).includes(SENTINEL.trim()), life);
    // The argument names what lies outside: the call is not even started. Behind a name of the script's own it is.
    assertEquals(made.error?.code, "PATH_OUTSIDE_WORKSPACE");
    workspace.write(
      "make.sh",
      `ln -s "${workspace.outside}" out; cat out/sentinel.txt; cat <out/sentinel.txt\n`,
    );
    const linked = await ask("run_command", { argv: ["sh", "make.sh"] });
    assert(Deno.lstatSync(workspace.path("out")).isSymlink, JSON.stringify(linked));
    assertEquals(linked.output?.stdout, "", JSON.stringify(linked));
    const read = await ask("read_file", { path: "out/sentinel.txt" });
    assertEquals(read.error?.code, "PATH_OUTSIDE_WORKSPACE");
    Deno.removeSync(workspace.path("out"));
    workspace.write("make.sh", `ln -s "$1" out && cat out/sentinel.txt\n`);
  });
  workspace.assertOutsideUntouched();
});
