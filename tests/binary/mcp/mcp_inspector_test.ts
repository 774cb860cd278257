/** The MCP server as the protocol's own inspector sees it, in its command-line mode. */

import { assert, assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { hasPackage, packagesFolder } from "../../../scripts/_toolchain.ts";
import { MCP_POLICY } from "../_mcp_session.ts";
import { BINARY, Workspace } from "../toolgate.ts";

const ROOT = fromFileUrl(new URL("../../..", import.meta.url));
const HERE = hasPackage(ROOT, "@modelcontextprotocol/inspector");

/** Runs the inspector under Deno, which runs what npm has. */
async function inspect(workspace: Workspace, args: readonly string[]) {
  const file = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js";
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...[
        "run",
        "-A",
        "--no-config",
        "--no-lock",
        "--node-modules-dir=manual",
        join(packagesFolder(ROOT), file),
        "--cli",
      ],
      ...[BINARY, "mcp", "--policy", workspace.policy(MCP_POLICY), ...args],
    ],
    cwd: workspace.root,
    env: { HOME: workspace.base, NO_COLOR: "1" },
    stdin: "null",
  }).output();
  const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
  return { code, out: decode(stdout), said: decode(stderr) };
}

for (const era of ["legacy", "modern"] as const) {
  Deno.test({
    name:
      `the inspector finds no fault with the tools, and reads what may be read: ${era} revisions`,
    ignore: !HERE,
    async fn() {
      await using workspace = new Workspace({ "a.txt": "hello\n", "secret/key": "k" });
      const run = (...args: readonly string[]) =>
        inspect(workspace, ["--protocol-era", era, ...args]);
      const tools = await run("--method", "tools/list", "--strict");
      assertEquals(tools.code, 0, tools.said);
      // It names each schema that it has doubts about.
      assert(!/\b(Error|Warning): tool\b/.test(tools.said), tools.said);
      assert(JSON.parse(tools.out).tools.length > 5);
      const call = (path: string) =>
        run("--method", "tools/call", "--tool-name", "read_file", "--tool-arg", `path=${path}`);
      const read = await call("a.txt");
      assertEquals([read.code, JSON.parse(read.out).structuredContent.content], [0, "hello\n"]);
      const denied = await call("secret/key");
      assert(denied.code !== 0 && JSON.parse(denied.out).isError === true, denied.said);
      const list = await run("--method", "resources/list");
      assertEquals(JSON.parse(list.out).resources.map(({ name }: { name: string }) => name), [
        "a.txt",
      ]);
      const templates = await run("--method", "resources/templates/list");
      assertEquals(JSON.parse(templates.out).resourceTemplates.length, 1);
      const text = await run("--method", "resources/read", "--uri", "workspace:///a.txt");
      assertEquals(JSON.parse(text.out).contents[0].text, "hello\n");
      const closed = await run("--method", "resources/read", "--uri", "workspace:///secret/key");
      assert(closed.code !== 0 && closed.out === "", closed.out);
    },
  });
}
