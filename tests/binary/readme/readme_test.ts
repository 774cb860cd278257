/** The README's examples, every one of them, as they stand there. */

import { Gate, socketOf } from "../_gate.ts";
import { parse as parseYaml } from "@std/yaml";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { fromFileUrl, join } from "@std/path";
import { hasProgram } from "../../../scripts/_debian.ts";
import { COMMANDS } from "../../../src/cli/commands.ts";
import { TOOLS } from "../../../src/tools/registry.ts";
import { blocksOf, onlyBlock, readReadme } from "../_readme.ts";
import { BINARY, call, start } from "../toolgate.ts";
import { Example } from "./_example.ts";

const ROOT = fromFileUrl(new URL("../../..", import.meta.url));

/** All of them are below: one that is new, or of a new language, has no test yet. */
const TESTED: Readonly<Record<string, number>> = {
  sh: 8,
  python: 5,
  go: 1,
  json: 1,
  yaml: 1,
  yml: 1,
  dockerfile: 1,
  ts: 1,
};

const blocks = blocksOf(readReadme());

Deno.test("README: every block is run by a test", () => {
  const counted: Record<string, number> = {};
  for (const { language } of blocks) counted[language] = (counted[language] ?? 0) + 1;
  assertEquals(counted, TESTED);
});

