/** Takes one file out of a tar archive, as npm packs them (POSIX.1-1988 `ustar` headers). */

/** Headers and contents fill whole blocks of this many bytes (POSIX.1-1988, pax "ustar Interchange Format"). */
const BLOCK = 512;

/** The bytes of the file called `name`. Throws Error where there is none or the archive is cut short. */
export function tarEntry(archive: Uint8Array, name: string): Uint8Array {
  const decoder = new TextDecoder();
  const field = (at: number, size: number) =>
    decoder.decode(archive.subarray(at, at + size)).replace(/\0.*$/s, "").trim();
  for (let at = 0; at + BLOCK <= archive.length && archive[at] !== 0;) {
    const octal = field(at + 124, 12);
    if (!/^[0-7]+$/.test(octal)) {
      throw new Error(`damaged archive: no size in the header at byte ${at}`);
    }
    const size = Number.parseInt(octal, 8);
    const start = at + BLOCK;
    if (start + size > archive.length) {
      throw new Error(`damaged archive: it ends within ${field(at, 100)}`);
    }
    if (field(at, 100) === name) return archive.subarray(start, start + size);
    at = start + Math.ceil(size / BLOCK) * BLOCK;
  }
  throw new Error(`the archive holds no ${name}`);
}
