/** The README's examples as they stand there, pasted one after another into one shell of a fresh project. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { parseDockerfile } from "../_dockerfile.ts";
import { findWay } from "../_empty_root.ts";
import { type Block, blocksOf, onlyBlock, readReadme } from "../_readme.ts";
import { Example } from "./_example.ts";

// deno-lint-ignore no-explicit-any
type Said = any;

/** What stands before what each block prints. */
const MARK = "=== block of line ";
const way = findWay(parseDockerfile(onlyBlock("dockerfile").text));
const noWay = way === null ? " (without docker: bubblewrap can make no namespaces here)" : "";

/** What is typed to run a block, or to save it where the page says; null for those that other tests use. */
function typed({ language, text, line }: Block): string | null {
  const saved = (file: string) => `cat > ${file} <<'END_OF_BLOCK'\n${text}END_OF_BLOCK\n`;
  if (language === "python") {
    return text.includes("A child agent")
      ? saved("agent.py")
      : saved(`../line_${line}.py`) + `python3 ../line_${line}.py\n`;
  }
  if (language === "ts") {
    return saved("plugins/line_count.ts") +
      "toolgate plugin test plugins/line_count.yaml\n" +
      "toolgate call line_count path=README.md --policy policy.yaml\n" +
      "toolgate call line_count path=.env --policy policy.yaml || true\n";
  }
  if (language !== "sh" || text.startsWith("scripts/")) return null;
  if (!text.includes("docker")) return text;
  if (way === null) return null;
  // Root in a container is nobody in particular, and writes as whoever owns the workspace.
  const { uid = Deno.uid() } = way.user ?? {};
  return `chown ${uid} .\n${text}chown ${Deno.uid()} .\n`;
}

/** Runs the page. What each block printed, by a part of its text. */
async function paste(example: Example): Promise<(including: string) => string> {
  const blocks = blocksOf(readReadme());
  const script = blocks.map((block) => {
    const text = typed(block);
    return text === null ? "" : `echo '${MARK}${block.line}'\n${text}`;
  });
  const ended = "trap 'kill $(jobs -p) 2> /dev/null || true' EXIT\n";
  const out = await example.run("/bin/bash", ["-euc", ended + script.join("")], 0);
  const printed = new Map(
    out.split(MARK).slice(1).map((part) => {
      const [line = ""] = part.split("\n", 1);
      return [Number(line), part.slice(line.length + 1)] as const;
    }),
  );
  return (including) => {
    const [one, ...others] = blocks.filter(({ language, text }) =>
      ["sh", "python", "ts"].includes(language) && text.includes(including)
    );
    assert(one !== undefined && others.length === 0, `blocks with ${including}`);
    return printed.get(one.line) ?? "";
  };
}

Deno.test(`README: its blocks, pasted one after another into one shell${noWay}`, async () => {
  await using example = new Example();
  Deno.removeSync(example.path("src"), { recursive: true });
  // Nobody has told git his name: the policy's is used.
  await example.run("git", ["init", "-q", "-b", "main"], 0);
  await example.run("git", ["add", "README.md"], 0);
  const nobody = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
  await example.run("git", [...nobody, "commit", "-q", "-m", "first"], 0);
  if (way !== null) {
    Deno.chmodSync(example.base, 0o755);
    Deno.chmodSync(join(example.base, "images"), 0o755);
  }
  const printed = await paste(example);
  const lines = (including: string): Said[] =>
    printed(including).trim().split("\n").map((line) => JSON.parse(line));

  const calls = lines("toolgate call edit_file");
  assertEquals(calls.map(({ tool, success }) => [tool, success]), [
    ["write_file", true],
    ["read_file", true],
    ["edit_file", true],
    ["search_files", true],
    ["run_command", true],
    ["delete_file", true],
  ]);
  assertEquals(calls[3].output.total_matches, 1);
  const words = "const x = 1; // deprecated(x)";
  assertEquals(example.read("found.txt"), `src/main.ts:1:${words}\n`);

  assertEquals(printed('tool("read_file", path="README.md"'), "# A project\n\n");
  for (const part of ["3\n1\n", "secrets"]) assertStringIncludes(printed("class Toolgate"), part);

  const [read, narrowed, revoked] = lines("gate revoke");
  assertEquals(read.output.content.split("\n")[0], "# A project");
  assertEquals([narrowed.output.content, revoked], [words, { token: "tk_1", revoked: true }]);
  assertEquals((Deno.statSync(example.path("run/token")).mode ?? 0) & 0o777, 0o600);
  const names = JSON.parse(example.read("tools.json")).map(({ name }: { name: string }) => name);
  assert(names.includes("read_file"), String(names));
  assertEquals(printed("class Gate").split("\n")[0], "src/main.ts");

  const [added, committed, one, two, all, ...merged] = lines("spawn_child_agent");
  assertEquals([added.success, committed.success], [true, true]);
  assertEquals([one.output.agent_id, two.output.agent_id], ["child-1", "child-2"]);
  const { results, mergeable } = all.output;
  assertEquals(
    results.map(({ status, result }: Said) => [status, result?.times]),
    [["done", 1], ["done", 1]],
  );
  assertEquals([mergeable, merged.map(({ success }) => success)], [true, [true, true, undefined]]);
  assertEquals(merged.at(-1), { stopping: true });
  assertEquals(example.read("src/main.ts"), "const x = 1; // old(x)");
  assertStringIncludes(example.read("README.md"), "Nothing old here.");

  assertStringIncludes(printed("OpenAI()"), "It says # A project\n");
  if (way !== null) {
    const [doctor, written] = lines("docker run");
    assertEquals([doctor.healthy, doctor.policies], [true, ["policy.yaml"]]);
    assertEquals([written.id, written.success], [1, true]);
    assertEquals(example.read("notes.txt"), "hello");
  }

  const policies = printed("toolgate policy check");
  for (const part of ['"ok":true', '"effect":"allow"']) assertStringIncludes(policies, part);
  assert(example.read("mine.yaml").includes("version: 1"));
  assertStringIncludes(example.read("policy.schema.json"), "$schema");

  const counted = lines("toolgate plugin new").at(-1);
  assertEquals([counted.success, counted.output.lines], [true, ["3 README.md"]]);
  const [tested, module, denied] = lines("export default async");
  assertEquals([tested.failed, module.output.value], [0, { lines: 3, words: 6 }]);
  assertEquals(denied.error.code, "PATH_DENIED");

  assertStringIncludes(example.read("tools.md"), "### read_file");
  const script = join(example.base, "home/.local/share/bash-completion/completions/toolgate");
  assertStringIncludes(Deno.readTextFileSync(script), "complete ");
});

Deno.test("README: what the module of a custom tool is said to need is what its manifest needs", async () => {
  await using example = new Example();
  await example.run("toolgate", ["plugin", "new", "line_count", "typescript"], 0);
  const [, needs] = /^needs:\n((?: +.*\n)+)/m.exec(example.read("line_count.yaml")) ?? [];
  const said = needs?.trim().split("\n").map((line) => line.trim()).join(", ");
  assertStringIncludes(onlyBlock("ts").text, `needs: { ${said} }`);
});
