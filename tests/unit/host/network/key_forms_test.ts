/** Keys are taken out of what comes back in each form that they were likely to be given, and nothing else is. */

import { assert, assertEquals } from "@std/assert";
import { KeyFilter } from "../../../../src/host/network/_key_filter.ts";
import { withoutKey } from "../../../../src/host/network/_secret.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const base64 = (text: string) => encode(text).toBase64();
const url = (text: string) => encode(text).toBase64({ alphabet: "base64url", omitPadding: true });
const each = (key: string, write: (code: number) => string) =>
  Array.from(key, (letter) => write(letter.charCodeAt(0))).join("");
const hex = (code: number) => code.toString(16).padStart(2, "0");

const KEYS = [
  "k3y-nobody-sees",
  "sk_live_4eC39HqLyjWDarjtT1zdp7dc",
  'a/b+c=d%e&f"g\\h<i>j',
  "%25%25%25%2525%25",
  "~~~???>>>///",
];

/** What a server may make of a key. */
const FORMS: readonly (readonly [string, (key: string) => string])[] = [
  ["as it is", (key) => key],
  ["for an address", encodeURIComponent],
  [
    "for an address, in lower case",
    (key) => encodeURIComponent(key).replace(/%../g, (one) => one.toLowerCase()),
  ],
  ["for an address, each letter", (key) => each(key, (code) => `%${hex(code)}`)],
  ["in JSON", (key) => JSON.stringify(key).slice(1, -1)],
  ["in JSON, slashes too", (key) => JSON.stringify(key).slice(1, -1).replaceAll("/", "\\/")],
  ["in JSON, each letter", (key) => each(key, (code) => `\\u00${hex(code).toUpperCase()}`)],
  ["in a text of C", (key) => each(key, (code) => `\\x${hex(code)}`)],
  [
    "in HTML",
    (key) =>
      key.replace(
        /[&<>"]/g,
        (one) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[one] ?? "&quot;",
      ),
  ],
  ["in HTML, by numbers", (key) => each(key, (code) => `&#${code};`)],
  ["in HTML, by hexadecimal numbers", (key) => each(key, (code) => `&#x${hex(code)};`)],
  ["in hexadecimal", (key) => encode(key).toHex()],
  ["in hexadecimal, upper case", (key) => encode(key).toHex().toUpperCase()],
];

Deno.test("a key is taken out in each form that is written letter by letter", () => {
  for (const key of KEYS) {
    for (const [name, write] of FORMS) {
      const written = write(key);
      const shown = decode(withoutKey(encode(`before ${written} after`), key));
      assertEquals(shown, `before ${"*".repeat(written.length)} after`, `${name}: ${key}`);
    }
  }
});

Deno.test("a key is taken out of base64 wherever it stands in it, but for bits of its first and last letter", () => {
  for (const key of KEYS) {
    for (const before of ["", "B", "Be", "Bearer ", "user:", "x:"]) {
      for (const after of ["", ":", "ab", "abc"]) {
        for (const write of [base64, url]) {
          const written = write(before + key + after);
          const shown = decode(withoutKey(encode(written), key));
          assertEquals(shown.length, written.length);
          // Digits that hold nothing but the key's own bits.
          const first = Math.ceil((before.length * 8) / 6);
          const end = Math.floor(((before.length + key.length) * 8) / 6);
          assertEquals(shown.slice(first, end), "*".repeat(end - first), written);
          assertEquals(
            shown.slice(0, first) + shown.slice(end),
            written.slice(0, first) + written.slice(end),
          );
        }
      }
    }
  }
});

Deno.test("what is not the key stays as it is", () => {
  // One is made of escapes: what is left of it escaped reads as it, too.
  for (const key of KEYS.filter((one) => !one.startsWith("%25"))) {
    const other = `${key.slice(0, -1)}${key.endsWith("z") ? "y" : "z"}`;
    for (const [name, write] of FORMS) {
      const text = `${write(other)} ${write(key).slice(0, -1)}`;
      assertEquals(decode(withoutKey(encode(text), key)), text, `${name}: ${key}`);
    }
  }
  // Of a key so short that it is met by chance, only letters are looked for.
  assertEquals(decode(withoutKey(encode("616263 YWJj abc %61bc"), "abc")), "616263 YWJj *** *****");
});

Deno.test("a key is taken out of a stream wherever its pieces are cut", () => {
  for (const key of KEYS) {
    const forms = [...FORMS.map(([, write]) => write(key)), base64(`user:${key}`)];
    const text = encode(forms.join("\n"));
    const whole = decode(withoutKey(text, key));
    for (const form of forms) assert(!whole.includes(form));
    for (let size = 1; size < 40; size++) {
      const filter = new KeyFilter(key);
      let shown = "";
      for (let at = 0; at < text.length; at += size) {
        shown += decode(filter.next(text.slice(at, at + size)));
      }
      assertEquals(shown + decode(filter.end()), whole, `${size}: ${key}`);
    }
  }
});
