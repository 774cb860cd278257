/** Servers that do every wrong thing, and those that do right beside them. */

import type { Behaviour } from "./_wire.ts";

/** An answer with this head and body, and then the end of the connection. */
const says = (head: string, body: string | Uint8Array = ""): Behaviour => async ({ send }) => {
  await send(head.replaceAll("\n", "\r\n") + "\r\n\r\n");
  await send(body);
};
const raw = (text: string): Behaviour => ({ send }) => send(text);
/** Something every few milliseconds, for as long as somebody is there. */
const dripping = (text: string, drop: string): Behaviour => async ({ send }) => {
  await send(text);
  for (;;) {
    await send(drop);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};
const holding = (text: string): Behaviour => async ({ send, hold }) => {
  await send(text);
  await hold();
};
const OK = "HTTP/1.1 200 OK";
const PROTOCOL = "NETWORK_ERROR protocol";
const COMPRESSION = "NETWORK_ERROR compression";
const LENGTH = "NETWORK_ERROR length";
const NOTHING = "NETWORK_ERROR no answer";

async function packed(text: string, format: CompressionFormat): Promise<Uint8Array> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream(format));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
const GZIPPED = await packed("hello", "gzip");
const DEFLATED = await packed("hello", "deflate");
const THOUSAND = await packed("0".repeat(1000), "gzip");
const LONGER = await packed("0".repeat(1001), "gzip");
const BOMB = await packed("0".repeat(20_000_000), "gzip");
const BOMB_DEFLATED = await packed("0".repeat(20_000_000), "deflate");
const RAW_DEFLATED = await packed("hello", "deflate-raw");
const spoilt = GZIPPED.map((byte, index) => index > 11 ? byte ^ 0x55 : byte);

