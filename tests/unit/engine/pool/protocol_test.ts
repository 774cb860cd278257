import { assertEquals } from "@std/assert";
import { JSON_NULL, type JsonText, toJsonText } from "../../../../src/core/result.ts";
import {
  decodeMessage,
  encodeMessage,
  type FromWorker,
} from "../../../../src/engine/pool/_protocol.ts";
import { Random } from "../../../random.ts";

const DONE: FromWorker = { kind: "done", job: 1, error: null, usage: {} };

Deno.test("a message and its output arrive as they were sent, whatever is in them", () => {
  const random = new Random(20_261_122);
  const texts = ["", "\n", "a\nb", "\u2028", '"', "\\n", "ü€𝄞", "{}", "\r\n", "\0"];
  const outputs: (JsonText | undefined)[] = [undefined, JSON_NULL, ...texts.map(toJsonText)];
  for (let round = 0; round < 200; round++) {
    outputs.push(toJsonText({ [random.text(9, texts)]: [random.text(40, texts), round] }));
  }
  for (const output of outputs) {
    for (const said of texts) {
      const message: FromWorker = {
        ...DONE,
        error: { code: "EXECUTION_ERROR", message: said, details: { said }, rule: null },
      };
      const decoded = decodeMessage<FromWorker>(encodeMessage(message, output));
      assertEquals(decoded, { message, output: output ?? JSON_NULL });
    }
  }
});

Deno.test("output is not escaped again: it follows its header as it is", () => {
  const output = toJsonText({ quotes: '""""' });
  assertEquals(encodeMessage(DONE, output), `${JSON.stringify(DONE)}\n${output}`);
  // Its own line ends are its own.
  const lines = "{\n}\n" as unknown as JsonText;
  assertEquals(decodeMessage(encodeMessage(DONE, lines)).output, lines);
});
