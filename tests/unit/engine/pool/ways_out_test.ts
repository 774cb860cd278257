import { assert, assertEquals } from "@std/assert";
import { WaysOut } from "../../../../src/engine/pool/_ways_out.ts";
import type { Job } from "../../../../src/engine/runner.ts";
import { greetingOf, type OpenedRoute } from "../../../../src/host/network/proxy_route.ts";
import { serveWire } from "../../host/network/_wire.ts";
import { canonical, READER, rulebook } from "../../policy/_fixtures.ts";

const program = { path: canonical("/usr/bin/npm"), start: "/usr/bin/npm", names: ["npm"] };
const COMMAND = { argv: ["npm", "ci"], program, cwd: canonical("/w/project") };

async function ask({ port, token }: OpenedRoute, server: number): Promise<string> {
  const conn = await Deno.connect({ hostname: "127.0.0.1", port });
  const request = `GET http://127.0.0.1:${server}/ HTTP/1.1\r\nHost: 127.0.0.1:${server}\r\n\r\n`;
  await conn.write(greetingOf(token, 0));
  await conn.write(new TextEncoder().encode(request)).catch(() => {});
  const buffer = new Uint8Array(12);
  const count = await conn.read(buffer).catch(() => null);
  conn.close();
  return new TextDecoder().decode(buffer.subarray(0, count ?? 0));
}

Deno.test("a job's programs go out by their rules, as long as they and the job last", async () => {
  const wire = serveWire(async ({ send }) => await send("HTTP/1.1 204 No Content\r\n\r\n"));
  const host = `127.0.0.1:${wire.port}`;
  const network = [{
    effect: "allow",
    hosts: [host],
    methods: null,
    allowPrivate: true,
    commands: ["npm ci"],
  }] as const;
  const ways = new WaysOut(rulebook([{ network }]));
  const job = { subject: READER, grant: { connect: [] } } as unknown as Job;
  assertEquals(ways.settle(1), null);
  const open = async (number: number, argv = COMMAND.argv): Promise<OpenedRoute> => {
    const opened = await ways.open(number, job, { ...COMMAND, argv });
    assert(typeof opened !== "string", String(opened));
    return opened;
  };
  const [first, second, other] = [await open(1), await open(1), await open(2, ["npm", "test"])];
  assertEquals(await ask(first, wire.port), "HTTP/1.1 204");
  assertEquals(await ask(other, wire.port), "HTTP/1.1 403");
  // Of another job it ends nothing.
  assertEquals(await ways.end(2, [first.token]), { reached: [], refused: [] });
  const { reached } = await ways.end(1, [first.token]);
  assertEquals(reached.map((one) => one.host), [host]);
  assertEquals(await ask(first, wire.port), "");
  assertEquals(await ask(second, wire.port), "HTTP/1.1 204");
  assertEquals(await ways.settle(1), [host]);
  assertEquals(await ask(second, wire.port), "");
  assertEquals(await ways.settle(2), []);
  await ways.close();
  assertEquals(wire.connections, 2);
  await wire.close();
});