/** What the server does, and what the caller gets who takes 1,000 bytes at most. */
export const WRONG_SERVERS: readonly (readonly [string, Behaviour, string])[] = [
  // What is right.
  ["length", says(`${OK}\nContent-Length: 5`, "hello"), "200 hello"],
  ["until the end", says(OK, "hello"), "200 hello"],
  [
    "chunked",
    says(`${OK}\nTransfer-Encoding: chunked`, "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n"),
    "200 hello",
  ],
  [
    "chunks with extensions",
    says(`${OK}\nTransfer-Encoding: chunked`, "5;a=b\r\nhello\r\n0\r\n\r\n"),
    "200 hello",
  ],
  [
    "chunks with trailers",
    says(`${OK}\nTransfer-Encoding: chunked`, "5\r\nhello\r\n0\r\nA: b\r\n\r\n"),
    "200 hello",
  ],
  [
    "chunk in capitals",
    says(`${OK}\nTransfer-Encoding: Chunked`, "A\r\nhellohello\r\n000\r\n\r\n"),
    "200 hellohello",
  ],
  ["nothing", says(`${OK}\nContent-Length: 0`), "200 "],
  ["204", says("HTTP/1.1 204 No Content"), "204 "],
  ["204 with a body", says("HTTP/1.1 204 No Content\nContent-Length: 5", "hello"), "204 "],
  ["304 unasked", says("HTTP/1.1 304 Not Modified"), "304 "],
  ["404", says("HTTP/1.1 404 Not Found\nContent-Length: 2", "no"), "404 no"],
  ["500", says("HTTP/1.1 500 Oh", "broken"), "500 broken"],
  ["999", says("HTTP/1.1 999 What", "x"), "999 x"],
  ["HTTP/1.0", says("HTTP/1.0 200 OK", "old"), "200 old"],
  ["no reason", says("HTTP/1.1 200", "x"), "200 x"],
  ["empty reason", says("HTTP/1.1 200 ", "x"), "200 x"],
  ["line feeds alone", raw("HTTP/1.1 200 OK\nContent-Length: 2\n\nhi"), "200 hi"],
  ["a byte at a time", async ({ send }) => {
    for (const letter of `${OK}\r\nContent-Length: 2\r\n\r\nhi`) await send(letter);
  }, "200 hi"],
  [
    "early hints",
    raw(`HTTP/1.1 103 Early\r\nLink: </a>\r\n\r\n${OK}\r\nContent-Length: 2\r\n\r\nhi`),
    "200 hi",
  ],
  ["two hints", raw(`HTTP/1.1 100 C\r\n\r\nHTTP/1.1 102 P\r\n\r\n${OK}\r\n\r\nhi`), "200 hi"],
  ["more than its length", holding(`${OK}\r\nContent-Length: 2\r\n\r\nhi and more`), "200 hi"],
  ["two answers", raw(`${OK}\r\nContent-Length: 2\r\n\r\nhi${OK}\r\n\r\nyou`), "200 hi"],
  ["same length twice", says(`${OK}\nContent-Length: 2\nContent-Length: 2`, "hi"), "200 hi"],
  ["same length in a list", says(`${OK}\nContent-Length: 2, 2`, "hi"), "200 hi"],
  ["no blank behind the colon", says(`${OK}\nContent-Length:2`, "hi"), "200 hi"],
  ["blanks around a value", says(`${OK}\nContent-Length: \t 2 \t`, "hi"), "200 hi"],
  ["an empty header", says(`${OK}\nX:\nContent-Length: 2`, "hi"), "200 hi"],
  ["letters beyond ASCII", says(`${OK}\nX: \xe4\xff\nContent-Length: 2`, "hi"), "200 hi"],
  ["connection kept open", holding(`${OK}\r\nContent-Length: 2\r\n\r\nhi`), "200 hi"],
  [
    "chunks, kept open",
    holding(`${OK}\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n`),
    "200 hi",
  ],
  [
    "206 unasked",
    says("HTTP/1.1 206 P\nContent-Range: bytes 0-1/9\nContent-Length: 2", "hi"),
    "206 hi",
  ],
  ["205 with a body", says("HTTP/1.1 205 Reset\nContent-Length: 2", "hi"), "205 hi"],
  ["416", says("HTTP/1.1 416 R\nContent-Range: bytes */9\nContent-Length: 0"), "416 "],
  [
    "50 cookies",
    says(`${OK}\n${`Set-Cookie: ${"a".repeat(1000)}\n`.repeat(50)}X: y`, "hi"),
    "200 hi",
  ],
  [
    "chunks that line feeds end",
    says(`${OK}\nTransfer-Encoding: chunked`, "2\nhi\n0\n\n"),
    "200 hi",
  ],
  [
    "more behind the last chunk",
    says(`${OK}\nTransfer-Encoding: chunked`, "2\r\nhi\r\n0\r\n\r\njunk"),
    "200 hi",
  ],
  [
    "says that it closes, and stays",
    holding(`${OK}\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi`),
    "200 hi",
  ],
  // Limits.
  ["exactly the limit", says(OK, "x".repeat(1000)), "200 1000 bytes"],
  ["one above", says(OK, "x".repeat(1001)), "200 1000 bytes +"],
  ["far above", says(OK, "x".repeat(3_000_000)), "200 1000 bytes +"],
  [
    "a long length",
    holding(`${OK}\r\nContent-Length: 999999999999\r\n\r\n${"x".repeat(2000)}`),
    "200 1000 bytes +",
  ],
  [
    "a long chunk",
    holding(`${OK}\r\nTransfer-Encoding: chunked\r\n\r\nfffffff\r\n${"x".repeat(2000)}`),
    "200 1000 bytes +",
  ],
  ["without end", async ({ send }) => {
    await send(`${OK}\r\n\r\n`);
    for (;;) await send("x".repeat(4096));
  }, "200 1000 bytes +"],
  ["chunks without end", async ({ send }) => {
    await send(`${OK}\r\nTransfer-Encoding: chunked\r\n\r\n`);
    for (;;) await send("1\r\nx\r\n");
  }, "200 1000 bytes +"],
  ["a bomb", says(`${OK}\nContent-Encoding: gzip`, BOMB), "200 1000 bytes +"],
  ["a bomb in chunks", async ({ send }) => {
    await send(`${OK}\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n`);
    await send(`${BOMB.length.toString(16)}\r\n`);
    await send(BOMB);
    await send("\r\n0\r\n\r\n");
  }, "200 1000 bytes +"],
  ["a bomb, deflated", says(`${OK}\nContent-Encoding: deflate`, BOMB_DEFLATED), "200 1000 bytes +"],
  // Compression.
  ["gzip", says(`${OK}\nContent-Encoding: gzip`, GZIPPED), "200 hello"],
  ["x-gzip", says(`${OK}\nContent-Encoding: X-GZIP`, GZIPPED), "200 hello"],
  ["deflate", says(`${OK}\nContent-Encoding: deflate`, DEFLATED), "200 hello"],
  ["identity", says(`${OK}\nContent-Encoding: identity`, "hello"), "200 hello"],
  ["gzip of nothing at all", says(`${OK}\nContent-Encoding: gzip\nContent-Length: 0`), "200 "],
  ["gzip that is none", says(`${OK}\nContent-Encoding: gzip`, "hello"), COMPRESSION],
  ["gzip that is spoilt", says(`${OK}\nContent-Encoding: gzip`, spoilt), COMPRESSION],
  [
    "gzip that ends early",
    says(`${OK}\nContent-Encoding: gzip`, GZIPPED.slice(0, -9)),
    COMPRESSION,
  ],
  [
    "gzip without its sum",
    says(`${OK}\nContent-Encoding: gzip`, GZIPPED.slice(0, -4)),
    COMPRESSION,
  ],
  // RFC 1952, 2.2: a file is one member or several.
  [
    "gzip of two members",
    says(`${OK}\nContent-Encoding: gzip`, Uint8Array.of(...GZIPPED, ...GZIPPED)),
    "200 hellohello",
  ],
  [
    "gzip with bytes behind it",
    says(`${OK}\nContent-Encoding: gzip`, Uint8Array.of(...GZIPPED, 1, 2)),
    COMPRESSION,
  ],
  [
    "gzip with zeros behind it",
    says(`${OK}\nContent-Encoding: gzip`, Uint8Array.of(...GZIPPED, 0, 0)),
    COMPRESSION,
  ],
  [
    "deflate with bytes behind it",
    says(`${OK}\nContent-Encoding: deflate`, Uint8Array.of(...DEFLATED, 1)),
    COMPRESSION,
  ],
  ["gzip as long as is wanted", says(`${OK}\nContent-Encoding: gzip`, THOUSAND), "200 1000 bytes"],
  ["gzip a byte longer", says(`${OK}\nContent-Encoding: gzip`, LONGER), "200 1000 bytes +"],
  ["deflate that is gzip", says(`${OK}\nContent-Encoding: deflate`, GZIPPED), COMPRESSION],
  // Some servers leave the wrapper away that deflate has by RFC 9110, 8.4.1.2.
  [
    "deflate without its wrapper",
    says(`${OK}\nContent-Encoding: deflate`, RAW_DEFLATED),
    COMPRESSION,
  ],
  ["brotli, unasked", says(`${OK}\nContent-Encoding: br`, "x"), COMPRESSION],
  ["zstd, unasked", says(`${OK}\nContent-Encoding: zstd`, "x"), COMPRESSION],
  ["twice gzip", says(`${OK}\nContent-Encoding: gzip, gzip`, GZIPPED), COMPRESSION],
  [
    "two encodings",
    says(`${OK}\nContent-Encoding: gzip\nContent-Encoding: deflate`, GZIPPED),
    COMPRESSION,
  ],
  ["a nonsense encoding", says(`${OK}\nContent-Encoding: constructor`, "x"), COMPRESSION],
  // Heads that are wrong.
  ["no HTTP", raw("220 mail.example ESMTP\r\n\r\n"), PROTOCOL],
  ["HTTP/0.9", raw("<html>hello</html>\r\n\r\n"), PROTOCOL],
  ["HTTP/2", raw("HTTP/2 200 OK\r\n\r\n"), PROTOCOL],
  ["HTTP/1.2", raw("HTTP/1.2 200 OK\r\n\r\n"), PROTOCOL],
  ["small letters", raw("http/1.1 200 OK\r\n\r\n"), PROTOCOL],
  ["HTTP/2 alone", raw("\x00\x00\x12\x04\x00\x00\x00\x00\x00\n\n"), PROTOCOL],
  ["HTTP/3 by name", raw("HTTP/3 200\r\n\r\n"), PROTOCOL],
  ["a status in Arabic digits", says("HTTP/1.1 \u0662\u0660\u0660 OK"), PROTOCOL],
  ["no status", raw("HTTP/1.1 OK\r\n\r\n"), PROTOCOL],
  ["status of two digits", raw("HTTP/1.1 20 OK\r\n\r\n"), PROTOCOL],
  ["status of four digits", raw("HTTP/1.1 2000 OK\r\n\r\n"), PROTOCOL],
  ["status 000", raw("HTTP/1.1 000 OK\r\n\r\n"), PROTOCOL],
  ["negative status", raw("HTTP/1.1 -200 OK\r\n\r\n"), PROTOCOL],
  ["blank in front", raw(" HTTP/1.1 200 OK\r\n\r\n"), PROTOCOL],
  ["two blanks", raw("HTTP/1.1  200 OK\r\n\r\n"), PROTOCOL],
  ["empty line in front", raw("\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"), PROTOCOL],
  ["ssh", raw("SSH-2.0-OpenSSH_9.6\r\n\r\n"), PROTOCOL],
  ["TLS alert", raw("\x15\x03\x01\x00\x02\x02\x46\n\n"), PROTOCOL],
  ["bytes", raw("\x00\xff\xfe\n\n"), PROTOCOL],
  ["changes the protocol", says("HTTP/1.1 101 Switching\nUpgrade: x"), PROTOCOL],
  ["hints without end", raw("HTTP/1.1 100 C\r\n\r\n".repeat(50)), PROTOCOL],
  ["header without colon", says(`${OK}\nWhat`), PROTOCOL],
  ["header without name", says(`${OK}\n: x`), PROTOCOL],
  ["blank before the colon", says(`${OK}\nContent-Length : 2`, "hi"), PROTOCOL],
  ["folded header", says(`${OK}\nX: a\n b`), PROTOCOL],
  ["tab in front", says(`${OK}\n\tX: a`), PROTOCOL],
  ["NUL in a header", says(`${OK}\nX: a\x00b`), PROTOCOL],
  ["bell in a header", says(`${OK}\nX: a\x07`), PROTOCOL],
  ["CR in a header", raw(`${OK}\r\nX: a\rY: b\r\n\r\n`), PROTOCOL],
  ["DEL in a header", says(`${OK}\nX: a\x7f`), PROTOCOL],
  ["NUL in a name", says(`${OK}\nX\x00: a`), PROTOCOL],
  ["vertical tab behind a name", says(`${OK}\nContent-Length\x0b: 2`, "hi"), PROTOCOL],
  ["bracket in a name", says(`${OK}\nX[]: a`), PROTOCOL],
  ["quote in a name", says(`${OK}\n"X": a`), PROTOCOL],
  ["257 headers", says(`${OK}\n${"X: a\n".repeat(256)}Y: b`), PROTOCOL],
  ["256 headers", says(`${OK}\n${"X: a\n".repeat(255)}Y: b`, "x"), "200 x"],
  ["a head of 60 KiB", says(`${OK}\nX: ${"a".repeat(60_000)}`, "x"), "200 x"],
  ["a head of 70 KiB", says(`${OK}\nX: ${"a".repeat(70_000)}`, "x"), PROTOCOL],
  ["a head without end", async ({ send }) => {
    await send(`${OK}\r\n`);
    for (;;) await send(`X: ${"a".repeat(4000)}\r\n`);
  }, PROTOCOL],
  ["a reason of 70 KB", says(`${OK}${"K".repeat(70_000)}`, "x"), PROTOCOL],
  ["a line without end", async ({ send }) => {
    for (;;) await send("a".repeat(4000));
  }, PROTOCOL],
  // Lengths that are wrong.
  ["length of letters", says(`${OK}\nContent-Length: ten`, "x"), PROTOCOL],
  ["length below zero", says(`${OK}\nContent-Length: -1`, "x"), PROTOCOL],
  ["length of nothing", holding(`${OK}\r\nContent-Length:\r\n\r\nhi`), PROTOCOL],
  ["length of a comma", holding(`${OK}\r\nContent-Length: ,\r\n\r\nhi`), PROTOCOL],
  ["length with an underscore", says(`${OK}\nContent-Length: 1_0`, "x"), PROTOCOL],
  ["length with a blank within", says(`${OK}\nContent-Length: 1 0`, "x"), PROTOCOL],
  ["length with a plus", says(`${OK}\nContent-Length: +1`, "x"), PROTOCOL],
  ["length in hexadecimal", says(`${OK}\nContent-Length: 0x10`, "x"), PROTOCOL],
  ["length with a point", says(`${OK}\nContent-Length: 1.0`, "x"), PROTOCOL],
  ["length beyond numbers", says(`${OK}\nContent-Length: 99999999999999999999`, "x"), PROTOCOL],
  ["two lengths", says(`${OK}\nContent-Length: 1\nContent-Length: 2`, "hi"), PROTOCOL],
  ["two lengths in a list", says(`${OK}\nContent-Length: 1, 2`, "hi"), PROTOCOL],
  [
    "length and chunks",
    says(`${OK}\nContent-Length: 2\nTransfer-Encoding: chunked`, "0\r\n\r\n"),
    PROTOCOL,
  ],
  ["transfer coding of nothing", holding(`${OK}\r\nTransfer-Encoding:\r\n\r\nhi`), PROTOCOL],
  ["transfer coding identity", says(`${OK}\nTransfer-Encoding: identity`, "hi"), PROTOCOL],
  [
    "two transfer codings",
    says(`${OK}\nTransfer-Encoding: chunked\nTransfer-Encoding: x`, "0\r\n\r\n"),
    PROTOCOL,
  ],
  ["transfer coding gzip", says(`${OK}\nTransfer-Encoding: gzip`, GZIPPED), PROTOCOL],
  ["gzip, chunked", says(`${OK}\nTransfer-Encoding: gzip, chunked`, "0\r\n\r\n"), PROTOCOL],
  ["chunked twice", says(`${OK}\nTransfer-Encoding: chunked, chunked`, "0\r\n\r\n"), PROTOCOL],
  ["chunked in quotes", says(`${OK}\nTransfer-Encoding: "chunked"`, "0\r\n\r\n"), PROTOCOL],
  ["shorter than its length", says(`${OK}\nContent-Length: 10`, "hello"), LENGTH],
  ["nothing of its length", says(`${OK}\nContent-Length: 10`), LENGTH],
  ["a chunk cut short", says(`${OK}\nTransfer-Encoding: chunked`, "a\r\nhello"), LENGTH],
  ["no last chunk", says(`${OK}\nTransfer-Encoding: chunked`, "5\r\nhello\r\n"), NOTHING],
  ["no end of the trailers", says(`${OK}\nTransfer-Encoding: chunked`, "0\r\nA: b\r\n"), NOTHING],
  [
    "a chunk without length",
    says(`${OK}\nTransfer-Encoding: chunked`, "\r\nhello\r\n0\r\n\r\n"),
    PROTOCOL,
  ],
  [
    "a blank before a chunk",
    says(`${OK}\nTransfer-Encoding: chunked`, " 2\r\nhi\r\n0\r\n\r\n"),
    PROTOCOL,
  ],
  ["a chunk with an underscore", says(`${OK}\nTransfer-Encoding: chunked`, "1_0\r\nhi"), PROTOCOL],
  [
    "CR in a chunk's extension",
    says(`${OK}\nTransfer-Encoding: chunked`, '2;a="\r"\r\nhi\r\n0\r\n\r\n'),
    PROTOCOL,
  ],
  [
    "a chunk that ends without its line",
    says(`${OK}\nTransfer-Encoding: chunked`, "2\r\nhi0\r\n\r\n"),
    PROTOCOL,
  ],
  [
    "a chunk of letters",
    says(`${OK}\nTransfer-Encoding: chunked`, "zz\r\nhello\r\n0\r\n\r\n"),
    PROTOCOL,
  ],
  [
    "a chunk below zero",
    says(`${OK}\nTransfer-Encoding: chunked`, "-1\r\nhello\r\n0\r\n\r\n"),
    PROTOCOL,
  ],
  [
    "a chunk with 0x",
    says(`${OK}\nTransfer-Encoding: chunked`, "0x5\r\nhello\r\n0\r\n\r\n"),
    PROTOCOL,
  ],
  [
    "a chunk beyond numbers",
    says(`${OK}\nTransfer-Encoding: chunked`, `${"f".repeat(20)}\r\nx`),
    PROTOCOL,
  ],
  [
    "a chunk longer than it says",
    says(`${OK}\nTransfer-Encoding: chunked`, "2\r\nhello\r\n0\r\n\r\n"),
    PROTOCOL,
  ],
  [
    "a chunk's line without end",
    says(`${OK}\nTransfer-Encoding: chunked`, `5;${"a".repeat(9000)}`),
    PROTOCOL,
  ],
  [
    "trailers without end",
    says(`${OK}\nTransfer-Encoding: chunked`, `0\r\n${"A: b\r\n".repeat(20_000)}`),
    PROTOCOL,
  ],
  // Ends that come too soon.
  ["closes at once", () => {}, NOTHING],
  ["closes within the status", raw("HTTP/1.1 2"), NOTHING],
  ["closes within the head", raw(`${OK}\r\nContent-Len`), NOTHING],
  ["closes behind the head's first line", raw(`${OK}\r\n`), NOTHING],
  ["only hints", raw("HTTP/1.1 100 C\r\n\r\n"), NOTHING],
  // Servers that let wait: ended by the time of the request.
  ["says nothing", holding(""), "TIMEOUT"],
  ["a letter of a header now and then", dripping(`${OK}\r\nX: `, "a"), "TIMEOUT"],
  ["a header now and then", dripping(`${OK}\r\n`, "X: a\r\n"), "TIMEOUT"],
  [
    "a letter of the body now and then",
    dripping(`${OK}\r\nContent-Length: 900\r\n\r\n`, "a"),
    "TIMEOUT",
  ],
  [
    "a chunk now and then",
    dripping(`${OK}\r\nTransfer-Encoding: chunked\r\n\r\n`, "1\r\na\r\n"),
    "TIMEOUT",
  ],
  ["a hint now and then", dripping("", "HTTP/1.1 102 P\r\n\r\n"), PROTOCOL],
  ["stops within the head", holding(`${OK}\r\nX: a\r\n`), "TIMEOUT"],
  ["stops within the body", holding(`${OK}\r\nContent-Length: 10\r\n\r\nhello`), "TIMEOUT"],
  [
    "stops within a chunk",
    holding(`${OK}\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhe`),
    "TIMEOUT",
  ],
  ["no end without a length", holding(`${OK}\r\n\r\nhello`), "TIMEOUT"],
];
