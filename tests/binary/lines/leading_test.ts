/** Command lines that a newcomer tries: each does what was meant, or says the line that does. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { start, Workspace } from "../toolgate.ts";

const BROKEN = "version: 1\npaths:\n  - { alow: [read] }\n";

const LINES: readonly (readonly [
  words: readonly string[],
  status: number,
  stream: "stdout" | "stderr",
  says: string,
])[] = [
  [["version"], 0, "stdout", "toolgate "],
  [["call"], 2, "stderr", "toolgate call read_file path=README.md"],
  [
    ["call", "run_command", "ls", "-la"],
    2,
    "stderr",
    "toolgate call run_command command='ls -la'",
  ],
  [["call", "run_command", "git", "status"], 2, "stdout", "did you mean command='git status'?"],
  [["call", "read_file", "a.txt"], 2, "stdout", "did you mean path=a.txt?"],
  [["call", "read_file", "a.txt", "-n"], 2, "stderr", "toolgate call read_file --help"],
  [["tools", "read_file"], 0, "stdout", '"name":"read_file"'],
  [["tools", "fs.read"], 0, "stdout", '"name":"read_file"'],
  [["tools", "read_fil"], 2, "stderr", "tools takes list, search"],
  [["init"], 2, "stderr", "did you mean toolgate policy init?"],
  [["check"], 2, "stderr", "toolgate policy check"],
  [["verify"], 2, "stderr", "did you mean toolgate audit verify?"],
  [["doctor", "--json"], 0, "stdout", '"workspace":'],
  [["tools", "--json"], 0, "stdout", '"name":"read_file"'],
  [["policy", "check", "good.yaml"], 0, "stdout", '"policies":["good.yaml"]'],
  [
    ["policy", "check", "good.yaml", "broken.yaml", "--format", "text"],
    1,
    "stderr",
    "broken.yaml:3: ",
  ],
  [["serve", "--root", "/"], 0, "stderr", "the workspace is /"],
];

for (const [words, status, stream, says] of LINES) {
  Deno.test(`toolgate ${words.join(" ")}: leads on`, async () => {
    await using workspace = new Workspace({ "good.yaml": "version: 1\n", "broken.yaml": BROKEN });
    const started = await start(words, { cwd: workspace.root });
    assertStringIncludes(started[stream], says);
    assertEquals(started.status, status, started.stderr);
  });
}

Deno.test("call says where it works in the home folder or in all of the machine, and only there", async () => {
  await using workspace = new Workspace({ "a.txt": "words\n" });
  const { root } = workspace;
  const home = "the workspace is the home folder";
  const cases: readonly (readonly [home: string, flags: readonly string[], says: string])[] = [
    [root, [], home],
    [`${root}/`, [], home],
    [root, ["--root", "/"], "the workspace is /"],
    [root, ["--quiet"], ""],
    ["/dev/null/home", [], ""],
  ];
  for (const [HOME, flags, says] of cases) {
    const words = ["call", "read_file", `path=${root}/a.txt`, ...flags];
    const { stdout, stderr, status } = await start(words, { cwd: root, env: { HOME } });
    assertStringIncludes(stdout, "words", stderr);
    assertEquals(status, 0, stderr);
    if (says === "") assertEquals(stderr, "");
    else assertStringIncludes(stderr, says);
  }
});

Deno.test("doctor says who, where, by what and which version", async () => {
  await using workspace = new Workspace({});
  const { stdout } = await start(["doctor", "--format", "text"], { cwd: workspace.root });
  assertStringIncludes(stdout, `workspace ${workspace.root}\n`);
  assertStringIncludes(stdout, `user ${Deno.uid()}, `);
  assertStringIncludes(stdout, "\npolicy (built in)\n");
  const { stdout: json } = await start(["doctor", "--format", "json"], { cwd: workspace.root });
  const { user, workspace: root, version, policies } = JSON.parse(json);
  assertEquals([user, root, policies], [Deno.uid(), workspace.root, ["(built in)"]]);
  assertStringIncludes(stdout, `toolgate ${version} on `);
});
