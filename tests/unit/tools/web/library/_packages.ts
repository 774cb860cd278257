/** Packages made in the test, and registries that answer from a table. */

import { crc32, deflateRawSync, gzipSync } from "node:zlib";
import type { WebAnswer, WebRequest } from "../../../../../src/core/network.ts";

const utf8 = new TextEncoder();

/** Where a policy says that registries are. */
export const REGISTRIES = {
  registries: {
    npm: "https://npm.example.org",
    pypi: "https://pypi.example.org",
    crates: "https://crates.example.org",
    go: "https://go.example.org",
  },
} as const;

/** Text or bytes by path. */
export type Files = Readonly<Record<string, string | Uint8Array>>;

/** One entry of a tar; `type` as ustar has it. */
export function tarEntry(
  name: string,
  body: Uint8Array,
  { type = "0", size = body.length }: { readonly type?: string; readonly size?: number } = {},
): Uint8Array {
  const head = new Uint8Array(512);
  const put = (at: number, text: string) => head.set(utf8.encode(text), at);
  put(0, name);
  put(100, "0000644\0");
  put(124, size.toString(8).padStart(11, "0"));
  put(156, type);
  put(257, "ustar\x0000");
  put(148, "        ");
  put(148, `${head.reduce((sum, byte) => sum + byte, 0).toString(8).padStart(6, "0")}\0 `);
  const whole = new Uint8Array(512 + Math.ceil(body.length / 512) * 512);
  whole.set(head);
  whole.set(body, 512);
  return whole;
}

/** A tar, packed by gzip. */
export function tarball(files: Files): Uint8Array {
  return packed(Object.entries(files).map(([name, body]) => tarEntry(name, bytesOf(body))));
}

/** Entries as they are, with the end of a tar. */
export function packed(entries: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(gzipSync(joined([...entries, new Uint8Array(1024)])));
}

/** A zip. `lie`: what the directory says of each, in place of what is so. */
export function zip(
  files: Files,
  lie: { readonly size?: number; readonly method?: number } = {},
): Uint8Array {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let at = 0;
  for (const [name, content] of Object.entries(files)) {
    const body = bytesOf(content);
    const data = new Uint8Array(deflateRawSync(body));
    const path = utf8.encode(name);
    const fields = (head: DataView, start: number) => {
      head.setUint16(start + 4, lie.method ?? 8, true);
      head.setUint32(start + 10, crc32(body), true);
      head.setUint32(start + 14, data.length, true);
      head.setUint32(start + 18, lie.size ?? body.length, true);
      head.setUint16(start + 22, path.length, true);
    };
    const local = new DataView(new ArrayBuffer(30));
    local.setUint32(0, 0x04034b50, true);
    fields(local, 4);
    const entry = new DataView(new ArrayBuffer(46));
    entry.setUint32(0, 0x02014b50, true);
    fields(entry, 6);
    entry.setUint32(42, at, true);
    parts.push(new Uint8Array(local.buffer), path, data);
    directory.push(new Uint8Array(entry.buffer), path);
    at += 30 + path.length + data.length;
  }
  const listed = joined(directory);
  const end = new DataView(new ArrayBuffer(22));
  end.setUint32(0, 0x06054b50, true);
  end.setUint16(10, Object.keys(files).length, true);
  end.setUint32(12, listed.length, true);
  end.setUint32(16, at, true);
  return joined([...parts, listed, new Uint8Array(end.buffer)]);
}

/** What servers answer, by address; what is not there is 404. */
export type Answers = Readonly<Record<string, unknown>>;

/** The network of a call, and what it was asked. */
export function registryOf(answers: Answers, more: Partial<WebAnswer> = {}) {
  const asked: WebRequest[] = [];
  const fetch = (request: WebRequest): Promise<WebAnswer> => {
    asked.push(request);
    const found = answers[request.url];
    if (found instanceof Error) return Promise.reject(found);
    return Promise.resolve({
      status: found === undefined ? 404 : 200,
      url: request.url,
      redirects: [],
      headers: {},
      body: found instanceof Uint8Array
        ? found
        : utf8.encode(typeof found === "string" ? found : JSON.stringify(found ?? {})),
      truncated: false,
      fromCache: false,
      ...more,
    });
  };
  return { fetch, asked, urls: () => asked.map(({ url }) => url) };
}

/** As npm writes the digest of a package. */
export async function integrity(bytes: Uint8Array): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-512", bytes.slice());
  return `sha512-${new Uint8Array(hash).toBase64()}`;
}

export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

function bytesOf(content: string | Uint8Array): Uint8Array {
  return typeof content === "string" ? utf8.encode(content) : content;
}
