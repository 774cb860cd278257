import { assert, assertEquals } from "@std/assert";
import { answerTo, malformed, questionOf } from "../../../../src/host/network/_name_server.ts";
import { Random } from "../../../random.ts";

/** RFC 1035, 4.1: an identity, the flags and numbers of a question, then its name, type and class. */
function query(
  name: string,
  { type = 1, of = 1, flags = 0x0100, questions = 1, after = [] as readonly number[] } = {},
): Uint8Array {
  const labels = name === "" ? [] : name.split(".");
  const written = labels.flatMap((label) => [
    label.length,
    ...Array.from(label, (letter) => letter.charCodeAt(0)),
  ]);
  return Uint8Array.of(
    ...[0xab, 0xcd, flags >> 8, flags & 255, 0, questions, 0, 0, 0, 0, 0, 0],
    ...[...written, 0, 0, type, 0, of, ...after],
  );
}

Deno.test("a question is read for its name, and whether it asks for an address", () => {
  const rows: readonly (readonly [Uint8Array, ReturnType<typeof questionOf>])[] = [
    [query("API.Example.org"), { name: "api.example.org", isAddress: true }],
    [query("a_b.c-d.e"), { name: "a_b.c-d.e", isAddress: true }],
    [query("a.b", { type: 28 }), { name: "a.b", isAddress: false }],
    [query("a.b", { of: 3 }), { name: "a.b", isAddress: false }],
    // What stands behind it is no part of it (EDNS).
    [query("a.b", { after: [0, 0, 41, 4, 176, 0, 0, 0, 0, 0, 0] }), {
      name: "a.b",
      isAddress: true,
    }],
    [query(""), { name: "", isAddress: true }],
    [query("a.b", { flags: 0x8100 }), null],
    [query("a.b", { flags: 0x2900 }), null],
    [query("a.b", { questions: 0 }), null],
    [query("a.b", { questions: 2 }), null],
    [query("a b.c"), null],
    [query("a\u0000b.c"), null],
    [query("x".repeat(64)), null],
    [query(Array.from({ length: 60 }, () => "abcd").join(".")), null],
    [query("a.b").slice(0, -1), null],
    [query("a.b").slice(0, 14), null],
    [query("a.b").slice(0, 11), null],
    // A pointer, which no question needs: to itself.
    [Uint8Array.of(...query("").slice(0, 12), 0xc0, 12, 0, 1, 0, 1), null],
  ];
  for (const [bytes, expected] of rows) assertEquals(questionOf(bytes), expected, bytes.join());
});

Deno.test("answers name the question, and an address where there is one", () => {
  const asked = query("a.b", { after: [0, 0, 41, 4, 176, 0, 0, 0, 0, 0, 0] });
  const question = questionOf(asked)!;
  const head = (code: number, answers: number) => [0xab, 0xcd, 0x81, 0x80 | code, 0, 1, 0, answers];
  const told = [1, 97, 1, 98, 0, 0, 1, 0, 1];
  assertEquals([...answerTo(asked, question, [127, 84, 72, 0])], [
    ...[...head(0, 1), 0, 0, 0, 0, ...told],
    ...[0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 127, 84, 72, 0],
  ]);
  assertEquals([...answerTo(asked, question, "none")], [...head(3, 0), 0, 0, 0, 0, ...told]);
  assertEquals([...answerTo(asked, question, "failed")], [...head(2, 0), 0, 0, 0, 0, ...told]);
  const six = query("a.b", { type: 28 });
  assertEquals([...answerTo(six, questionOf(six)!, [127, 84, 72, 0])].slice(0, 8), head(0, 0));
  assertEquals([...malformed(query("a b"))!].slice(2), [0x81, 0x81, 0, 0, 0, 0, 0, 0, 0, 0]);
  assertEquals(malformed(query("a.b", { flags: 0x2800 }))![3]! & 15, 4);
  assertEquals(malformed(new Uint8Array(5)), null);
});

Deno.test("whatever bytes come, they are answered or left, and nothing is read beyond them", () => {
  const random = new Random(7);
  const whole = query("api.example.org");
  for (let round = 0; round < 5000; round++) {
    const bytes = Uint8Array.from(whole.subarray(0, random.below(whole.length + 1)));
    for (let flips = 0; flips < 3 && bytes.length > 0; flips++) {
      bytes[random.below(bytes.length)] = random.below(256);
    }
    const question = questionOf(bytes);
    const answer = question === null
      ? malformed(bytes)
      : answerTo(bytes, question, [127, 84, 72, 1]);
    assert(answer === null ? bytes.length < 12 : answer.length <= bytes.length + 28);
  }
});
