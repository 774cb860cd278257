/** The tools as the binary lists them: by data that it carries, which is what its tools say of themselves. */

import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { LISTING } from "../../../scripts/build.ts";
import { rebaked } from "../../../src/cli/seal/compiled_binary.ts";
import { BINARY, serveAll, start, Workspace } from "../toolgate.ts";

const SOURCE = fromFileUrl(new URL("../../../main.ts", import.meta.url));

const POLICY = `version: 1
paths: [{ allow: [read], match: ["**"] }]
commands: [{ allow: [cat] }]
tools: { git_log: { enabled: false } }
agents: { "*": { permissions: [file_read, code_execution] } }
plugins: [./shout.yaml]
`;
const PLUGIN = `version: 1
name: shout
description: Says a file's text.
permission: code_execution
risk: safe
parameters: { type: object, properties: { file: { type: string } }, required: [file] }
command: [cat, "{file}"]
`;

/** Of a command from source, where nothing is carried and each tool is asked. */
async function fromTools(words: readonly string[], workspace: Workspace): Promise<string> {
  const { stdout, status, stderr } = await start(["run", "-A", SOURCE, ...words], {
    binary: Deno.execPath(),
    cwd: workspace.root,
  });
  assertEquals(status, 0, stderr);
  return stdout;
}

Deno.test("what the binary lists is to the byte what its tools say, under any policy and for any agent", async () => {
  await using workspace = new Workspace();
  Deno.writeTextFileSync(`${workspace.base}/shout.yaml`, PLUGIN);
  const policy = ["--policy", workspace.policy(POLICY)];
  const cases = [[], policy, [...policy, "--agent", "somebody"]];
  for (const flags of cases) {
    for (
      const words of [["list", "--format", "json"], ["search", "files"], ["schema", "--for", "mcp"]]
    ) {
      const asked = ["tools", ...words, ...flags];
      const { stdout, stderr } = await start(asked, { cwd: workspace.root });
      assertEquals(stdout, await fromTools(asked, workspace), `${asked.join(" ")}: ${stderr}`);
    }
  }
  const list = JSON.parse(await fromTools(["tools", "list", ...policy], workspace));
  const { answers } = await serveAll([{ id: 1, op: "tools" }], policy, { cwd: workspace.root });
  assertEquals(JSON.stringify(answers[0]?.output), JSON.stringify({ tools: list }));
});

Deno.test("a listing is read from what is carried, and a tool is what it is whatever stands there", async () => {
  await using workspace = new Workspace({ "a.txt": "hello\n" });
  const { stdout } = await start(["tools", "list", "--format", "json"], { cwd: workspace.root });
  const listed = JSON.parse(stdout).map((
    { input_schema: input, output_schema: output, ...said }: Record<string, unknown>,
  ) => ({
    description: { ...said, input, output, description: "as carried", examples: [] },
    // Were it believed, anybody could delete.
    subject: { name: said["name"], risk: "safe", permission: null },
    standsFor: null,
  }));
  const binary = `${workspace.base}/other`;
  const text = `export default ${JSON.stringify(listed)};`;
  const pieces = rebaked(Deno.readFileSync(BINARY), {
    name: `${LISTING}.js`,
    text,
    permissions: {},
  });
  await Deno.writeFile(binary, ReadableStream.from(pieces), { mode: 0o755 });
  const options = { cwd: workspace.root, binary };
  const policy = workspace.policy(
    'version: 1\npaths: [{ allow: [read, write], match: ["**"] }]\nagents: { "*": { permissions: [file_read] } }\n',
  );
  const { answers } = await serveAll(
    [
      { id: 1, op: "tools" },
      { id: 2, tool: "delete_file", args: { path: "a.txt" } },
    ],
    ["--policy", policy],
    options,
  );
  const byId = new Map(answers.map((answer) => [answer.id, answer]));
  const tools = byId.get(1)?.output.tools as readonly Record<string, unknown>[];
  const carried = tools.filter(({ description }) => description === "as carried");
  assertEquals(
    carried.map(({ name }) => name),
    listed.map(({ subject }: typeof listed[number]) => subject.name),
  );
  assertEquals(byId.get(2)?.error?.code, "PERMISSION_DENIED");
  assertEquals(workspace.read("a.txt"), "hello\n");
});
