/** What must hold for every edit of every file: generated ones, repeatable. */

import { assert, assertEquals } from "@std/assert";
import editFile from "../../../../src/tools/fs/edit_file.ts";
import replaceText from "../../../../src/tools/fs/replace_text.ts";
import { ToolError } from "../../../../src/core/errors.ts";
import { call, createMemory } from "../_memory_context.ts";
import { Random } from "../../../random.ts";

interface Encoding {
  readonly mark: readonly number[];
  readonly encode: (text: string) => Uint8Array;
  readonly label?: string;
}

const utf8 = (text: string) => new TextEncoder().encode(text);
const utf16 = (littleEndian: boolean) => (text: string) => {
  const view = new DataView(new ArrayBuffer(2 * text.length));
  for (let at = 0; at < text.length; at++) {
    view.setUint16(2 * at, text.charCodeAt(at), littleEndian);
  }
  return new Uint8Array(view.buffer);
};
const ENCODINGS: readonly Encoding[] = [
  { mark: [], encode: utf8 },
  { mark: [0xef, 0xbb, 0xbf], encode: utf8 },
  { mark: [0xff, 0xfe], encode: utf16(true) },
  { mark: [0xfe, 0xff], encode: utf16(false) },
  { mark: [], encode: utf16(true), label: "utf-16le" },
  {
    mark: [],
    encode: (text) => Uint8Array.from(text, (one) => one.charCodeAt(0)),
    label: "latin1",
  },
];

const PIECES = ["a", "b", "é", "  ", "\t", "word", "\n", "\r\n", "\r", "}\n", "aa"];

function bytesOf({ mark, encode }: Encoding, text: string): Uint8Array {
  return Uint8Array.from([...mark, ...encode(text)]);
}

/** The text that a unified diff makes of another: each hunk where it says, each line as it says. */
function applied(text: string, diff: string): string {
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const result: string[] = [];
  let taken = 0;
  for (const hunk of diff.split(/^(?=@@ )/m).slice(1)) {
    const [, start = "", count = "1"] = /^@@ -(\d+)(?:,(\d+))? /.exec(hunk) ?? [];
    const at = count === "0" ? Number(start) : Number(start) - 1;
    while (taken < at) result.push(lines[taken++] ?? "");
    const body = hunk.slice(hunk.indexOf("\n") + 1).match(/[^\n]*\n(?:\\[^\n]*\n)?/g) ?? [];
    for (const line of body) {
      const content = line.includes("\n\\ ") ? line.slice(1, line.indexOf("\n")) : line.slice(1);
      if (!line.startsWith("+")) assertEquals(lines[taken++], content);
      if (!line.startsWith("-")) result.push(content);
    }
  }
  return [...result, ...lines.slice(taken)].join("");
}

async function edited(
  encoding: Encoding,
  file: Uint8Array,
  args: Record<string, unknown>,
): Promise<{ readonly bytes: Uint8Array; readonly diff: string } | ToolError> {
  const memory = createMemory({ files: { "a.txt": file }, limits: { write: 1_000_000 } });
  const label = encoding.label === undefined ? {} : { encoding: encoding.label };
  const all = { path: "a.txt", create_backup: false, ...label, ...args };
  try {
    const { diff } = await call(editFile, all, memory);
    return { bytes: memory.nodes.get("a.txt") as Uint8Array, diff: String(diff) };
  } catch (error) {
    if (error instanceof ToolError) return error;
    throw error;
  }
}

Deno.test("an edit leaves all bytes outside the place it replaces as they are", async () => {
  const random = new Random(31);
  let made = 0;
  for (let round = 0; round < 3000; round++) {
    const encoding = random.pick(ENCODINGS);
    const parts = Array.from({ length: 3 }, () => random.text(8, PIECES));
    const [head = "", old = "", tail = ""] = parts;
    const text = parts.join("");
    // A place that begins or ends inside a \r\n is none that an `old` of \n can name.
    if (old === "" || /\r$/.test(head) || /\r$/.test(old)) continue;
    const file = bytesOf(encoding, text);
    const asSent = random.once(2) ? old.replaceAll("\r\n", "\n") : old;
    // Where both a lone \r and line ends are sent, they are meant as they are.
    if (asSent !== old && asSent.includes("\r")) continue;
    const now = random.text(5, ["x", "yy", "é"]);
    if (now === asSent) continue;
    const result = await edited(encoding, file, { edits: [{ old: asSent, new: now }] });
    const place = JSON.stringify({ text, asSent, now, label: encoding.label });
    if (result instanceof ToolError) {
      // Found, in any case.
      assertEquals(result.code, "TEXT_NOT_UNIQUE", place);
      continue;
    }
    made++;
    assertEquals(result.bytes, bytesOf(encoding, head + now + tail), place);
    assertEquals(applied(text, result.diff), head + now + tail, place);
  }
  assert(made > 700, String(made));
});

