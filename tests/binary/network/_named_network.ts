/**
 * A network of its own, with a name server and servers on public and special addresses, all on the loopback of a
 * namespace: run by `unshare --net --mount`. Asks the binary for each name twice, and then programs that it runs, and
 * prints what came of it.
 *
 *     named_network BINARY POLICY PROGRAM NAME...
 *
 * PROGRAM is started with how it is to connect, `proxy` or `direct`, and with addresses, and prints what each answers
 * with, a line each. POLICY is empty for a sealed binary.
 */

const [binary = "", policy = "", program = "", ...hosts] = Deno.args;

const PUBLIC = "93.184.216.34";
const PUBLIC_SIX = "2606:2800:220:1::1";
const ADDRESSES = [PUBLIC, PUBLIC_SIX, "127.0.0.1", "10.1.2.3", "169.254.169.254", "fd00::1"];

async function run(...argv: readonly string[]): Promise<void> {
  const [program = "", ...args] = argv;
  const { success, stderr } = await new Deno.Command(program, { args }).output();
  if (!success) throw new Error(`${argv.join(" ")}: ${new TextDecoder().decode(stderr)}`);
}

await run("ip", "link", "set", "lo", "up");
for (const address of ADDRESSES.filter((one) => one !== "127.0.0.1")) {
  const [net, more] = address.includes(":") ? [`${address}/128`, ["nodad"]] : [`${address}/32`, []];
  await run("ip", "addr", "add", net, "dev", "lo", ...more);
}
const resolver = await Deno.makeTempFile();
await Deno.writeTextFile(resolver, "nameserver 127.0.0.1\noptions timeout:2 attempts:1\n");
await run("mount", "--bind", resolver, "/etc/resolv.conf");

/** What each name stands for, the first time and ever after. */
const NAMES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "fine.example": [[PUBLIC]],
  "private.example": [["127.0.0.1"]],
  "lan.example": [["10.1.2.3"]],
  "metadata.example": [["169.254.169.254"]],
  "mixed.example": [[PUBLIC, "127.0.0.1"]],
  "rebinding.example": [[PUBLIC], ["127.0.0.1"]],
  "six.example": [[PUBLIC_SIX]],
  "both.example": [[PUBLIC_SIX, PUBLIC]],
  "local-six.example": [["fd00::1"]],
  "six-and-loopback.example": [[PUBLIC_SIX, "127.0.0.1"]],
};
const A = 1;
const AAAA = 28;
const asked: Record<string, number> = {};
const connections: Record<string, number> = {};

/** RFC 1035, 4: one question, its answers with their names as pointers to it. */
function answerTo(query: Uint8Array): Uint8Array {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(new TextDecoder().decode(query.subarray(at + 1, at + 1 + length)));
    at += length + 1;
  }
  const end = at + 5;
  const type = query[at + 2];
  // Those of programs are names of their own, so that each is counted by itself.
  const name = labels.join(".").toLowerCase();
  const times = NAMES[name.replace(/^(?:program|direct)-/, "")];
  let addresses: readonly string[] = [];
  if (type === A && times !== undefined) {
    const count = asked[name] = (asked[name] ?? 0) + 1;
    addresses = times[Math.min(count, times.length) - 1] ?? [];
  } else if (type === AAAA) {
    addresses = times?.[Math.min(asked[name] ?? 1, times.length) - 1] ?? [];
  }
  const records = addresses.filter((one) => one.includes(":") === (type === AAAA)).map(recordOf);
  const code = times === undefined ? 3 : 0;
  const head = [
    query[0] ?? 0,
    query[1] ?? 0,
    0x81,
    0x80 | code,
    0,
    1,
    0,
    records.length,
    0,
    0,
    0,
    0,
  ];
  return new Uint8Array([...head, ...query.subarray(12, end), ...records.flat()]);
}

function recordOf(address: string): readonly number[] {
  const bytes = address.includes(":") ? sixOf(address) : address.split(".").map(Number);
  const type = bytes.length === 4 ? A : AAAA;
  return [0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length, ...bytes];
}

/** Of the form `a:b::c`. */
function sixOf(address: string): readonly number[] {
  const [start = [], end = []] = address.split("::").map((half) =>
    half.split(":").map((group) => parseInt(group, 16))
  );
  const zeros = Array.from({ length: 8 - start.length - end.length }, () => 0);
  return [...start, ...zeros, ...end].flatMap((group) => [group >> 8, group & 255]);
}

const udp = Deno.listenDatagram({ transport: "udp", hostname: "127.0.0.1", port: 53 });
void (async () => {
  for await (const [query, from] of udp) await udp.send(answerTo(query), from);
})();
for (const hostname of ADDRESSES) {
  Deno.serve({ hostname, port: 80, onListen: () => {} }, () => {
    connections[hostname] = (connections[hostname] ?? 0) + 1;
    return new Response(hostname, { headers: { "content-type": "text/plain" } });
  });
}

const none = () => Object.fromEntries(hosts.map((host) => [host, [] as string[]]));
const outcomes = none();
const messages: Record<string, string> = {};
const programs = none();
const direct = none();
const serve = new Deno.Command(binary, {
  args: ["serve", ...(policy === "" ? [] : ["--policy", policy])],
  stdin: "piped",
  stdout: "piped",
  stderr: "inherit",
}).spawn();
const writer = serve.stdin.getWriter();
const lines = serve.stdout.pipeThrough(new TextDecoderStream()).getReader();
let text = "";
interface Answered {
  readonly success: boolean;
  readonly output: { readonly content: string; readonly stdout: string } | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}
async function ask(tool: string, args: Record<string, unknown>): Promise<Answered> {
  await writer.write(new TextEncoder().encode(`${JSON.stringify({ id: 1, tool, args })}\n`));
  return await answer();
}
async function answer(): Promise<Answered> {
  while (!text.includes("\n")) {
    const { value, done } = await lines.read();
    if (done) throw new Error("the pipe ended");
    text += value;
  }
  const end = text.indexOf("\n");
  const line = JSON.parse(text.slice(0, end));
  text = text.slice(end + 1);
  return line;
}
/** One program for all names: what each was answered with. */
async function runAll(how: "proxy" | "direct", prefix: string): Promise<readonly string[]> {
  const argv = [
    "/usr/bin/python3",
    program,
    how,
    ...hosts.map((host) => `http://${prefix}-${host}/`),
  ];
  const { output, error } = await ask("run_command", { argv });
  return output?.stdout.trim().split("\n") ?? hosts.map(() => error?.message ?? "");
}
for (let time = 0; time < 2; time++) {
  for (const host of hosts) {
    const { success, output, error } = await ask("fetch_url", {
      url: `http://${host}/`,
      format: "text",
    });
    if (error !== null) messages[host] = error.message;
    outcomes[host]?.push((success ? output?.content : error?.code) ?? "");
  }
  const [byProxy, byItself] = [await runAll("proxy", "program"), await runAll("direct", "direct")];
  for (const [at, host] of hosts.entries()) {
    programs[host]?.push(byProxy[at] ?? "");
    direct[host]?.push(byItself[at] ?? "");
  }
}
await writer.close();
await serve.status;
console.log(JSON.stringify({ outcomes, programs, direct, messages, asked, connections }));
await run("umount", "/etc/resolv.conf");
await Deno.remove(resolver);
Deno.exit();
