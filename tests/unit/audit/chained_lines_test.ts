import { assert, assertEquals } from "@std/assert";
import { ChainedLines } from "../../../src/audit/_chained_lines.ts";
import { type AuditEntry, type ChainHead, START } from "../../../src/audit/record.ts";
import { verifyChain } from "../../../src/audit/verify.ts";
import { sha256 } from "../../../src/core/sha256.ts";
import { Random } from "../../random.ts";

const PIECES = ["a", '"', "\\", "\n", "\x00", "\x1f", "\x7f", "ä", "\u2028", "\u{1f995}", "\ud800"];

/** The line as it has always been made: from the text of the whole. */
function lineOf(entry: AuditEntry, before: ChainHead): string {
  const json = JSON.stringify(entry).replaceAll(
    /[\x7f-\uffff]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  const body = `{"sequence":${before.sequence + 1},"previous":"${before.hash}",${
    json.slice(1, -1)
  }`;
  return `${body},"hash":"${sha256(body)}"}\n`;
}

function entryOf(random: Random, length: number): AuditEntry {
  const text = () => random.text(length, random.once(3) ? PIECES : ["a", "b/", ".ts"]);
  return {
    kind: "decision",
    time: "1970-01-01T00:00:00.000Z",
    call: text(),
    agent: "root",
    tool: text(),
    description: text(),
    args: { [text()]: [text(), 1.5, null, true, { deep: text() }] },
    capabilities: [{ kind: "fs.read", path: text() }],
    effect: "allow",
    rule: null,
    risk: "safe",
    preview: false,
  };
}

Deno.test("lines are ASCII, whole and chained, whatever the entries hold and however long they are", () => {
  const random = new Random(23);
  const lines = new ChainedLines();
  const decoder = new TextDecoder();
  const all: string[] = [];
  let head = START;
  for (let i = 0; i < 600; i++) {
    const lead = random.once(5) ? "\n" : "";
    lines.begin(lead);
    let expected = lead;
    for (let count = random.below(4); count >= 0; count--) {
      const entry = entryOf(random, i % 50 === 0 ? 20_000 : 20);
      expected += lineOf(entry, head);
      head = lines.add(entry, head);
    }
    const text = decoder.decode(lines.bytes);
    assertEquals(text, expected);
    assert(/^[\n\x20-\x7e]*$/.test(text));
    all.push(...expected.trim().split("\n"));
  }
  const { problems, head: found } = verifyChain([{ file: "log", lines: all, ended: true }]);
  assertEquals(problems, []);
  assertEquals(found, head);
});
