/** Fetches through a warm pipe beside a bare `fetch` of the same server in the same run. */

import { join } from "@std/path";
import { type Client, connect } from "../../scripts/_bench_client.ts";
import { median, type Pair } from "../../scripts/_bench_figures.ts";

interface Figure {
  readonly figure: string;
  readonly unit: string;
  readonly pair: Pair;
  readonly target: number;
  readonly at: "most";
}

const BYTES = 100_000;
/** Code is optimised when it was called 1,000 times (`V8_FLAGS` of `scripts/compile.ts`); what a page has many of is sooner. */
const WARM = { fetch: 1_200, page: 150 } as const;
const ROUNDS = 150;

/** The tool with what it is asked beside the address, the page that it is asked for, and what it is to be warm for. */
const USES: readonly (readonly [
  string,
  string,
  string,
  Record<string, unknown>,
  keyof typeof WARM,
])[] = [
  ["text", "fetch_url", "/text", { length: BYTES }, "fetch"],
  ["a page as it is", "fetch_url", "/page", { length: BYTES, format: "html" }, "fetch"],
  ["a page as Markdown", "fetch_url", "/page", { length: BYTES }, "page"],
  ["a page as sections", "parse_documentation", "/page", { limit: 10_000 }, "page"],
];

/** A server of its own thread: the pipe's client waits with the whole of its own. */
const SERVER = `
const fill = (piece, bytes) => piece.repeat(Math.ceil(bytes / piece.length)).slice(0, bytes);
const answers = {
  "/text": ["text/plain", fill("a line of text, as long as lines are\\n", ${BYTES})],
  "/page": ["text/html", "<title>T</title><main>" + fill(
    "<h2 id=a>Heading</h2><p>Some <b>text</b> with a <a href='/x'>link</a> and <code>code</code>.</p>" +
    "<ul><li>one<li>two</ul><pre><code class=language-js>const a = 1;\\n</code></pre>\\n", ${BYTES})],
};
Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: ({ port }) => self.postMessage(port) }, (request) => {
  const found = answers[new URL(request.url).pathname];
  return found === undefined
    ? new Response("", { status: 404 })
    : new Response(found[1], { headers: { "content-type": found[0] } });
});
`;

/** `toolgate`: the program, compiled. */
export async function webFigures(toolgate: string): Promise<readonly Figure[]> {
  const worker = new Worker(`data:text/javascript,${encodeURIComponent(SERVER)}`, {
    type: "module",
  });
  const cwd = Deno.makeTempDirSync({ prefix: "toolgate-bench-" });
  try {
    const port = await new Promise<number>((resolve) => {
      worker.onmessage = ({ data }) => resolve(data);
    });
    const policy = join(cwd, "policy.yaml");
    Deno.writeTextFileSync(
      policy,
      `version: 1\nrisk: { allow: safe, ask: dangerous }\nagents: { root: { permissions: [all] } }\nweb: { cache: { size: 0 } }\n` +
        `network: [{ allow: ["127.0.0.1:${port}"], allow_private: true }]\n`,
    );
    const client = await connect({ path: toolgate, args: ["serve", "--policy", policy], cwd });
    const figures: Figure[] = [];
    for (const [name, tool, path, more, warm] of USES) {
      const url = `http://127.0.0.1:${port}${path}`;
      figures.push({
        figure: `${tool} of 100 KB, ${name} : bare fetch`,
        unit: "ms",
        pair: await beside(client, { id: 1, tool, args: { url, ...more } }, url, WARM[warm]),
        target: 2,
        at: "most",
      });
    }
    await client.close();
    return figures;
  } finally {
    worker.terminate();
    Deno.removeSync(cwd, { recursive: true });
  }
}

async function beside(
  client: Client,
  request: unknown,
  url: string,
  warm: number,
): Promise<Pair> {
  const line = `${JSON.stringify(request)}\n`;
  const times: { subject: number[]; floor: number[] } = { subject: [], floor: [] };
  for (let round = 0; round < warm + ROUNDS; round++) {
    const started = performance.now();
    client.send(line);
    client.receive();
    const between = performance.now();
    await (await fetch(url)).text();
    if (round < warm) continue;
    times.subject.push(between - started);
    times.floor.push(performance.now() - between);
  }
  return { subject: median(times.subject), floor: median(times.floor) };
}
