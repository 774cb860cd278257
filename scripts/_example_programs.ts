/** What the README's examples, its image and the binary of the other architecture are tried with. */

/** Debian packages, by the program that they bring. */
export const EXAMPLE_PROGRAMS = {
  // The compiler and the library that it needs: 80 MB.
  go: "golang-go",
  bwrap: "bubblewrap",
} as const;

/** Runs programs of arm64 elsewhere, with that machine's C library: 65 MB. */
export const EMULATOR_PROGRAMS = {
  "qemu-aarch64-static": "qemu-user-static libgcc-s1-arm64-cross",
} as const;

/** What networks and certificates of tests are made with. */
export const NETWORK_PROGRAMS = { openssl: "openssl", ip: "iproute2" } as const;

/** GNU's disassemblers of both architectures, for the launcher's bytes: what tests of the modules need. */
export const DISASSEMBLERS: Readonly<Record<string, string>> = {
  objdump: "binutils",
  ...(Deno.build.arch === "aarch64"
    ? { "x86_64-linux-gnu-objdump": "binutils-x86-64-linux-gnu" }
    : { "aarch64-linux-gnu-objdump": "binutils-aarch64-linux-gnu" }),
};
