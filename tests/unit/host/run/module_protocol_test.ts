import { assertEquals } from "@std/assert";
import type { ModuleAnswer } from "../../../../src/core/tool.ts";
import {
  decodeAnswer,
  encodeAnswer,
  UNANSWERED,
} from "../../../../src/host/run/module_protocol.ts";

const NONCE = "5f0c3c5e-0000-4000-8000-000000000000";

Deno.test("decodeAnswer(): the answer comes out of whatever else was written", () => {
  const answers: readonly ModuleAnswer[] = [
    { kind: "value", json: '{"a":"\\n"}' },
    { kind: "value", json: '"\u2028"' },
    { kind: "no entry" },
    { kind: "thrown", message: "a\nb" },
  ];
  for (const answer of answers) {
    for (const before of ["", "rubbish", "rubbish\n", `\n${NONCE}x {}\n`, "\nother {}\n1"]) {
      assertEquals(decodeAnswer(NONCE, before + encodeAnswer(NONCE, answer)), answer);
    }
  }
});

Deno.test("decodeAnswer(): what has no whole answer has none", () => {
  for (const output of ["", "x", "\n{}", `${NONCE} {}`, `\n${NONCE} {"kind":"va`]) {
    assertEquals(decodeAnswer(NONCE, output), null);
  }
});

Deno.test("what the runtime says of a process that ended unanswered is known", () => {
  const said = "error: Top-level await promise never resolved\nDeno.exit(await run())\n^\n";
  assertEquals(`log\n${said}`.replace(UNANSWERED, ""), "log");
  assertEquals(UNANSWERED.test("an error: Top-level"), false);
});
