import { assert, assertEquals, assertThrows } from "@std/assert";
import { isEscapedName, nameBytes, nameText, shownName } from "../../../src/core/name_text.ts";
import { Random } from "../../random.ts";

const encoder = new TextEncoder();

Deno.test("text is itself", () => {
  for (
    const text of ["", "a.txt", "grün", "日本", "😀", "\ufffd", "\ufeffa", 'a\n"b\\', "\u{10ffff}"]
  ) {
    assertEquals(nameText(encoder.encode(text)), text);
    assertEquals(nameBytes(text), encoder.encode(text));
    assertEquals([isEscapedName(text), shownName(text)], [false, text]);
  }
});

// As `bytes.decode("utf-8", "surrogateescape")` of Python 3.11 has them.
const ODD: readonly (readonly [bytes: readonly number[], text: string, shown: string])[] = [
  [[0xff], "\udcff", "\\xff"],
  [[0x63, 0x61, 0x66, 0xe9, 0x2e], "caf\udce9.", "caf\\xe9."],
  [[0xc3, 0xa9, 0xe9], "é\udce9", "é\\xe9"],
  // Cut short.
  [[0xe2, 0x82, 0x2e], "\udce2\udc82.", "\\xe2\\x82."],
  [[0xf0, 0x9f, 0x98], "\udcf0\udc9f\udc98", "\\xf0\\x9f\\x98"],
  // Longer than they need be: `/`, `.` and NUL.
  [
    [0xc0, 0xaf, 0xc0, 0xae, 0xc0, 0x80],
    "\udcc0\udcaf\udcc0\udcae\udcc0\udc80",
    "\\xc0\\xaf\\xc0\\xae\\xc0\\x80",
  ],
  [[0xe0, 0x80, 0xae], "\udce0\udc80\udcae", "\\xe0\\x80\\xae"],
  // Halves of surrogate pairs, alone, both, and the very escapes.
  [[0xed, 0xa0, 0x80], "\udced\udca0\udc80", "\\xed\\xa0\\x80"],
  [
    [0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80],
    "\udced\udca0\udcbd\udced\udcb8\udc80",
    "\\xed\\xa0\\xbd\\xed\\xb8\\x80",
  ],
  [[0xed, 0xb3, 0xbf], "\udced\udcb3\udcbf", "\\xed\\xb3\\xbf"],
  // Above U+10FFFF.
  [[0xf4, 0x90, 0x80, 0x80], "\udcf4\udc90\udc80\udc80", "\\xf4\\x90\\x80\\x80"],
  // Behind a pair.
  [[0xf0, 0x9f, 0x98, 0x80, 0x80], "😀\udc80", "😀\\x80"],
  [[0xef, 0xbf, 0xbd, 0xbd], "\ufffd\udcbd", "\ufffd\\xbd"],
];

Deno.test("bytes that are no UTF-8 stand for themselves", () => {
  for (const [bytes, text, shown] of ODD) {
    const name = Uint8Array.from(bytes);
    assertEquals(nameText(name), text);
    assertEquals(nameBytes(text), name);
    assertEquals([isEscapedName(text), shownName(text)], [true, shown]);
  }
});

Deno.test("what is the text of no name becomes none", () => {
  for (
    const text of [
      "\ud800",
      "a\udbff.txt",
      "\udc00",
      "\udc7f",
      "\udd00",
      "\udfff",
      // Second texts of "é", "a", "/" and "😀".
      "\udcc3\udca9",
      "\udc61",
      "\udc2f",
      "\udcf0\udc9f\udc98\udc80",
      "x\udce2\udc82\udcac",
      "\udcff\ud800",
    ]
  ) {
    assertThrows(() => nameBytes(text), TypeError);
    assert(isEscapedName(text));
    assert(shownName(text).isWellFormed());
  }
});

Deno.test("any bytes come back, no two as one text, and what is shown is UTF-8", () => {
  const random = new Random(383);
  const pool = [
    0x2e,
    0x2f,
    0x41,
    0x80,
    0x9f,
    0xa0,
    0xa9,
    0xbd,
    0xbf,
    0xc0,
    0xc3,
    0xe0,
    0xe2,
    0xed,
    0xef,
    0xf0,
    0xf4,
    0xff,
  ];
  const seen = new Map<string, string>();
  let odd = 0;
  for (let round = 0; round < 30_000; round++) {
    const bytes = Uint8Array.from({ length: random.below(7) }, () => random.pick(pool));
    const text = nameText(bytes);
    assertEquals(nameBytes(text), bytes);
    const key = bytes.join();
    assertEquals(seen.get(text) ?? key, key);
    seen.set(text, key);
    assert(shownName(text).isWellFormed());
    if (isEscapedName(text)) odd++;
    // What rules part a path by is what the kernel does.
    assertEquals(
      text.split("/"),
      key.split(",").join(" ").split("47").map((part) =>
        nameText(Uint8Array.from(part.split(" ").filter((byte) => byte !== "").map(Number)))
      ),
    );
  }
  assert(odd > 10_000, `${odd}`);
});

Deno.test("any text becomes the bytes of the one name that it is the text of, or none", () => {
  const random = new Random(38);
  const pool = [
    "a",
    "/",
    "é",
    "😀",
    "\ud83d",
    "\ude00",
    "\udc80",
    "\udca9",
    "\udcc3",
    "\udce2",
    "\udc82",
    "\udcac",
    "\udcff",
    "\ufffd",
  ];
  let none = 0;
  for (let round = 0; round < 30_000; round++) {
    const text = Array.from({ length: random.below(6) }, () => random.pick(pool)).join("");
    let bytes: Uint8Array | null = null;
    try {
      bytes = nameBytes(text);
    } catch (error) {
      assert(error instanceof TypeError);
      none++;
    }
    if (bytes !== null) assertEquals(nameText(bytes), text);
  }
  assert(none > 5_000 && none < 25_000, `${none}`);
});
