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
