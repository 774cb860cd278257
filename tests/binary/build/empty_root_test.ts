/** The README's image: nothing but glibc, libgcc_s, the binary and a policy, read-only, and nobody's rights. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { Container, NO_NAMESPACES, type Run } from "./_image.ts";
import { BINARY, sealedBinary, Workspace } from "../toolgate.ts";

const POLICY = `version: 1
risk: { allow: moderate, ask: dangerous }
paths:
  - { allow: [read, write], match: ["**"] }
  - { deny: [read, write], match: [".env"], reason: secrets }
commands: [{ allow: [cat] }, { ask: [tee] }]
`;
const FILES = { "a.txt": "hello\n", ".env": "SECRET=1\n", "src/b.ts": "export {};\n" };
const HELD = ["policy", "runtime", "landlock"];
/** The one call of a binary that is not sealed, on its main thread. */
const HELD_ALONE = ["policy", "landlock"];

/** What containers are given, and less. */
const PLACES: Readonly<Record<string, Run>> = {
  "with /proc and /dev/null, as containers have them": {},
  "with /proc, and no device at all": { devNull: false },
};

function inImage(name: string, run: () => Promise<void>): void {
  Deno.test({ name: name + NO_NAMESPACES, ignore: NO_NAMESPACES !== "", fn: run });
}

function container(binary = BINARY): Container {
  return new Container({ binary, policy: POLICY, files: FILES });
}

for (const [place, run] of Object.entries(PLACES)) {
  inImage(`empty root, ${place}: single calls`, async () => {
    await using box = container();
    const before = box.listing();
    const read = await box.call(["read_file", "path=a.txt"], run);
    assertEquals([read.status, read.output?.content], [0, "hello\n"]);
    assertEquals(read.usage["layers"], HELD_ALONE);
    const written = await box.call(["write_file", "path=new/c.py", "content=x = 1\n"], run);
    assertEquals([written.status, box.read("new/c.py")], [0, "x = 1\n"]);
    // The parser for Python is in the binary, which is read through /proc.
    const wrong = await box.call(["write_file", "path=d.py", "content=x = (\n"], run);
    assertEquals(wrong.error?.code, "SYNTAX_INVALID");
    const edited = await box.call(["replace_text", "path=a.txt", "old=hello", "new=bye"], run);
    assertEquals([edited.status, box.read("a.txt")], [0, "bye\n"]);
    const found = await box.call(["search_files", "pattern=by."], run);
    assertEquals(found.output?.total_matches, 1);
    const denied = await box.call(["read_file", "path=.env"], run);
    assertEquals([denied.status, denied.error?.code], [3, "PATH_DENIED"]);
    const outside = await box.call(["read_file", "path=/etc/toolgate/policy.yaml"], run);
    assertEquals([outside.status, outside.error?.code], [3, "PATH_OUTSIDE_WORKSPACE"]);
    const none = await box.call(["run_command", "argv=cat,a.txt"], run);
    assertEquals(none.error?.code, "COMMAND_NOT_FOUND");
    assertEquals(box.listing(), before);
  });

  inImage(`empty root, ${place}: a pipe of several requests, a preview among them`, async () => {
    await using box = container();
    const answers = await box.serve([
      { id: 1, tool: "read_file", args: { path: "src/b.ts" } },
      { id: 2, tool: "search_files", args: { pattern: "hello" } },
      { id: 3, tool: "write_file", args: { path: "out/c.txt", content: "x" } },
      { id: 4, tool: "write_file", args: { path: "d.txt", content: "x" }, preview: true },
      { id: 5, tool: "list_directory", args: {} },
      { id: 6, op: "ping" },
    ], run);
    assertEquals([...answers.values()].filter(({ success }) => !success), []);
    assertEquals([answers.size, answers.get(4)?.output?.change], [6, "added"]);
    assertEquals([...Deno.readDirSync(box.root)].map(({ name }) => name).sort(), [
      ".env",
      "a.txt",
      "out",
      "src",
    ]);
  });

  inImage(`empty root, ${place}: an MCP server`, async () => {
    await using box = container();
    const messages = [
      {
        id: 1,
        method: "initialize",
        params: {
          protocolVersion: "2025-11-25",
          capabilities: {},
          clientInfo: { name: "test", version: "1" },
        },
      },
      { method: "notifications/initialized" },
      { id: 2, method: "tools/list" },
      { id: 3, method: "tools/call", params: { name: "read_file", arguments: { path: "a.txt" } } },
    ].map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join("");
    const { status, stdout } = await box.run(["mcp"], { ...run, stdin: messages });
    const answers = new Map(
      stdout.trim().split("\n").map((line) => JSON.parse(line)).map((one) => [one.id, one.result]),
    );
    assertEquals([status, answers.get(1)?.serverInfo?.name], [0, "toolgate"]);
    assert(answers.get(2).tools.length > 20);
    assertEquals(answers.get(3)?.structuredContent?.content, "hello\n");
  });

  inImage(`empty root, ${place}: the other commands`, async () => {
    await using box = container();
    const before = box.listing();
    const expected: readonly (readonly [readonly string[], string])[] = [
      [["--version"], "toolgate "],
      [["--help"], "usage: toolgate"],
      [["help", "call"], "exit status"],
      [["call", "read_file", "--help"], "start_line"],
      [["tools", "list", "--format", "text"], "read_file"],
      [["tools", "docs"], "### read_file"],
      [["tools", "schema", "--for", "openai"], '"function"'],
      [["policy", "check"], '"ok":true'],
      [["policy", "show"], "moderate"],
      [["policy", "explain", "read_file", "path=a.txt"], '"effect":"allow"'],
      [["completions", "bash"], "complete "],
    ];
    for (const [words, part] of expected) {
      const { status, stdout, stderr } = await box.run(words, run);
      assertEquals([status, stderr], [0, ""], words.join(" "));
      assertStringIncludes(stdout, part, words.join(" "));
    }
    assertEquals(box.listing(), before);
  });

  inImage(`empty root, ${place}: doctor tries what can be tried, and leaves nothing`, async () => {
    await using box = container();
    const { status, stdout } = await box.run(["doctor"], run);
    const { healthy, layers } = JSON.parse(stdout);
    assertEquals([status, healthy], [0, true]);
    const held = (layer: string, kind: string) =>
      // deno-lint-ignore no-explicit-any
      layers.some((one: any) => one.layer === layer && one.kind === kind && one.holds === true);
    for (const layer of ["runtime", "landlock"]) {
      for (const kind of ["file read", "file write"]) assert(held(layer, kind), `${layer} ${kind}`);
    }
    assertEquals([...Deno.readDirSync(box.root)].length, 3);
    const nowhere = await box.run(["doctor"], { ...run, readOnlyWorkspace: true });
    assertEquals(nowhere.status, 0);
    assertStringIncludes(nowhere.stdout, "set TMPDIR");
  });

  inImage(`empty root, ${place}: what has no place to be kept is said`, async () => {
    await using box = container();
    const audit = await box.run(
      ["call", "read_file", "path=a.txt", "--audit", "/var/log/x.ndjson"],
      run,
    );
    assert(audit.status !== 0 && audit.status !== 70, `${audit.status}`);
    assertStringIncludes(`${audit.stdout}${audit.stderr}`, "log");
    const approvals = await box.run(["approvals", "list"], run);
    assertEquals(approvals.status, 2);
    assertStringIncludes(approvals.stderr, "HOME or XDG_STATE_HOME");
    const readOnly = { ...run, readOnlyWorkspace: true };
    const refused = await box.call(["write_file", "path=a.txt", "content=x"], readOnly);
    assert([1, 3].includes(refused.status), JSON.stringify(refused));
    assertEquals((await box.call(["read_file", "path=a.txt"], readOnly)).status, 0);
    assertEquals(box.read("a.txt"), "hello\n");
  });
}

