/** What a WebAssembly module that is linked into another's memory wants of it. */

/** Bytes of memory and their alignment, and places in the table of functions. */
export interface Linking {
  readonly memorySize: number;
  readonly memoryAlign: number;
  readonly tableSize: number;
}

/** The section's name, and the number of the part in it that says this (WebAssembly tool-conventions, DynamicLinking). */
const SECTION = "dylink.0";
const MEMORY_INFO = 1;

/** Throws Error for a module that is not made to be linked. */
export function linkingOf(module: WebAssembly.Module): Linking {
  const [section] = WebAssembly.Module.customSections(module, SECTION);
  if (section === undefined) throw new Error(`a grammar without ${SECTION}`);
  const bytes = new Uint8Array(section);
  let at = 0;
  const number = (): number => {
    let value = 0;
    for (let shift = 0;; shift += 7) {
      const byte = bytes[at++] ?? 0;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
  };
  while (at < bytes.length) {
    const kind = number();
    const end = number() + at;
    if (kind === MEMORY_INFO) {
      return { memorySize: number(), memoryAlign: 2 ** number(), tableSize: number() };
    }
    at = end;
  }
  throw new Error(`a grammar whose ${SECTION} says nothing of its memory`);
}
