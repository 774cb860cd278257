/** Addresses in whatever spelling are the addresses that they are: made from numbers, and read by a table of its own. */

import { assertEquals } from "@std/assert";
import { hostOf, isSpecialAddress } from "../../../../src/policy/match/addresses.ts";
import { Random } from "../../../random.ts";

/** First and last of each range that is not plainly public (IANA's registries; RFC 5771, 3879), as numbers. */
const SPECIAL_FOUR: readonly (readonly [number, number])[] = [
  [0x00000000, 0x00ffffff],
  [0x0a000000, 0x0affffff],
  [0x64400000, 0x647fffff],
  [0x7f000000, 0x7fffffff],
  [0xa9fe0000, 0xa9feffff],
  [0xac100000, 0xac1fffff],
  [0xc0000000, 0xc00000ff],
  [0xc0000200, 0xc00002ff],
  [0xc01fc400, 0xc01fc4ff],
  [0xc034c100, 0xc034c1ff],
  [0xc0586300, 0xc05863ff],
  [0xc0a80000, 0xc0a8ffff],
  [0xc0af3000, 0xc0af30ff],
  [0xc6120000, 0xc613ffff],
  [0xc6336400, 0xc63364ff],
  [0xcb007100, 0xcb0071ff],
  [0xe0000000, 0xffffffff],
];

/** Prefix of an IPv6 address and its bits: what is no plain public one, mapped and tunnelled ones among them. */
const SPECIAL_SIX: readonly (readonly [bigint, number])[] = [
  [0n, 96],
  [0xffffn << 32n, 96],
  [0xffff0000n << 32n, 96],
  [0x0064ff9bn << 96n, 96],
  [0x0064ff9b0001n << 80n, 48],
  [0x0100n << 112n, 64],
  [0x2001n << 112n, 23],
  [0x20010db8n << 96n, 32],
  [0x2002n << 112n, 16],
  [0x3fffn << 112n, 20],
  [0x5f00n << 112n, 16],
  [0xfcn << 120n, 7],
  [0xfe8n << 116n, 10],
  [0xfecn << 116n, 10],
  [0xffn << 120n, 8],
];

const isSpecialFour = (address: number) =>
  SPECIAL_FOUR.some(([first, last]) => address >= first && address <= last);
const isSpecialSix = (address: bigint) =>
  SPECIAL_SIX.some(([prefix, bits]) => (address ^ prefix) >> BigInt(128 - bits) === 0n);

/** One number of an address as inet_aton(3) reads it. */
function part(random: Random, value: number): string {
  const zeros = "0".repeat(random.below(4));
  const digits = value.toString(16);
  switch (random.below(4)) {
    case 0:
      return `0${zeros}${value.toString(8)}`;
    case 1:
      return `0${random.pick(["x", "X"])}${zeros}${random.once(2) ? digits.toUpperCase() : digits}`;
    default:
      return String(value);
  }
}

/** One to four parts, of which the last takes what is left. */
function spellFour(random: Random, address: number): string {
  const count = 1 + random.below(4);
  const parts = Array.from({ length: count - 1 }, (_, at) => (address >>> (24 - 8 * at)) & 0xff);
  const rest = address % 2 ** (8 * (5 - count));
  const dot = random.once(4) ? "." : "";
  return [...parts, rest].map((value) => part(random, value)).join(".") + dot;
}

function spellSix(random: Random, address: bigint): string {
  const groups = Array.from(
    { length: 8 },
    (_, at) => Number((address >> BigInt(112 - 16 * at)) & 0xffffn),
  );
  const shown = groups.map((group) => {
    const digits = group.toString(16).padStart(random.below(5), "0");
    return random.once(2) ? digits.toUpperCase() : digits;
  });
  if (random.once(2)) {
    const [high = 0, low = 0] = groups.slice(6);
    shown.splice(6, 2, [high >> 8, high & 0xff, low >> 8, low & 0xff].join("."));
  }
  // Any run of zeros may stand as "::", not the longest alone.
  const zero = groups.findIndex((group, at) => group === 0 && at < 6 && random.once(2));
  let end = zero;
  while (zero !== -1 && end < 6 && groups[end] === 0 && (end === zero || !random.once(4))) end++;
  const text = zero === -1
    ? shown.join(":")
    : `${shown.slice(0, zero).join(":")}::${shown.slice(end).join(":")}`;
  return random.once(2) ? `[${text}]` : text;
}

