/** Long lines come in turns, in their order, and a ping does not wait for them. */

import { assertEquals } from "@std/assert";
import type { LineServer } from "../../../src/serve/line_loop.ts";
import { ReadingServer, type ReadLine } from "../../../src/serve/reading_server.ts";

const encoder = new TextEncoder();
const lineOf = (value: unknown) => ({ bytes: encoder.encode(JSON.stringify(value)) });
const long = (id: number) => lineOf({ id, op: "call", args: { text: "\n".repeat(1_000_000) } });

/** Notes what it is told; each line by its id, in brackets where it was read before. */
class Noting implements Pick<LineServer, "accept" | "endInput" | "refuseWaiting" | "onAnswer"> {
  readonly told: string[] = [];
  readonly pending = 0;
  readonly held = 0;
  full = false;
  onAnswer = () => {};

  accept(line: ReadLine): void {
    if ("tooLong" in line) this.told.push("too long");
    else if (line.json === undefined) {
      this.told.push(String(JSON.parse(new TextDecoder().decode(line.bytes)).id));
    } else if (line.json !== null && "value" in line.json) {
      this.told.push(`[${(line.json.value as { id: number }).id}]`);
    }
  }

  endInput(): void {
    this.told.push("end");
  }

  refuseWaiting(): void {
    this.told.push("refuse");
  }
}

function serverOf(noting: Noting): ReadingServer {
  return new ReadingServer(noting as unknown as LineServer);
}

async function idle(server: ReadingServer): Promise<void> {
  while (server.pending > 0) await new Promise((resolve) => setTimeout(resolve, 1));
}

Deno.test("a short line goes through at once, as it is", () => {
  const noting = new Noting();
  serverOf(noting).accept(lineOf({ id: 1 }));
  assertEquals(noting.told, ["1"]);
});

Deno.test("what comes behind a long line waits for it, but for a ping; the end of the input too", async () => {
  const noting = new Noting();
  const server = serverOf(noting);
  const reused = lineOf({ id: 3 });
  server.accept(long(1));
  server.accept(lineOf({ id: 2, op: "ping" }));
  server.accept(reused);
  reused.bytes.fill(0);
  server.accept({ tooLong: true });
  server.accept(lineOf({ id: 4, method: "ping" }));
  server.accept(long(5));
  server.accept(lineOf({ id: 6 }));
  server.endInput();
  assertEquals([noting.told, server.pending], [["2", "4"], 5]);
  assertEquals(server.held > 4_000_000, true);
  await idle(server);
  assertEquals(noting.told, ["2", "4", "[1]", "[3]", "too long", "[5]", "[6]", "end"]);
  assertEquals(server.held, 0);
  server.accept(lineOf({ id: 7 }));
  assertEquals(noting.told.at(-1), "7");
});

Deno.test("what was not read when the server is ended is refused when it is", async () => {
  const noting = new Noting();
  const server = serverOf(noting);
  server.accept(long(1));
  server.refuseWaiting();
  await idle(server);
  assertEquals(noting.told, ["refuse", "[1]", "refuse"]);
});

Deno.test("no more is read while too much waits", async () => {
  const noting = new Noting();
  const server = serverOf(noting);
  const big = lineOf({ id: 1, text: "x".repeat(16_000_000) });
  for (let at = 0; at < 3; at++) server.accept(big);
  assertEquals(server.full, true);
  await idle(server);
  assertEquals(server.full, false);
  noting.full = true;
  server.accept(big);
  await new Promise((resolve) => setTimeout(resolve, 300));
  assertEquals([server.full, server.pending, noting.told.length], [true, 1, 3]);
  noting.full = false;
  await idle(server);
  assertEquals(noting.told.length, 4);
});
