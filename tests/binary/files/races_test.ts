/** Names that change while the binary judges and uses them. */

import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { Random } from "../../random.ts";
import { type Answer, call, Pipe, SENTINEL, Workspace } from "../toolgate.ts";

const POLICY = `version: 1
paths: [{ allow: [read, write], match: ["**"] }]
commands: [{ allow: [cat, ls, grep] }]
risk: { allow: dangerous, ask: dangerous }
`;

/** A program of this folder that runs until it is told to end. */
class Rival implements AsyncDisposable {
  readonly #process: Deno.ChildProcess;
  #open = true;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;

  private constructor(file: string, args: readonly string[]) {
    this.#process = new Deno.Command(Deno.execPath(), {
      args: ["run", "--quiet", "-A", fromFileUrl(new URL(file, import.meta.url)), ...args],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    this.#reader = this.#process.stdout.getReader();
  }

  /** Once it is at work. */
  static async start(file: string, args: readonly string[]): Promise<Rival> {
    const rival = new Rival(file, args);
    await rival.#reader.read();
    return rival;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#open) await this.stop();
  }

  /** Ends it; how often it did what it does. */
  async stop(): Promise<number> {
    this.#open = false;
    await this.#process.stdin.close();
    let text = "";
    for (;;) {
      const { value, done } = await this.#reader.read();
      if (done) break;
      text += new TextDecoder().decode(value);
    }
    await this.#process.status;
    return Number(text);
  }
}

/** Folders and a file that the rival exchanges for links to the folder outside. */
async function startFlipping(workspace: Workspace): Promise<Rival> {
  for (const name of ["dir/sentinel.txt", "tree/a/b/sentinel.txt", "file"]) {
    workspace.write(name, "inside\n");
  }
  return await Rival.start("_flipper.ts", [
    ...[workspace.path("dir"), workspace.path("dir.other"), workspace.outside],
    ...[workspace.path("tree/a"), workspace.path("tree/other"), workspace.outside],
    ...[workspace.path("file"), workspace.path("file.other"), `${workspace.outside}/sentinel.txt`],
  ]);
}

const ATTEMPTS: readonly (readonly [string, Record<string, unknown>])[] = [
  ["read_file", { path: "file" }],
  ["read_file", { path: "dir/sentinel.txt" }],
  ["read_file", { path: "tree/a/b/../sentinel.txt" }],
  ["write_file", { path: "file", content: "changed" }],
  ["write_file", { path: "dir/sentinel.txt", content: "changed" }],
  ["write_file", { path: "dir/new.txt", content: "changed" }],
  ["write_file", { path: "dir/new/deep.txt", content: "changed" }],
  ["list_directory", { path: "dir" }],
  ["list_directory", { path: "tree", recursive: true }],
  ["search_files", { path: ".", pattern: "sentinel-7c1f" }],
  ["search_files", { path: "dir", pattern: "sentinel-7c1f" }],
  ["get_file_info", { path: "dir/sentinel.txt" }],
  ["run_command", { argv: ["cat", "file", "dir/sentinel.txt"] }],
  ["run_command", { argv: ["grep", "-rRh", "7c1f", "."] }],
];

const PATCHED_FILE = `--- a/file
+++ b/file
@@ -1 +1 @@
-inside
+patched
`;
const PATCHED_SENTINEL = `--- a/dir/sentinel.txt
+++ b/dir/sentinel.txt
@@ -1 +1 @@
-inside
+patched
`;

