/** The proxy that a policy names, on the compiled binary: tools and programs go by it, and nobody without a rule does. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import type { UpstreamAnswers, UpstreamRun } from "./_upstream_network.ts";
import { BINARY, start, Workspace } from "../toolgate.ts";

const LOGIN = "somebody:pass-word-of-the-proxy";
const ENV = { PROXY_LOGIN: LOGIN };

function policyOf(workspace: Workspace, hosts: string, proxy: string): string {
  return workspace.policy(
    `version: 1
risk: { allow: dangerous, ask: dangerous }
agents: { root: { permissions: [all] } }
paths: [{ allow: [read], match: ["**"] }]
commands: [{ allow: [curl, printenv] }]
environment: { pass: [PATH, PROXY_LOGIN] }
audit: { file: "${workspace.base}/audit.ndjson" }
network:
  - { allow: [${hosts}] }
  - { allow: [${hosts}], commands: [curl] }
web: { robots: ignore, proxy: { ${proxy}, key: { env: PROXY_LOGIN } } }
`,
  );
}

async function inNetwork(
  workspace: Workspace,
  runs: readonly UpstreamRun[],
): Promise<readonly UpstreamAnswers[]> {
  const script = fromFileUrl(new URL("_upstream_network.ts", import.meta.url));
  const flags = ["run", "--quiet", "--no-check", "-A", script];
  const { stdout, stderr } = await new Deno.Command("unshare", {
    args: ["--net", "--mount", "--map-root-user", Deno.execPath(), ...flags, JSON.stringify(runs)],
    cwd: workspace.root,
  }).output();
  const text = new TextDecoder();
  assert(stdout.length > 0, text.decode(stderr));
  return JSON.parse(text.decode(stdout));
}

const fetch = (url: string) => ({ tool: "fetch_url", args: { url } });
const run = (...argv: readonly string[]) => ({ tool: "run_command", args: { argv } });
const urls = ["http://fine.example/", "http://93.184.216.34/", "http://six.example/"];
const refused = [
  ...["http://lan.example/", "http://10.1.2.3/", "http://fine.example:81/", "http://10.9.9.9:81/"],
  ...["http://other.example/", "http://proxy.example:3128/", "http://[::ffff:10.1.2.3]/"],
];
const requests = [
  ...[...urls, ...refused].map(fetch),
  ...[...urls, ...refused].map((url) => run("curl", "-sS", url)),
  run("printenv"),
];

/** What each answer shows, tools first, then programs. */
function shown({ answers }: UpstreamAnswers): readonly string[] {
  return answers.map(({ output, error }) =>
    String(output?.["content"] ?? output?.["stdout"] ?? error?.code).trim().split(" with ")[0] ?? ""
  );
}

Deno.test("the proxy that the policy names is used for what rules allow, and no other one is", async () => {
  await using workspace = new Workspace({});
  const hosts = '"fine.example:80", "93.184.216.34:80", "six.example:80", "lan.example:80"';
  const policy = policyOf(workspace, hosts, 'url: "http://proxy.example:3128"');
  const sealed = `${workspace.base}/sealed`;
  const made = await start(["seal", "--policy", policy, "-o", sealed], { cwd: workspace.root });
  assertEquals(made.status, 0, made.stderr);
  const runs = [
    { argv: [BINARY, "serve", "--policy", policy], env: ENV, requests },
    { argv: [sealed, "serve"], env: ENV, requests },
    { argv: [BINARY, "serve", "--policy", policy], env: {}, requests: [requests[0]!] },
  ];
  const [plain, baked, without] = await inNetwork(workspace, runs);
  const reached = ["by proxy", "by proxy", "by proxy"];
  for (const found of [plain, baked]) {
    assert(found !== undefined);
    const [tools, programs] = [shown(found).slice(0, 10), shown(found).slice(10, 20)];
    assertEquals(tools, [...reached, ...refused.map(() => "NETWORK_DENIED")]);
    assertEquals(programs.slice(0, 3), reached);
    for (const text of programs.slice(3)) assert(!text.includes("by proxy"), text);
    assertEquals(found.direct, 0);
    // As they were judged, never by their names.
    const targets = ["93.184.216.34:80", "93.184.216.34:80", "[2606:2800:220:1::1]:80"];
    const asked = targets.map((target) => `CONNECT ${target} HTTP/1.1`);
    assertEquals(found.targets.toSorted(), [...asked, ...asked].toSorted());
    assertEquals(new Set(found.logins), new Set([`Basic ${btoa(LOGIN)}`]));
    // Whom it is for alone has it: no answer, no server, no program.
    for (const secret of [LOGIN, btoa(LOGIN)]) assert(!found.said.includes(secret));
    assert(!/proxy-authorization/i.test(found.said));
    assertStringIncludes(shown(found)[20] ?? "", "PATH=");
  }
  assertEquals([without?.answers[0]?.error?.code, without?.targets.length, without?.direct], [
    "PROVIDER_NOT_CONFIGURED",
    0,
    0,
  ]);
  const log = Deno.readTextFileSync(`${workspace.base}/audit.ndjson`);
  assertStringIncludes(log, "fine.example");
  for (const secret of [LOGIN, btoa(LOGIN)]) assert(!log.includes(secret));
});

Deno.test("a proxy that looks names up is asked for those alone that may stand for anything", async () => {
  await using workspace = new Workspace({});
  const proxy = 'url: "http://10.9.9.9:3128", names: proxy';
  const policy = policyOf(workspace, '"fine.example:80"', proxy);
  const open = `${workspace.base}/open.yaml`;
  Deno.writeTextFileSync(
    open,
    Deno.readTextFileSync(policy).replaceAll(
      '"fine.example:80"]',
      '"fine.example:80"], allow_private: true',
    ),
  );
  const asked = [fetch("http://fine.example/"), run("curl", "-sS", "http://fine.example/")];
  const [closed, opened] = await inNetwork(
    workspace,
    [policy, open].map((path) => ({
      argv: [BINARY, "serve", "--policy", path],
      env: ENV,
      requests: asked,
    })),
  );
  assertEquals(closed?.targets, []);
  assertEquals(closed?.answers[0]?.error?.code, "NETWORK_DENIED");
  assertStringIncludes(closed?.answers[0]?.error?.message ?? "", "web.proxy looks its name up");
  assertEquals(shown(opened!), ["by proxy", "by proxy"]);
  assertEquals(opened?.targets, new Array(2).fill("CONNECT fine.example:80 HTTP/1.1"));
  assertEquals([closed?.direct, opened?.direct], [0, 0]);
});
