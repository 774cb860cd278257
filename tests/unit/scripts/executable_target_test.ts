import { assertEquals } from "@std/assert";
import { executableTarget } from "../../../scripts/_executable_target.ts";

function header(bytes: Readonly<Record<number, number>>): Uint8Array {
  const start = new Uint8Array(64);
  for (const [at, byte] of Object.entries(bytes)) start[Number(at)] = byte;
  return start;
}

const elf = { 0: 0x7f, 1: 0x45, 2: 0x4c, 3: 0x46 };
const macho = { 0: 0xcf, 1: 0xfa, 2: 0xed, 3: 0xfe, 7: 0x01 };
const cases: [string, Uint8Array, string | null][] = [
  ["ELF for x86-64", header({ ...elf, 18: 62 }), "x86_64-unknown-linux-gnu"],
  ["ELF for ARM64", header({ ...elf, 18: 183 }), "aarch64-unknown-linux-gnu"],
  ["ELF for RISC-V", header({ ...elf, 18: 243 }), null],
  ["Mach-O for x86-64", header({ ...macho, 4: 0x07 }), "x86_64-apple-darwin"],
  ["Mach-O for ARM64", header({ ...macho, 4: 0x0c }), "aarch64-apple-darwin"],
  ["PE", header({ 0: 0x4d, 1: 0x5a }), "x86_64-pc-windows-msvc"],
  ["a shell script", new TextEncoder().encode("#!/bin/sh\n".padEnd(80)), null],
  ["too few bytes", header({ ...elf, 18: 62 }).subarray(0, 20), null],
  ["no bytes", new Uint8Array(), null],
];

for (const [name, start, expected] of cases) {
  Deno.test(`executableTarget() of ${name}: ${expected}`, () => {
    assertEquals(executableTarget(start), expected);
  });
}

Deno.test("executableTarget() of the running Deno is its own target", () => {
  const start = new Uint8Array(4096);
  using file = Deno.openSync(Deno.execPath());
  file.readSync(start);
  assertEquals(executableTarget(start), Deno.build.target);
});
