import { assertEquals } from "@std/assert";
import { ProgressLine } from "../../../../src/cli/call/_progress_line.ts";

const ERASE = "\r\x1b[K";

function createLine(columns = 40) {
  const written: string[] = [];
  let time = 0;
  const line = new ProgressLine({
    title: "search_files",
    columns,
    write: (text) => written.push(text),
    now: () => time,
  });
  return { line, written, at: (ms: number) => time = ms };
}

Deno.test("a quick call shows nothing, and nothing is taken back", () => {
  const { line, written, at } = createLine();
  line.take({ event: "progress", done: 500, total: null, unit: "files", message: "500 files" });
  at(300);
  line.show();
  line.end();
  assertEquals(written, []);
});

Deno.test("a long call shows how far it is, each time over the last, and leaves nothing behind", () => {
  const { line, written, at } = createLine();
  at(700);
  line.show();
  line.take({ event: "progress", done: 500, total: null, unit: "files", message: "500 files" });
  at(2_100);
  line.show();
  line.end();
  line.show();
  line.end();
  assertEquals(written, [
    `${ERASE}search_files  0 s`,
    `${ERASE}search_files  2 s  500 files`,
    ERASE,
  ]);
});

Deno.test("of a program's output the last line is shown, harmless and within the screen", () => {
  const { line, written, at } = createLine(30);
  at(1_000);
  line.take({ event: "stdout", data: "one\ntwo \x1b[2J\x07\tlong long long\n" });
  line.show();
  assertEquals(written, [`${ERASE}search_files  1 s  two \\x1b[…`]);
});

Deno.test("it is out of the way while somebody is asked", async () => {
  const { line, written, at } = createLine();
  at(1_000);
  line.show();
  const answer = await line.heldWhile(() => {
    line.show();
    return Promise.resolve("yes");
  });
  line.show();
  line.end();
  assertEquals(answer, "yes");
  assertEquals(written, [`${ERASE}search_files  1 s`, ERASE, `${ERASE}search_files  1 s`, ERASE]);
});

Deno.test("it refreshes itself until it is ended", async () => {
  const { line, written, at } = createLine();
  at(600);
  line.start();
  while (written.length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
  line.end();
  assertEquals(written.at(-1), ERASE);
});
