/** What governs a run is out of reach by every name: policy, keys, authorities, custom tools, log, and the links that lead there. */

import { assertEquals } from "@std/assert";
import { type Answer, Pipe, Workspace } from "../toolgate.ts";

/** `web` with a key and an authority of the workspace, and `more`. */
function policyOf(root: string, more = ""): string {
  return `version: 1
paths: [{ allow: [read, write], match: ["**"] }]
commands: [{ allow: ["**"] }]
risk: { allow: dangerous, ask: dangerous }
audit: { file: logs/audit.ndjson }
web: { authorities: [${root}/ca.pem], github: { token: { file: ${root}/token } } }
${more}`;
}

const MANIFEST = `version: 1
name: word_count
description: Counts the words of a file, one by one.
risk: safe
parameters:
  properties:
    path: { type: string, description: The file to count. }
  required: [path]
command: [wc, -w, --, "{path}"]
`;

const python = (code: string) => ({ tool: "run_command", args: { argv: ["python3", "-c", code] } });
const line = (command: string) => ({ tool: "run_command", args: { command } });

/** Ways to take a name away, or to put something else there. */
const ATTACKS: readonly ((name: string) => Record<string, unknown>)[] = [
  (path) => ({ tool: "delete_file", args: { path } }),
  (src) => ({ tool: "move_file", args: { src, dst: "moved" } }),
  (name) => line(`rm -rf ${name}`),
  (name) => line(`mv ${name} moved`),
  (name) => line(`ln -sfn other ${name}`),
  (name) => line(`mv -T other ${name}`),
  (name) => line(`unlink ${name}`),
  (name) => python(`import os; os.remove("${name}")`),
  (name) => python(`import os; os.rename("${name}", "moved")`),
  (name) => python(`import os; os.rename("other", "${name}")`),
  (name) => python(`import os; os.symlink("other", "made"); os.rename("made", "${name}")`),
];

/** A link and what it leads to; how the policy is named. */
const LINKS: readonly (readonly [link: string, target: string])[] = [
  ["policy.yaml", "real/policy.yaml"],
  ["by", "real"],
  ["logs", "kept"],
  ["plugins", "tools"],
];

function open(): Workspace {
  const workspace = new Workspace({
    "ca.pem": "",
    token: "key-5d1e\n",
    other: "other\n",
    "kept/keep": "",
    "tools/word_count.yaml": MANIFEST,
  });
  workspace.write(
    "real/policy.yaml",
    policyOf(workspace.root, `plugins: [${workspace.root}/plugins/*.yaml]\n`),
  );
  for (const [link, target] of LINKS) Deno.symlinkSync(target, workspace.path(link));
  return workspace;
}

/** What lies at the links, and in the files. */
function state(workspace: Workspace): string {
  const links = LINKS.map(([link]) => {
    try {
      return Deno.readLinkSync(workspace.path(link));
    } catch {
      return "none";
    }
  });
  const files = ["ca.pem", "token", "real/policy.yaml", "tools/word_count.yaml"];
  return [...links, ...files.map((file) => workspace.read(file))].join("\n");
}

Deno.test("links that lead to what governs a run stay what they are", async () => {
  await using workspace = open();
  const before = state(workspace);
  for (const policy of ["policy.yaml", "by/policy.yaml"]) {
    const pipe = new Pipe(["--policy", policy], { cwd: workspace.root });
    const guarded = [policy.split("/")[0]!, "logs", "plugins"];
    for (const name of guarded) {
      for (const attack of ATTACKS) {
        const request = attack(name);
        const answer = await pipe.ask({ id: 1, ...request });
        assertEquals(answer.success, false, `${policy}: ${JSON.stringify(request)}`);
        assertEquals(state(workspace), before, `${policy}: ${JSON.stringify(request)}`);
      }
    }
    assertEquals((await pipe.close()).status, 0);
  }
});

Deno.test("links that lead to nothing of that kind are changed by the same requests", async () => {
  await using workspace = open();
  const policy = workspace.policy(policyOf(workspace.root));
  const pipe = new Pipe(["--policy", policy], { cwd: workspace.root });
  for (const attack of ATTACKS) {
    for (const left of ["free", "moved", "made"]) {
      await Deno.remove(workspace.path(left)).catch(() => {});
    }
    workspace.write("other", "other\n");
    Deno.symlinkSync("kept/keep", workspace.path("free"));
    const request = attack("free");
    const answer = await pipe.ask({ id: 1, ...request });
    assertEquals(answer.success, true, JSON.stringify([request, answer]));
    assertEquals(leadsAt(workspace.path("free")), false, JSON.stringify(request));
  }
  assertEquals((await pipe.close()).status, 0);
});

/** Whether it is still the link that it was. */
function leadsAt(path: string): boolean {
  try {
    return Deno.readLinkSync(path) === "kept/keep";
  } catch {
    return false;
  }
}

Deno.test("keys are read by nobody, authorities and custom tools are written by nobody", async () => {
  await using workspace = open();
  const before = state(workspace);
  const pipe = new Pipe(["--policy", "policy.yaml"], { cwd: workspace.root });
  const ask = async (request: Record<string, unknown>): Promise<Answer> => {
    const answer = await pipe.ask({ id: 1, ...request });
    assertEquals(JSON.stringify(answer).includes("key-5d1e"), false, JSON.stringify(answer));
    return answer;
  };
  const refused: readonly Record<string, unknown>[] = [
    { tool: "read_file", args: { path: "token" } },
    line("cat token"),
    python("print(open('token').read())"),
    ...["token", "ca.pem", "tools/other.yaml", "plugins/other.yaml", "tools/word_count.yaml"]
      .flatMap((path) => [
        { tool: "write_file", args: { path, content: "version: 1\n" } },
        line(`echo x > ${path}`),
        python(`open('${path}', 'w')`),
      ]),
  ];
  for (const request of refused) {
    assertEquals((await ask(request)).success, false, JSON.stringify(request));
    assertEquals(state(workspace), before, JSON.stringify(request));
  }
  const counted = await ask({ tool: "word_count", args: { path: "other" } });
  assertEquals(counted.success, true, JSON.stringify(counted));
  assertEquals((await pipe.close()).status, 0);
});