const word = (random: Random) => random.below(2 ** 16) * 2 ** 16 + random.below(2 ** 16);

Deno.test("fuzz: addresses of IPv4 in odd spellings are judged as the numbers that they are", () => {
  const random = new Random(17);
  const counts = { special: 0, plain: 0 };
  for (let run = 0; run < 20_000; run++) {
    const [first, last] = random.pick(SPECIAL_FOUR);
    const near = random.pick([first, last]) + random.below(5) - 2;
    const address = random.once(3) ? word(random) : Math.min(Math.max(near, 0), 2 ** 32 - 1);
    const spelling = spellFour(random, address);
    const host = hostOf(spelling);
    const plain = [24, 16, 8, 0].map((by) => (address >>> by) & 0xff).join(".");
    assertEquals(host, { text: plain, address: true }, spelling);
    const special = isSpecialFour(address);
    assertEquals(host !== null && isSpecialAddress(host), special, `${spelling}, ${plain}`);
    counts[special ? "special" : "plain"]++;
  }
  assertEquals(Object.values(counts).every((count) => count > 3000), true, JSON.stringify(counts));
});

Deno.test("fuzz: addresses of IPv6 in odd spellings are judged as the numbers that they are", () => {
  const random = new Random(1717);
  const counts = { special: 0, plain: 0 };
  const bits = (count: number) => {
    let value = 0n;
    for (let at = 0; at < 4; at++) value = value << 32n | BigInt(word(random));
    return value & ((1n << BigInt(count)) - 1n);
  };
  for (let run = 0; run < 20_000; run++) {
    const [prefix, length] = random.pick(SPECIAL_SIX);
    const rest = random.once(2) ? bits(128 - length) : bits(Math.min(34, 128 - length));
    const flipped = random.once(2) ? 1n << BigInt(127 - random.below(length)) : 0n;
    const address = random.once(4) ? bits(128) : (prefix | rest) ^ flipped;
    const spelling = spellSix(random, address);
    const host = hostOf(spelling);
    assertEquals(host?.address, true, spelling);
    const special = isSpecialSix(address);
    assertEquals(host !== null && isSpecialAddress(host), special, `${spelling}, ${host?.text}`);
    counts[special ? "special" : "plain"]++;
  }
  assertEquals(Object.values(counts).every((count) => count > 3000), true, JSON.stringify(counts));
});

Deno.test("fuzz: hosts that are taken as they stand are what the URL standard makes of them", () => {
  const random = new Random(19);
  const pieces = [
    "a",
    "z9",
    "0",
    "1",
    "12",
    "255",
    "256",
    "0x1",
    "08",
    "xn",
    "-",
    "--",
    ".",
    ".",
    ".",
  ];
  const counts = { same: 0, other: 0, none: 0 };
  for (let run = 0; run < 20_000; run++) {
    const written = random.text(9, pieces);
    const url = URL.parse(`http://${written}/`);
    const text = url?.hostname.replace(/\.$/, "") ?? "";
    const isHost = written !== "" && !text.split(".").includes("");
    const address = /^[0-9]+(?:\.[0-9]+){3}$/.test(text);
    assertEquals(hostOf(written), isHost ? { text, address } : null, written);
    counts[!isHost ? "none" : text === written ? "same" : "other"]++;
  }
  assertEquals(Object.values(counts).every((count) => count > 500), true, JSON.stringify(counts));
});