Deno.test("README: the first commands, the tasks, the commands and the tools that it names are there", async () => {
  const readme = readReadme();
  const [first] = blocks;
  const scripts = first?.text.split("\n").flatMap((line) => line.match(/^\S+/) ?? []);
  assertEquals(scripts, ["scripts/start", "scripts/test"]);
  for (const script of scripts ?? []) {
    assert(((await Deno.stat(join(ROOT, script))).mode ?? 0) & 0o100, script);
  }
  const { tasks } = JSON.parse(Deno.readTextFileSync(join(ROOT, "deno.json")));
  for (const [, task = ""] of readme.matchAll(/deno task ([a-z:]+)/g)) {
    assert(Object.hasOwn(tasks, task), `deno task ${task}`);
  }
  for (const [, command = ""] of readme.matchAll(/(?:^|`)toolgate ([a-z]+)/gm)) {
    assert(command === "help" || Object.hasOwn(COMMANDS, command), `toolgate ${command}`);
  }
  const tables = readme.split("\n").filter((line) =>
    /^\| (?:look|change|move|run|git|web|analyse|agents|the rest)/.test(line)
  );
  const named = tables.flatMap((line) => [...line.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name))
    .filter((name) => name !== "operation");
  assertEquals(named.sort(), TOOLS.map(({ name }) => name).sort());
});

Deno.test("README: an agent's container uses the gate's socket", async () => {
  await using example = new Example();
  const { services, volumes } = parseYaml(onlyBlock("yml").text) as Composed;
  const { gate, agent } = services;
  const socket = agent?.environment?.TOOLGATE_GATE ?? "";
  const here: Readonly<Record<string, string>> = {
    [`unix:${socket}`]: `unix:${socketOf(example)}`,
    "/etc/toolgate/policy.yaml": example.path("policy.yaml"),
  };
  const [command, ...words] = gate?.command ?? [];
  const started = await Gate.run(
    [command ?? "", ...words.map((word) => here[word] ?? word)],
    { cwd: example.root, socket: socketOf(example) },
  );
  const { answer } = await call(["read_file", "path=README.md"], {
    env: { TOOLGATE_GATE: started.socket },
  });
  assertEquals(answer.output.lines, 3);
  assertEquals(await started.stop(), 0);
  // Both are one user, who alone may write where the socket lies: another is not heard.
  const [folder, name] = ["gate:/run/gate", "gate"];
  assertEquals([gate?.user, socket], [agent?.user, "/run/gate/gate.sock"]);
  for (const service of [gate, agent]) assert(service?.volumes.includes(folder));
  const [uid] = gate?.user.split(":") ?? [];
  const options = volumes[name]?.driver_opts.o.split(",") ?? [];
  assert(options.includes(`uid=${uid}`) && options.includes("mode=0700"), String(options));
});

/** What is used of a compose file. */
interface Composed {
  readonly services: Readonly<
    Record<string, {
      readonly command?: readonly string[];
      readonly user: string;
      readonly environment?: { readonly TOOLGATE_GATE?: string };
      readonly volumes: readonly string[];
    }>
  >;
  readonly volumes: Readonly<Record<string, { readonly driver_opts: { readonly o: string } }>>;
}

const noGo = hasProgram("go") ? "" : " (left out: go is not here)";

Deno.test({
  name: `README, in Go: per call and as a pipe${noGo}`,
  ignore: noGo !== "",
  fn: async () => {
    await using example = new Example();
    const { text, line } = onlyBlock("go");
    example.write("main.go", text);
    assertEquals(await example.run("gofmt", ["-l", "main.go"], line), "");
    await example.run("go", ["vet", "main.go"], line);
    const out = await example.run("go", ["run", "main.go"], line);
    const [first, ...answers] = out.trim().split("\n");
    assertStringIncludes(first ?? "", '"content":"# A project\\n"');
    assertEquals(answers.sort().map((answer) => answer.slice(0, 7)), [
      "0 true ",
      "1 true ",
      "2 false",
    ]);
  },
});

Deno.test("README: the policy is one, without a warning, and decides as it says", async () => {
  await using example = new Example();
  const { status, stdout } = await start(
    ["policy", "check", "--strict", "--policy", "policy.yaml"],
    { cwd: example.root },
  );
  assertEquals(status, 0, stdout);
  const decided = async (...args: string[]) => {
    const { answer } = await call(["--policy", "policy.yaml", ...args], { cwd: example.root });
    return answer.error?.code ?? null;
  };
  assertEquals(await decided("write_file", "path=a.txt", "content=x"), null);
  assertEquals(await decided("write_file", "path=a.exe", "content=x"), "EXTENSION_DENIED");
  assertEquals(await decided("read_file", "path=.env"), "PATH_DENIED");
  assertEquals(await decided("write_file", "path=.git/config", "content=x"), "PATH_DENIED");
  assertEquals(await decided("run_command", "argv=ls"), null);
  assertEquals(await decided("run_command", "argv=rm,a.txt"), "COMMAND_DENIED");
  assertEquals(await decided("run_command", "argv=git,push"), "APPROVAL_REQUIRED");
  const child = ["--agent", "child-1"];
  assertEquals(await decided("write_file", "path=a.txt", "content=y", ...child), null);
  assertEquals(await decided("run_command", "argv=ls", ...child), "PERMISSION_DENIED");
});

Deno.test({
  name: "README: an MCP client with that configuration calls tools",
  // The SDK's transport leaves a timer behind when it is closed: no test may follow that would find it.
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    await using example = new Example();
    const { mcpServers } = JSON.parse(onlyBlock("json").text);
    const here: Readonly<Record<string, string>> = {
      "/usr/local/bin/toolgate": BINARY,
      "/etc/toolgate/policy.yaml": example.path("policy.yaml"),
      "/srv/project": example.root,
    };
    const place = (word: string) => {
      assert(!word.startsWith("/") || Object.hasOwn(here, word), word);
      return here[word] ?? word;
    };
    assertEquals(Object.keys(mcpServers.toolgate), ["command", "args"]);
    const client = new Client({ name: "test", version: "1" }, { capabilities: {} });
    await client.connect(
      new StdioClientTransport({
        command: place(mcpServers.toolgate.command),
        args: mcpServers.toolgate.args.map(place),
        cwd: example.outside,
        env: {},
      }),
    );
    const read = (path: string) => client.callTool({ name: "read_file", arguments: { path } });
    // deno-lint-ignore no-explicit-any
    const [good, bad]: any[] = [await read("README.md"), await read(".env")];
    assertEquals(good.structuredContent.lines, 3);
    assertEquals(bad.isError, true);
    assertStringIncludes(bad.content[0].text, "secrets");
    await client.close();
  },
});