/** Each writing tool at what is exchanged: the file, a folder on the way, a folder in a tree, as source and as destination. */
const WRITES: readonly (readonly [string, Record<string, unknown>])[] = [
  ["write_file", { path: "file", content: "inside\n" }],
  ["write_file", { path: "dir/sentinel.txt", content: "inside\n" }],
  ["create_file", { path: "dir/made.txt", content: "x", overwrite: true }],
  ["create_file", { path: "tree/a/new/made.txt", content: "x" }],
  ["edit_file", { path: "file", edits: [{ old: "i", new: "I", replace_all: true }] }],
  ["edit_file", { path: "dir/sentinel.txt", content: "inside\n" }],
  ["replace_text", { path: "dir/sentinel.txt", old: "n", new: "n\nn" }],
  ["append_file", { path: "file", content: "more\n" }],
  ["append_file", { path: "dir/sentinel.txt", content: "more\n" }],
  ["apply_patch", { patch: PATCHED_FILE }],
  ["apply_patch", { patch: PATCHED_SENTINEL }],
  ["apply_patch", { patch: PATCHED_FILE + PATCHED_SENTINEL }],
  ["delete_file", { path: "dir/sentinel.txt" }],
  ["delete_file", { path: "tree/a/b", recursive: true }],
  ["delete_file", { path: "dir", recursive: true }],
  ["copy_file", { src: "file", dst: "copy.txt", overwrite: true }],
  ["copy_file", { src: "dir/sentinel.txt", dst: "copy.txt", overwrite: true }],
  ["copy_file", { src: "tree", dst: "trees/one" }],
  ["copy_file", { src: "given.txt", dst: "dir/sentinel.txt", overwrite: true }],
  ["move_file", { src: "dir/sentinel.txt", dst: "moved.txt", overwrite: true }],
  ["move_file", { src: "given.txt", dst: "dir/given.txt" }],
  ["move_file", { src: "file", dst: "moved.txt", overwrite: true }],
  ["create_directory", { path: "dir/one/two" }],
  ["restore_file", { path: "dir/sentinel.txt" }],
  ["restore_file", { path: "file" }],
];

const RENEWED = ["file", "dir/sentinel.txt", "tree/a/b/sentinel.txt", "given.txt", "file.bak"];

/** What may come of a path that is one thing now and another then; anything else is a defect. */
const CODES = new Set([
  "PATH_OUTSIDE_WORKSPACE",
  "NATIVE_DENIED",
  "FILE_NOT_FOUND",
  "FILE_EXISTS",
  "NOT_A_FILE",
  "NOT_A_DIRECTORY",
  "COMMAND_FAILED",
  "STALE_FILE",
  "TEXT_NOT_FOUND",
  "PATCH_FAILED",
]);

function assertNothingGot(answer: Answer, request: unknown): void {
  const { success, error, output } = answer;
  const { matches = [], stdout = "" } = output ?? {};
  assert(!JSON.stringify([matches, stdout, output?.content]).includes("7c1f"), show(answer));
  assert(!JSON.stringify(output ?? "").includes(SENTINEL.trim()), show(answer));
  assert(success || CODES.has(error?.code ?? ""), `${JSON.stringify(request)}: ${show(answer)}`);
}

const show = (answer: Answer): string => JSON.stringify(answer);