Deno.test("an edit and its reverse give the file back, byte for byte", async () => {
  const random = new Random(32);
  let made = 0;
  for (let round = 0; round < 3000; round++) {
    const encoding = random.pick(ENCODINGS);
    const end = random.pick(["\n", "\r\n"]);
    const text = random.text(25, ["a", "b", "é", "word", end, "\t", `}${end}`]);
    const file = bytesOf(encoding, text);
    const plain = text.replaceAll("\r\n", "\n");
    const from = random.below(plain.length + 1);
    const old = plain.slice(from, from + 1 + random.below(8));
    const now = random.text(4, ["Q", "Z", "\n"]);
    if (old === "" || now === "" || old === now) continue;
    // With a line end of its own the file says which to use, whatever is taken out.
    if (!text.endsWith(end) || from + old.length >= plain.length) continue;
    const there = await edited(encoding, file, { edits: [{ old, new: now }] });
    if (there instanceof ToolError) continue;
    const back = await edited(encoding, there.bytes, { edits: [{ old: now, new: old }] });
    if (back instanceof ToolError) {
      assertEquals(back.code, "TEXT_NOT_UNIQUE", JSON.stringify({ text, old, now }));
      continue;
    }
    made++;
    assertEquals(back.bytes, file, JSON.stringify({ text, old, now }));
  }
  assert(made > 250, String(made));
});

Deno.test("bytes that are text in no encoding survive every edit beside them", async () => {
  const random = new Random(33);
  for (let round = 0; round < 500; round++) {
    const noise = () =>
      Uint8Array.from({ length: random.below(40) }, () => {
        const byte = 1 + random.below(255);
        return byte === 0x40 || byte === 0xef ? 1 : byte;
      }).filter((byte) => byte < 0xfe);
    const [head, tail] = [noise(), noise()];
    const middle = "@one\r\n@two\r\n";
    const file = Uint8Array.from([...head, ...utf8(middle), ...tail]);
    const edits = [{ old: "@one\n", new: "1\n" }, { old: "@two", new: "zwö" }];
    const result = await edited({ mark: [], encode: utf8 }, file, { edits });
    assert(!(result instanceof ToolError), String(result));
    assertEquals(result.bytes, Uint8Array.from([...head, ...utf8("1\r\nzwö\r\n"), ...tail]));
  }
});

Deno.test("replace_text is String.replaceAll, on any text of one kind of line ends", async () => {
  const random = new Random(34);
  for (let round = 0; round < 2000; round++) {
    const text = random.text(30, ["a", "b", "aa", "\n", "é", "$&", "🦕"]);
    const old = random.text(3, ["a", "b", "\n", "é"]) || "a";
    const now = random.text(3, ["a", "c", "\n", "$&", "$1", ""]);
    if (old === now) continue;
    for (const end of ["\n", "\r\n"]) {
      const file = text.replaceAll("\n", end);
      const memory = createMemory({ files: { "a.txt": file }, limits: { write: 1_000_000 } });
      const args = { path: "a.txt", old, new: now };
      const count = text.split(old).length - 1;
      try {
        const shown = await call(replaceText, args, memory, { preview: true });
        assertEquals(shown.occurrences, count);
        const output = await call(replaceText, args, memory);
        assertEquals(output.replaced, count);
        const expected = text.replaceAll(old, () => now);
        const kept = text.includes("\n") ? end : "\n";
        const written = memory.nodes.get("a.txt");
        const result = written instanceof Uint8Array ? new TextDecoder().decode(written) : written;
        assertEquals(result, expected.replaceAll("\n", kept), JSON.stringify({ file, old, now }));
      } catch (error) {
        assert(error instanceof ToolError && error.code === "TEXT_NOT_FOUND", String(error));
        assertEquals(count, 0);
      }
    }
  }
});

Deno.test("whole content keeps lines that stay, and is what was sent but for line ends", async () => {
  const random = new Random(35);
  for (let round = 0; round < 2000; round++) {
    const encoding = random.pick(ENCODINGS);
    const text = random.text(15, ["a", "b", "\n", "\r\n", "word\n", "word\r\n"]);
    const content = random.text(10, ["a", "b", "\n", "word\n", "new\n"]);
    const result = await edited(encoding, bytesOf(encoding, text), { content });
    if (text === "" && encoding.label === undefined && encoding.mark.length === 0) continue;
    assert(!(result instanceof ToolError), String(result));
    const decoder = new TextDecoder(
      encoding.label ??
        (encoding.mark[0] === 0xff ? "utf-16le" : encoding.mark[0] === 0xfe ? "utf-16be" : "utf-8"),
    );
    const written = decoder.decode(result.bytes);
    assertEquals(written.replaceAll("\r\n", "\n"), content);
    assertEquals(result.bytes.subarray(0, encoding.mark.length), Uint8Array.from(encoding.mark));
    if (content === text.replaceAll("\r\n", "\n")) assertEquals(written, text);
    if (!text.includes("\r\n")) assertEquals(written, content);
    if (text.includes("\n") && !/(?<!\r)\n/.test(text)) {
      assertEquals(written, content.replaceAll("\n", "\r\n"));
    }
  }
});
