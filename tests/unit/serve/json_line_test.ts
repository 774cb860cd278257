import { assert, assertEquals } from "@std/assert";
import { readJsonLine, readJsonSteps } from "../../../src/serve/json_line.ts";
import { Random } from "../../random.ts";

const read = (text: string) => readJsonLine(new TextEncoder().encode(text));

/** The text of a member, or what is wrong. */
function raw(text: string, name = "id"): string | null {
  const line = read(text);
  assert(line !== null, text);
  return "problem" in line ? `! ${line.problem}` : line.raw(name);
}

Deno.test("a member is found as it is written, wherever it stands", () => {
  const cases: readonly (readonly [string, string | null])[] = [
    ['{"id":1}', "1"],
    ['{ "id" : 1.0 , "a":2}', "1.0"],
    ['{"a":{"id":2},"b":[{"id":3}],"id":1e400}', "1e400"],
    ['{"id":9007199254740993,"a":"\\"id\\":7"}', "9007199254740993"],
    ['{"a":"x\\\\","id":-0}', "-0"],
    ['{"\\u0069d":"caf\\u00e9"}', '"caf\\u00e9"'],
    ['{"id":1,"id":"two"}', '"two"'],
    ['{"a":"id","b":1}', null],
    ['{"a":["id",1]}', null],
    ['{"id":{"x":[1,2]},"a":1}', '{"x":[1,2]}'],
    ["[1,2]", null],
    ['"id"', null],
    ["{}", null],
  ];
  for (const [text, expected] of cases) assertEquals(raw(text), expected, text);
});

Deno.test("U+FFFD is a letter like any other, and stands for nothing that is none", () => {
  assertEquals(raw('{"id":"\ufffd"}'), '"\ufffd"');
  const bytes = new TextEncoder().encode('{"id":"a","b":"\ufffd"}');
  bytes[7] = 0xff;
  assertEquals(readJsonLine(bytes), { problem: "the line is not UTF-8" });
  const alone = new TextEncoder().encode('{"id":"a"}');
  alone[7] = 0xff;
  assertEquals(readJsonLine(alone), { problem: "the line is not UTF-8" });
});

Deno.test("members of the elements of an array are found in their order", () => {
  const line = read('[{"id":1.0},7,[{"id":2}],"x",{"a":{"id":3}},{"id":"4"}]');
  assert(line !== null && "elements" in line);
  assertEquals(line.elements.map((one) => one.raw("id")), ["1.0", null, '"4"']);
});

Deno.test("generated: what is found is what parsing finds", () => {
  const random = new Random(91);
  const scalar = () =>
    random.pick([
      "1",
      "-0.5e3",
      '"a"',
      '"\\\\"',
      '"\\"id\\":1"',
      '"{[,"',
      "null",
      "true",
      '"é🦕"',
      '"\\u007b"',
    ]);
  const value = (depth: number): string => {
    if (depth === 0 || random.once(2)) return scalar();
    const parts = Array.from({ length: random.below(4) }, () => value(depth - 1));
    if (random.once(2)) return `[${parts.join(random.pick([",", " , "]))}]`;
    return `{${parts.map((part) => `${name()}:${part}`).join(",")}}`;
  };
  const name = () => random.pick(['"id"', '"a"', '"\\u0069d"', '"i d"', '""', '"target"']);
  for (let round = 0; round < 3_000; round++) {
    const text = `{${
      Array.from({ length: random.below(6) }, () => `${name()}:${value(3)}`).join(",")
    }}`;
    const parsed = JSON.parse(text);
    for (const wanted of ["id", "target", "a"]) {
      const found = raw(text, wanted);
      assertEquals(found === null, !Object.hasOwn(parsed, wanted), text);
      if (found !== null) assertEquals(JSON.parse(found), parsed[wanted], text);
    }
  }
});

Deno.test("generated: bytes that are no JSON are told so, and never thrown at", () => {
  const random = new Random(92);
  const pieces = ["{", "}", "[", "]", ",", ":", '"', "\\", "id", "1", " ", "é", "\n"];
  for (let round = 0; round < 5_000; round++) {
    const text = random.text(40, pieces);
    const line = read(text);
    let valid = true;
    try {
      JSON.parse(text);
    } catch {
      valid = false;
    }
    if (text.trim() === "") assertEquals(line, null);
    else assertEquals(line !== null && "value" in line, valid, text);
  }
});

Deno.test("what would take long to parse is refused before that", () => {
  for (
    const text of [
      `[${"{},".repeat(200_000)}1]`,
      `{${Array.from({ length: 120_000 }, (_, at) => `"k${at}":1`).join(",")}}`,
      "[".repeat(600) + "]".repeat(600),
      '{"a":'.repeat(600) + "1" + "}".repeat(600),
      "[".repeat(1 << 20),
    ]
  ) {
    assertEquals(/holds more than|nests deeper/.test(raw(text) ?? ""), true, text.slice(0, 40));
  }
  for (const text of [`[${"1,".repeat(90_000)}1]`, `{"a":"${"{[,".repeat(200_000)}"}`]) {
    assertEquals(raw(text), null);
  }
});

Deno.test("generated: lines with long texts are what parsing them whole makes of them", () => {
  const random = new Random(93);
  const pieces = [
    "a",
    "é",
    "🦕",
    "\ufeff",
    "\\n",
    "\\\\",
    '\\"',
    "\\u00e9",
    "\\ud83e\\udd95",
    "\\ud83e",
    "{[,:",
  ];
  const broken = ["\\u00", "\\x", "\t", '"', "\\"];
  const encoder = new TextEncoder();
  for (let round = 0; round < 60; round++) {
    const unit = random.text(12, pieces) + (random.once(6) ? random.pick(broken) : "");
    const text = `"${
      unit.repeat(Math.ceil((random.once(8) ? 2_300_000 : 20_000) / (unit.length + 1)))
    }"`;
    const line = random.pick([
      `{"id":7,"a":${text}}`,
      `{"a":[1,${text},"x"],"id": 7}`,
      `[${text},{"id":7,"b":{"c":${text}, "__proto__":${text}}},"${unit}"]`,
      `{"a":${text},"a":"x","id":7}`,
      text,
      `{${text}:1,"id":7}`,
      `{"a":${text}`,
    ]);
    let expected: unknown;
    try {
      expected = JSON.parse(line);
    } catch {
      expected = undefined;
    }
    const found = readJsonLine(encoder.encode(line));
    assert(found !== null);
    // Not by assertEquals: what differs is not to be shown.
    const value = "value" in found ? found.value : undefined;
    assert(JSON.stringify(value) === JSON.stringify(expected), line.slice(0, 300));
    if ("value" in found && line.startsWith("{") && line.includes(":7")) {
      assertEquals(found.raw("id"), "7");
    }
  }
});

Deno.test("a long text that is no UTF-8 is told so", () => {
  const bytes = new TextEncoder().encode(`{"a":"${"x".repeat(100_000)}"}`);
  bytes[70_000] = 0xff;
  assertEquals(readJsonLine(bytes), { problem: "the line is not UTF-8" });
});

Deno.test("long lines are read in many steps, whatever they are made of", () => {
  for (const text of ["\\n", "é", "\\u0000", "x", "🦕"]) {
    const line = `{"a":"${text.repeat(9_000_000 / text.length)}"}`;
    let count = 0;
    for (const _ of readJsonSteps(new TextEncoder().encode(line))) count++;
    assert(count > 8, `${text}: ${count}`);
  }
});
