import { assert, assertEquals } from "@std/assert";
import { JSON_NULL, type JsonText, jsonText, toJsonText } from "../../../../src/core/result.ts";
import { JsonBytes } from "../../../../src/core/json_bytes.ts";
import {
  decodeMessage,
  encodeMessage,
  type FromWorker,
} from "../../../../src/engine/pool/_protocol.ts";
import {
  createBell,
  createRingMemory,
  RingReader,
  RingWriter,
} from "../../../../src/engine/pool/channel.ts";
import { Random } from "../../../random.ts";

const DONE: FromWorker = { kind: "done", job: 1, error: null, usage: {} };

const decoder = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });

/** A message as a ring hands it out. */
function sent(message: FromWorker, output?: JsonText): Uint8Array {
  const memory = createRingMemory(1 << 12, createBell());
  const reader = new RingReader(memory);
  new RingWriter(memory).sendBlocking(encodeMessage(message, output !== undefined), output);
  const bytes = reader.next();
  assert(bytes !== null);
  return bytes;
}

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
      const decoded = decodeMessage<FromWorker>(sent(message, output));
      assertEquals(decoded.message, message);
      assertEquals(jsonText(decoded.output), output ?? JSON_NULL);
    }
  }
});

Deno.test("output is not escaped again: it follows its header as it is", () => {
  const output = toJsonText({ quotes: '""""' });
  assertEquals(decoder.decode(sent(DONE, output)), `${JSON.stringify(DONE)}\n${output}`);
  // Its own line ends are its own.
  const lines = "{\n}\n" as unknown as JsonText;
  assertEquals(jsonText(decodeMessage(sent(DONE, lines)).output), lines);
});

Deno.test("an output stays the bytes that came; that there is none is one value", () => {
  const released: Uint8Array[] = [];
  const message = sent(DONE, toJsonText({ text: "€" }));
  const { output } = decodeMessage(message, (bytes) => released.push(bytes));
  assert(output instanceof JsonBytes);
  assertEquals(output.bytes, new TextEncoder().encode('{"text":"€"}'));
  output.release();
  assertEquals(released.map(({ buffer }) => buffer), [message.buffer]);
  for (const none of [undefined, JSON_NULL]) {
    assertEquals(decodeMessage(sent(DONE, none)).output, JSON_NULL);
  }
  assertEquals(jsonText(decodeMessage(sent(DONE, toJsonText(true))).output), toJsonText(true));
});
