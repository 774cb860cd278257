/**
 * A network of its own, with a name server and servers on public and special addresses, all on the loopback of a
 * namespace: run by `unshare --net --mount`. Asks the binary for each name twice and prints what came of it.
 *
 *     named_network BINARY POLICY NAME...
 */

const [binary = "", policy = "", ...hosts] = Deno.args;

const PUBLIC = "93.184.216.34";
const ADDRESSES = [PUBLIC, "127.0.0.1", "10.1.2.3", "169.254.169.254"];

async function run(...argv: readonly string[]): Promise<void> {
  const [program = "", ...args] = argv;
  const { success, stderr } = await new Deno.Command(program, { args }).output();
  if (!success) throw new Error(`${argv.join(" ")}: ${new TextDecoder().decode(stderr)}`);
}

await run("ip", "link", "set", "lo", "up");
for (const address of ADDRESSES.filter((one) => one !== "127.0.0.1")) {
  await run("ip", "addr", "add", `${address}/32`, "dev", "lo");
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
};
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
  const isAddress = query[at + 2] === 1;
  const name = labels.join(".").toLowerCase();
  const times = NAMES[name];
  let addresses: readonly string[] = [];
  if (isAddress && times !== undefined) {
    const count = asked[name] = (asked[name] ?? 0) + 1;
    addresses = times[Math.min(count, times.length) - 1] ?? [];
  }
  const code = times === undefined ? 3 : 0;
  const head = [
    query[0] ?? 0,
    query[1] ?? 0,
    0x81,
    0x80 | code,
    0,
    1,
    0,
    addresses.length,
    0,
    0,
    0,
    0,
  ];
  const records = addresses.flatMap((address) => [
    ...[0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4],
    ...address.split(".").map(Number),
  ]);
  return new Uint8Array([...head, ...query.subarray(12, end), ...records]);
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

const outcomes: Record<string, readonly string[]> = {};
const serve = new Deno.Command(binary, {
  args: ["serve", "--policy", policy],
  stdin: "piped",
  stdout: "piped",
  stderr: "inherit",
}).spawn();
const writer = serve.stdin.getWriter();
const lines = serve.stdout.pipeThrough(new TextDecoderStream()).getReader();
let text = "";
interface Answered {
  readonly success: boolean;
  readonly output: { readonly content: string } | null;
  readonly error: { readonly code: string } | null;
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
for (const host of hosts) {
  const seen: string[] = [];
  for (const time of [1, 2]) {
    const args = { url: `http://${host}/`, format: "text" };
    await writer.write(
      new TextEncoder().encode(`${JSON.stringify({ id: time, tool: "fetch_url", args })}\n`),
    );
    const { success, output, error } = await answer();
    seen.push((success ? output?.content : error?.code) ?? "");
  }
  outcomes[host] = seen;
}
await writer.close();
await serve.status;
console.log(JSON.stringify({ outcomes, asked, connections }));
await run("umount", "/etc/resolv.conf");
await Deno.remove(resolver);
Deno.exit();
