/**
 * A network of its own that has a proxy, on the loopback of a namespace: run by `unshare --net --mount`. Gives the binary
 * the requests of each run, and prints its answers, what the proxy was asked for, and who came past it.
 *
 *     upstream_network RUNS
 *
 * RUNS is JSON, a list of `UpstreamRun`. Proxies listen on 10.9.9.9 (`proxy.example`): that of the policy at 3128, and
 * one that only variables name at 3129.
 */

import { serveUpstream } from "../../unit/host/network/_upstream_proxy.ts";

/** One process of the binary. */
export interface UpstreamRun {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly requests: readonly Readonly<Record<string, unknown>>[];
}

/** What came of it, in the order of the requests. */
export interface UpstreamAnswers {
  readonly answers: readonly {
    readonly output: Readonly<Record<string, unknown>> | null;
    readonly error: { readonly code: string; readonly message: string } | null;
  }[];
  /** All that was said, on both streams. */
  readonly said: string;
  readonly targets: readonly string[];
  readonly logins: readonly string[];
  /** Connections that did not come by the proxy. */
  readonly direct: number;
}

const HOSTS = {
  "fine.example": "93.184.216.34",
  "six.example": "2606:2800:220:1::1",
  "lan.example": "10.1.2.3",
  "proxy.example": "10.9.9.9",
};

async function run(...argv: readonly string[]): Promise<void> {
  const [program = "", ...args] = argv;
  const { success, stderr } = await new Deno.Command(program, { args }).output();
  if (!success) throw new Error(`${argv.join(" ")}: ${new TextDecoder().decode(stderr)}`);
}

async function ask({ argv, env, requests }: UpstreamRun): Promise<UpstreamAnswers> {
  const [before, count] = [upstream.heads.length, direct];
  const [program = "", ...args] = argv;
  const child = new Deno.Command(program, {
    args,
    env: { ...env, HTTP_PROXY: "http://10.9.9.9:3129", http_proxy: "http://10.9.9.9:3129" },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  const lines = requests.map((request, id) => `${JSON.stringify({ id, ...request })}\n`);
  await writer.write(new TextEncoder().encode(lines.join("")));
  await writer.close();
  const { stdout, stderr } = await child.output();
  const text = new TextDecoder();
  const answers = text.decode(stdout).trim().split("\n").filter((line) => line !== "")
    .map((line) => JSON.parse(line)).sort((a, b) => a.id - b.id);
  const heads = upstream.heads.slice(before);
  return {
    answers,
    said: text.decode(stdout) + text.decode(stderr),
    targets: heads.map((head) => head.split("\r\n")[0] ?? ""),
    logins: heads.map((head) => /^Proxy-Authorization: (.*)\r$/im.exec(head)?.[1] ?? ""),
    direct: direct - count,
  };
}

let direct = 0;
await run("ip", "link", "set", "lo", "up");
for (const address of Object.values(HOSTS)) {
  const six = address.includes(":");
  await run(
    "ip",
    "addr",
    "add",
    `${address}/${six ? 128 : 32}`,
    "dev",
    "lo",
    ...six ? ["nodad"] : [],
  );
}
const hosts = await Deno.makeTempFile();
const lines = Object.entries(HOSTS).map(([name, address]) => `${address} ${name}\n`);
await Deno.writeTextFile(hosts, `127.0.0.1 localhost\n${lines.join("")}`);
await run("mount", "--bind", hosts, "/etc/hosts");
const places = Object.values(HOSTS).flatMap((hostname) =>
  [80, 81].map((port) => ({ hostname, port }))
);
const counted = [...places, { hostname: "10.9.9.9", port: 3129 }].map((place) =>
  Deno.serve({ ...place, onListen: () => {} }, () => {
    direct++;
    return new Response("direct");
  })
);
const server = Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen: () => {} },
  ({ headers }) => new Response(`by proxy with ${[...headers.keys()].join(" ")}`),
);
const upstream = serveUpstream(server.addr.port, undefined, { hostname: "10.9.9.9", port: 3128 });
const results: UpstreamAnswers[] = [];
for (const one of JSON.parse(Deno.args[0] ?? "[]") as readonly UpstreamRun[]) {
  results.push(await ask(one));
}
console.log(JSON.stringify(results));
await upstream.close();
await Promise.all([...counted, server].map((one) => one.shutdown()));
await run("umount", "/etc/hosts");
await Deno.remove(hosts);
