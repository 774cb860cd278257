/** Fills standard output with what goes without waiting, tells on standard error, and ends when its input does. */

import { createReadiness } from "../../../../src/host/kernel/readiness.ts";
import { openLibc } from "../../../../src/sandbox/kernel/libc.ts";

const readiness = createReadiness(openLibc());
const bytes = Uint8Array.from({ length: 4 << 20 }, (_, i) => i % 251);
const first = readiness.writeNow(bytes);
const then = readiness.writeNow(bytes.subarray(first ?? 0));
console.error(JSON.stringify({ first, then, writable: readiness.writable() }));
await Deno.stdin.read(new Uint8Array(1));
