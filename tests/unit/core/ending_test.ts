/** What ends is told once to those who listen, as an AbortSignal tells them. */

import { assertEquals } from "@std/assert";
import { Ender, type Ending } from "../../../src/core/ending.ts";

/** What was told, by an ending of either kind, in which some stop listening. */
function told(ending: Ending, end: (reason: string) => void): readonly string[] {
  const heard: string[] = [];
  const note = (name: string) => () => heard.push(`${name} ${ending.aborted} ${ending.reason}`);
  const [first, twice, gone, taken] = ["first", "twice", "gone", "taken"].map(note);
  if (!first || !twice || !gone || !taken) throw new Error("four listen");
  ending.addEventListener("abort", () => ending.removeEventListener("abort", taken));
  ending.addEventListener("abort", first);
  ending.addEventListener("abort", twice);
  ending.addEventListener("abort", twice);
  ending.addEventListener("abort", gone);
  ending.addEventListener("abort", taken);
  ending.removeEventListener("abort", gone);
  heard.push(`before ${ending.aborted} ${ending.reason}`);
  end("TIMEOUT");
  end("CANCELLED");
  ending.addEventListener("abort", note("late"));
  heard.push(`after ${ending.aborted} ${ending.reason}`);
  return heard;
}

Deno.test("an ender tells what an AbortSignal does", () => {
  const controller = new AbortController();
  const ender = new Ender();
  const expected = told(controller.signal, (reason) => controller.abort(reason));
  assertEquals(told(ender, (reason) => ender.end(reason)), expected);
  assertEquals(expected, [
    "before false undefined",
    "first true TIMEOUT",
    "twice true TIMEOUT",
    "after true TIMEOUT",
  ]);
});
