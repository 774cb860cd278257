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
import { parseDockerfile } from "../_dockerfile.ts";
import { findWay } from "../_empty_root.ts";
import { type Block, blocksOf, onlyBlock, readReadme } from "../_readme.ts";
import { BINARY, call, start, Workspace } from "../toolgate.ts";

const ROOT = fromFileUrl(new URL("../../..", import.meta.url));
const STAND_IN = fromFileUrl(new URL("_docker.ts", import.meta.url));

/** Answers as the API does: first with a call of a tool, then with what the tool answered. */
const OPENAI = `
import json
from types import SimpleNamespace as Namespace

class Completions:
    def create(self, model, messages, tools):
        assert {tool["type"] for tool in tools} == {"function"}
        names = [tool["function"]["name"] for tool in tools]
        assert "read_file" in names and all("parameters" in tool["function"] for tool in tools)
        last = messages[-1]
        if isinstance(last, dict) and last["role"] == "user":
            wanted = Namespace(name="read_file", arguments='{"path": "README.md", "end_line": 1}')
            message = Namespace(content=None, tool_calls=[Namespace(id="call_1", function=wanted)])
        else:
            assert (last["role"], last["tool_call_id"]) == ("tool", "call_1"), last
            output = json.loads(last["content"])["output"]
            message = Namespace(content="It says " + output["content"], tool_calls=None)
        return Namespace(choices=[Namespace(message=message)])

class OpenAI:
    def __init__(self):
        self.chat = Namespace(completions=Completions())
`;

/** Root in a container is nobody in particular: the README's own user stands in for whoever that is. */
const ID = "#!/bin/sh\necho 65532\n";

/** A project as the examples have it, with the README's policy; its programs come first on the search path. */
class Example extends Workspace {
  readonly programs: string;

  constructor() {
    super({
      "README.md": "# A project\n\nOf two lines.\n",
      "src/main.ts": "let x = 1;\nexport { x };\n// deprecated(x)\n",
      ".env": "SECRET=1\n",
      "policy.yaml": onlyBlock("yaml").text,
      "Dockerfile": onlyBlock("dockerfile").text,
    });
    this.programs = join(this.base, "programs");
    for (const name of ["programs", "images", "home", "modules"]) {
      Deno.mkdirSync(join(this.base, name));
    }
    Deno.symlinkSync(BINARY, join(this.programs, "toolgate"));
    Deno.writeTextFileSync(join(this.base, "modules", "openai.py"), OPENAI);
    this.#program("id", ID);
    this.#program(
      "docker",
      `#!/bin/sh\nHOME='${Deno.env.get("HOME") ?? ""}' exec '${Deno.execPath()}' run --quiet -A ` +
        `--config '${ROOT}deno.json' '${STAND_IN}' '${this.base}/images' "$@"\n`,
    );
  }

  #program(name: string, text: string): void {
    Deno.writeTextFileSync(join(this.programs, name), text, { mode: 0o755 });
  }

  /** Runs a program to its end, which must be good. What it printed. */
  async run(program: string, args: readonly string[], line: number): Promise<string> {
    const { code, stdout, stderr } = await new Deno.Command(program, {
      args: [...args],
      cwd: this.root,
      clearEnv: true,
      env: {
        PATH: `${this.programs}:/usr/local/go/bin:/usr/local/bin:/usr/bin:/bin`,
        HOME: join(this.base, "home"),
        PYTHONPATH: join(this.base, "modules"),
        PYTHONDONTWRITEBYTECODE: "1",
        // Kept, for what of the standard library is compiled once.
        GOCACHE: join(ROOT, "dist", "go-cache"),
        GOTOOLCHAIN: "local",
      },
      stdin: "null",
    }).output();
    const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    assertEquals(code, 0, `README.md, the block of line ${line}: ${out}\n${err}`);
    return out ?? "";
  }
}

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

function block(language: string, including: string): Block {
  const found = blocks.filter((one) => one.language === language && one.text.includes(including));
  assertEquals(found.length, 1, `blocks of ${language} with ${including}`);
  return found[0] as Block;
}

function shell(name: string, including: string, check: (example: Example, out: string) => void) {
  Deno.test(`README, in a shell: ${name}`, async () => {
    await using example = new Example();
    const { text, line } = block("sh", including);
    check(example, await example.run("/bin/sh", ["-euc", text], line));
  });
}

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

shell("calls", "toolgate call edit_file", (example, out) => {
  const answers = out.trim().split("\n").map((line) => JSON.parse(line));
  assertEquals(answers.map(({ tool, success }) => [tool, success]), [
    ["write_file", true],
    ["read_file", true],
    ["edit_file", true],
    ["search_files", true],
    ["run_command", true],
    ["delete_file", true],
  ]);
  assertEquals(answers[3].output.total_matches, 1);
  const words = "const x = 1; // deprecated(x)";
  assertEquals(example.read("src/main.ts").split("\n")[0], words);
  assertEquals(example.read("found.txt"), `src/main.ts:1:${words}\n`);
});

shell("a gate", "gate revoke", (example, out) => {
  const [read, narrowed, revoked, stopped] = out.trim().split("\n").map((line) => JSON.parse(line));
  assertEquals([read.output.content.split("\n")[0], stopped], ["# A project", { stopping: true }]);
  assertEquals([narrowed.output.lines, revoked], [3, { token: "tk_1", revoked: true }]);
  assertEquals((Deno.statSync(example.path("run/token")).mode ?? 0) & 0o777, 0o600);
  const names = JSON.parse(example.read("tools.json")).map(({ name }: { name: string }) => name);
  assert(names.includes("read_file"), String(names));
});

