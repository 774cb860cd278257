/** Makes small tar archives and compiled binaries for tests. */

import { joinedBytes } from "../../../src/core/bytes.ts";

/** A `ustar` archive of these files. */
export function tar(files: Readonly<Record<string, Uint8Array>>): Uint8Array<ArrayBuffer> {
  const blocks: Uint8Array[] = [];
  for (const [name, content] of Object.entries(files)) {
    const header = new Uint8Array(512);
    const put = (at: number, text: string) => header.set(new TextEncoder().encode(text), at);
    put(0, name);
    put(124, content.length.toString(8).padStart(11, "0"));
    put(257, "ustar");
    const padded = new Uint8Array(Math.ceil(content.length / 512) * 512);
    padded.set(content);
    blocks.push(header, padded);
  }
  blocks.push(new Uint8Array(1024));
  return joinedBytes(blocks);
}

/** What `deno compile` would make of `base` on Linux. */
export function compiled(base: Uint8Array, appended: Uint8Array): Uint8Array<ArrayBuffer> {
  const trailer = new DataView(new ArrayBuffer(16));
  trailer.setUint32(0, 0x501e, true);
  trailer.setUint32(4, 0x2a7, true);
  trailer.setBigUint64(8, BigInt(appended.length), true);
  return joinedBytes([base, appended, new Uint8Array(trailer.buffer)]);
}

export async function gzip(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