Deno.test("1,000 requests while a file and folders are exchanged for links: nothing outside is seen or changed", async () => {
  await using workspace = new Workspace();
  await using rival = await startFlipping(workspace);
  const pipe = new Pipe(["--policy", workspace.policy(POLICY)], { cwd: workspace.root });
  const random = new Random(2_000);
  const outcomes = new Map<string, number>();
  const batch = 40;
  for (let round = 0; round < 25; round++) {
    const chosen = Array.from({ length: batch }, () => random.pick(ATTEMPTS));
    await pipe.send(...chosen.map(([tool, args], id) => ({ id, tool, args })));
    for (const [id, answer] of await pipe.answers(batch)) {
      const [tool] = chosen[Number(id)] ?? [];
      assertNothingGot(answer, chosen[Number(id)]);
      const outcome = `${tool} ${answer.success ? "worked" : "refused"}`;
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
  }
  assertEquals((await pipe.close()).status, 0);
  const flips = await rival.stop();
  workspace.assertOutsideUntouched();
  // The race was one: names changed all the while, and both sides of it were met.
  assert(flips > 1_000, `${flips} exchanges`);
  for (const tool of ["read_file", "write_file"]) {
    for (const what of ["worked", "refused"]) {
      assert(outcomes.has(`${tool} ${what}`), JSON.stringify([...outcomes]));
    }
  }
});

Deno.test("1,000 rounds of every writing tool while what it writes to is exchanged for links", async () => {
  await using workspace = new Workspace();
  await using rival = await startFlipping(workspace);
  const pipe = new Pipe(["--policy", workspace.policy(POLICY)], { cwd: workspace.root });
  const random = new Random(3_000);
  const outcomes = new Map<string, number>();
  for (let round = 0; round < 1_000;) {
    const rest = Array.from({ length: 40 }, () => random.pick(WRITES));
    round += rest.length;
    // What was deleted or moved comes back, so that there is something to race for.
    const chosen = [
      ...RENEWED.map((path) => ["write_file", { path, content: "inside\n" }] as const),
      ...rest,
    ];
    await pipe.send(...chosen.map(([tool, args], id) => ({ id, tool, args })));
    for (const [id, answer] of await pipe.answers(chosen.length)) {
      const [tool] = chosen[Number(id)] ?? [];
      assertNothingGot(answer, chosen[Number(id)]);
      const outcome = `${tool} ${answer.success ? "worked" : "refused"}`;
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
  }
  assertEquals((await pipe.close()).status, 0);
  const flips = await rival.stop();
  workspace.assertOutsideUntouched();
  assert(flips > 1_000, `${flips} exchanges`);
  for (const [tool] of WRITES) {
    assert(outcomes.has(`${tool} worked`), `${tool}: ${JSON.stringify([...outcomes])}`);
  }
});

Deno.test("the same against single calls", async () => {
  await using workspace = new Workspace();
  await using rival = await startFlipping(workspace);
  const policy = workspace.policy(POLICY);
  for (const [tool, args] of [...ATTEMPTS, ...WRITES]) {
    const { answer } = await call([tool, "--json", JSON.stringify(args), "--policy", policy], {
      cwd: workspace.root,
    });
    assertNothingGot(answer, [tool, args]);
  }
  await rival.stop();
  workspace.assertOutsideUntouched();
});

Deno.test("a file that is replaced and removed while it is read: one version whole, or none", async () => {
  await using workspace = new Workspace({ "changing.txt": "a".repeat(200_000) });
  const path = workspace.path("changing.txt");
  await using rival = await Rival.start("_replacer.ts", [path, "200000"]);
  const pipe = new Pipe(["--policy", workspace.policy(POLICY)], { cwd: workspace.root });
  const seen = new Set<string>();
  for (let round = 0; round < 20; round++) {
    await pipe.send(
      ...Array.from(
        { length: 20 },
        (_, id) => ({ id, tool: "read_file", args: { path: "changing.txt" } }),
      ),
    );
    for (const answer of (await pipe.answers(20)).values()) {
      const content: string | undefined = answer.output?.content;
      assert(
        content === undefined
          ? answer.error?.code === "FILE_NOT_FOUND"
          : content.length === 200_000 && content === content.charAt(0).repeat(200_000),
        show(answer).slice(0, 300),
      );
      seen.add(content?.charAt(0) ?? "none");
    }
  }
  assertEquals((await pipe.close()).status, 0);
  assert(await rival.stop() > 20);
  assert(seen.size > 1, "the file never changed");
});

Deno.test("a tree that comes and goes while it is listed and searched: an answer each time", async () => {
  await using workspace = new Workspace({ "tree/stays.txt": "needle\n" });
  await using rival = await Rival.start("_grower.ts", [workspace.path("tree")]);
  const pipe = new Pipe(["--policy", workspace.policy(POLICY)], { cwd: workspace.root });
  for (let round = 0; round < 30; round++) {
    await pipe.send(
      { id: 1, tool: "list_directory", args: { path: "tree", recursive: true } },
      { id: 2, tool: "search_files", args: { path: "tree", pattern: "needle" } },
      { id: 3, tool: "run_command", args: { argv: ["ls", "tree"] } },
    );
    const answers = await pipe.answers(3);
    for (const answer of answers.values()) assert(answer.success, show(answer));
    assert(answers.get(2)?.output.total_matches >= 1);
  }
  assertEquals((await pipe.close()).status, 0);
  assert(await rival.stop() > 10);
});
