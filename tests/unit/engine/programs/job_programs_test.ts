import { assertEquals } from "@std/assert";
import { OutputFeed } from "../../../../src/engine/programs/job_programs.ts";

Deno.test("a feed takes no more than its reader keeps up with", () => {
  const said: number[] = [];
  const feed = new OutputFeed((_stream, data) => said.push(data.length));
  let sent = 0;
  let room = 0;
  while (feed.tell("stdout", "x".repeat(10_000))) sent += 10_000;
  sent += 10_000;
  feed.whenRoom(() => room++);
  assertEquals(sent < 300_000, true);
  feed.taken(10_000);
  assertEquals(room, 0);
  feed.taken(sent - 10_000);
  assertEquals(room, 1);
  feed.taken(0);
  assertEquals(room, 1);
  assertEquals(feed.tell("stderr", "more"), true);
  assertEquals(said.length, sent / 10_000 + 1);
});
