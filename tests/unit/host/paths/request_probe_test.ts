import { assertEquals, assertThrows } from "@std/assert";
import { ToolError } from "../../../../src/core/errors.ts";
import type { PathProbe } from "../../../../src/host/paths/path_probe.ts";
import { createRequestProbe } from "../../../../src/host/paths/request_probe.ts";
import { canonical } from "../../policy/_fixtures.ts";

const BASE = canonical("/w");

/** Notes what it is asked; `onLook` is told of each look. */
function probeOf(asked: string[], onLook: () => void = () => {}): PathProbe {
  const note = <T>(text: string, answer: T): T => {
    asked.push(text);
    onLook();
    return answer;
  };
  return {
    canonicalize(base, path) {
      if (path === "loop") throw note(path, new ToolError("INVALID_ARGUMENTS", "a circle"));
      return note(path, canonical(`${base}/${path}`));
    },
    exists: (_, path) => note(`${path}?`, path !== "gone"),
    isDirectory: (path) => note(`${path}/`, false),
    entryAt: () => "missing",
    isProgram: () => false,
  };
}

Deno.test("each word is looked at once, whatever came of it", () => {
  const asked: string[] = [];
  const probe = createRequestProbe(probeOf(asked));
  for (let round = 0; round < 3; round++) {
    assertEquals(probe.canonicalize(BASE, "a"), canonical("/w/a"));
    assertEquals(probe.canonicalize(canonical("/x"), "a"), canonical("/x/a"));
    assertThrows(() => probe.canonicalize(BASE, "loop"), ToolError, "circle");
    assertEquals([probe.exists(BASE, "a"), probe.exists(BASE, "gone")], [true, false]);
  }
  assertEquals(asked, ["a", "a", "loop", "a?", "gone?"]);
});

Deno.test("the paths of one request take so long and no longer", () => {
  const asked: string[] = [];
  let clock = 0;
  const probe = createRequestProbe(probeOf(asked, () => clock += 700), () => clock);
  const error = assertThrows(() => {
    for (let at = 0; at < 100; at++) probe.canonicalize(BASE, `p${at}`);
  }, ToolError);
  assertEquals([error.code, asked.length], ["RESOURCE_LIMIT", 5]);
});