inImage(
  "empty root: a program that is copied into the image runs, and needs /dev/null",
  async () => {
    await using box = container();
    for (const name of ["cat", "tee"]) {
      const to = join(box.image, "usr", "bin");
      Deno.mkdirSync(to, { recursive: true });
      Deno.copyFileSync(Deno.realPathSync(`/bin/${name}`), join(to, name));
    }
    const ran = await box.call(["run_command", "command=cat a.txt | cat > b.txt && cat a.txt"]);
    assertEquals([ran.status, ran.output?.stdout], [0, "hello\n"], ran.error?.message);
    assertEquals(box.read("b.txt"), "hello\n");
    assertEquals(ran.usage["layers"], [...HELD, "seccomp"]);
    const bare = await box.call(["run_command", "argv=cat,a.txt"], { devNull: false });
    assertEquals(bare.error?.code, "EXECUTION_ERROR");
    assertStringIncludes(bare.error?.message ?? "", "/dev/null");
    // Nothing can be kept for a later call, without a home: the call can still be agreed to at once.
    const asked = await box.call(["run_command", "argv=tee,b.txt"]);
    assertEquals([asked.status, asked.error?.code], [4, "APPROVAL_REQUIRED"]);
    assertEquals((await box.call(["run_command", "argv=tee,b.txt", "--approve"])).status, 0);
  },
);

inImage("empty root, without /proc: it says that /proc is missing", async () => {
  await using box = container();
  const { status, stdout, stderr } = await box.run(["--version"], { proc: false });
  assertEquals([status === 0, stdout], [false, ""]);
  assertStringIncludes(stderr, "/proc");
});

inImage("empty root: a sealed binary", async () => {
  await using workspace = new Workspace();
  const policy = workspace.policy(
    POLICY.replace("commands: [{ allow: [cat] }, { ask: [tee] }]\n", ""),
  );
  await using box = container(await sealedBinary("sealed-image", policy));
  const before = box.listing();
  for (const run of Object.values(PLACES)) {
    const written = await box.call(["write_file", "path=c.py", "content=x = 1\n"], run);
    assertEquals([written.status, written.usage["layers"]], [0, HELD], written.error?.message);
    const answers = await box.serve([
      { id: 1, tool: "read_file", args: { path: "c.py" } },
      { id: 2, tool: "search_files", args: { pattern: "hello" } },
      { id: 3, tool: "read_file", args: { path: ".env" } },
    ], run);
    assertEquals([1, 2, 3].map((id) => answers.get(id)?.success), [true, true, false]);
    for (const words of [["doctor"], ["policy", "check"], ["policy", "show"], ["--help"]]) {
      const { status, stderr } = await box.run(words, run);
      assertEquals([status, stderr], [0, ""], words.join(" "));
    }
  }
  assertEquals(box.listing(), before);
});