Deno.test("README, in Python and in a shell: two child agents, and their merge", async () => {
  await using example = new Example();
  example.write("agent.py", block("python", "A child agent").text);
  example.write("README.md", "# A project\n\nNothing deprecated here.\n");
  for (
    const words of [
      ["init", "-q", "-b", "main"],
      ["config", "user.name", "T"],
      ["config", "user.email", "t@e.org"],
      ["add", "README.md"],
      ["commit", "-q", "-m", "first"],
    ]
  ) await example.run("git", words, 0);
  const { text, line } = block("sh", "spawn_child_agent");
  const out = await example.run("/bin/sh", ["-euc", text], line);
  const [one, two, all, ...merged] = out.trim().split("\n").map((line) => JSON.parse(line));
  assertEquals([one.output.agent_id, two.output.agent_id], ["child-1", "child-2"]);
  const { results, mergeable } = all.output;
  assertEquals(
    results.map(({ status, result }: Record<string, { times: number }>) => [status, result?.times]),
    [["done", 1], ["done", 1]],
  );
  assertEquals([mergeable, merged.map(({ success }) => success).slice(0, 2)], [true, [true, true]]);
  assertStringIncludes(example.read("src/main.ts"), "// old(x)");
  assertStringIncludes(example.read("README.md"), "Nothing old here.");
});

/** A gate over the example's files, at a socket beside them. */
function gateOver(example: Example): Promise<Gate> {
  return Gate.start(example, { policy: onlyBlock("yaml").text });
}

Deno.test("README, in Python: a caller of a gate", async () => {
  await using example = new Example();
  const gate = await gateOver(example);
  const { text, line } = block("python", "AF_UNIX");
  example.write(
    "../caller.py",
    `import os\nos.environ["TOOLGATE_GATE"] = ${JSON.stringify(gate.socket)}\n${text}`,
  );
  const out = await example.run("python3", ["../caller.py"], line);
  assertEquals([out, example.read("old.txt")], ["src/main.ts\n", "src/main.ts\n"]);
  assertEquals(await gate.stop(), 0);
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

shell("the policy's tools", "toolgate policy check", (example, out) => {
  assertStringIncludes(out, '"ok":true');
  assertStringIncludes(out, '"effect":"allow"');
  assert(example.read("mine.yaml").includes("version: 1"));
  assertStringIncludes(example.read("policy.schema.json"), "$schema");
});

shell("a custom tool", "toolgate plugin new", (_, out) => {
  const { success, output } = JSON.parse(out.trim().split("\n").at(-1) ?? "");
  assertEquals([success, output.lines], [true, ["3 README.md"]]);
});

Deno.test("README: the module of a custom tool", async () => {
  await using example = new Example();
  const { text } = onlyBlock("ts");
  const [, needs] = /^\/\/ +(needs: .*)$/m.exec(text) ?? [];
  example.write("plugins/line_count.ts", text);
  example.write(
    "plugins/line_count.yaml",
    `version: 1
name: line_count
description: Counts lines.
risk: safe
permission: file_read
parameters: { properties: { path: { type: string } }, required: [path] }
module: ./line_count.ts
${needs}
`,
  );
  example.write("policy.yaml", `${onlyBlock("yaml").text}plugins: [./plugins/*.yaml]\n`);
  const counted = async (path: string) => {
    const args = ["line_count", `path=${path}`, "--policy", "policy.yaml"];
    const { answer } = await call(args, { cwd: example.root });
    return answer.error?.code ?? answer.output.value;
  };
  assertEquals(await counted("README.md"), { lines: 3 });
  assertEquals(await counted(".env"), "PATH_DENIED");
});

shell("the reference and completions", "toolgate tools docs", (example) => {
  assertStringIncludes(example.read("tools.md"), "### read_file");
  const script = join(example.base, "home/.local/share/bash-completion/completions/toolgate");
  assertStringIncludes(Deno.readTextFileSync(script), "complete ");
});

const image = parseDockerfile(onlyBlock("dockerfile").text);
const way = findWay(image);
const noWay = way === null ? " (left out: bubblewrap can make no namespaces here)" : "";

Deno.test({
  name: `README, in a shell: containers, with a stand-in for docker${noWay}`,
  ignore: way === null,
  fn: async () => {
    await using example = new Example();
    const { text, line } = block("sh", "docker run");
    Deno.chmodSync(example.base, 0o755);
    Deno.chmodSync(join(example.base, "images"), 0o755);
    if (way?.user) Deno.chownSync(example.root, way.user.uid, way.user.gid);
    const out = await example.run("/bin/sh", ["-euc", text], line);
    const [doctor, written] = out.trim().split("\n").map((line) => JSON.parse(line));
    assertEquals([doctor.healthy, doctor.policies], [true, ["policy.yaml"]]);
    assertEquals([written.id, written.success], [1, true]);
    assertEquals(example.read("notes.txt"), "hello");
  },
});

for (
  const [name, including, expected] of [
    ["per call", 'tool("read_file", path="README.md"', ["# A project\n"]],
    ["as a pipe", "class Toolgate", ["3\n3\n", "secrets"]],
    ["in a model's loop", "OpenAI()", ["It says # A project\n"]],
  ] as const
) {
  Deno.test(`README, in Python: ${name}`, async () => {
    await using example = new Example();
    const { text, line } = block("python", including);
    const out = await example.run("python3", ["-c", text], line);
    for (const part of expected) assertStringIncludes(out, part);
  });
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
