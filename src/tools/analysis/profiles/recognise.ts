/** Which format bytes are, by looking at them. */

import { isObject } from "../../../core/json_value.ts";
import { ToolError } from "../../../core/errors.ts";
import { printable } from "../../../core/printable.ts";
import { isCollapsed, readCollapsed } from "./collapsed.ts";
import { isCpuProfile, readCpuProfile } from "./cpuprofile.ts";
import { tooMany } from "./failures.ts";
import type { Profile, Reading } from "./model.ts";
import { isPerfScript, readPerfScript } from "./perf_script.ts";
import { isPprof, readPprof } from "./pprof.ts";
import { isPstats, readPstats } from "./pstats.ts";
import { isSpeedscope, readSpeedscope } from "./speedscope.ts";

/** A node of a .cpuprofile has three or four: enough for 300,000 nodes. */
const MOST_CONTAINERS = 1_000_000;
const BRACE = 0x7b;
const BRACKET = 0x5b;

/** How much of the beginning is looked at. */
const LOOKED_AT = 64 * 1024;

const KNOWN =
  "known are V8 .cpuprofile, pprof, collapsed stacks, speedscope, Python's cProfile statistics " +
  "and the output of perf script";

/** What bytes of other tools begin with, and how a profile is made of them. */
const STRANGERS: readonly { readonly start: string; readonly advice: string }[] = [
  {
    start: "PERFILE2",
    advice: "this is perf.data; hand over what `perf script -i perf.data` prints",
  },
  { start: "FLR\0", advice: "this is a Java flight recording; convert it to collapsed stacks" },
  { start: "SQLite format 3", advice: "this is a database; export the profile as one of them" },
];

/** gzip's magic number (RFC 1952, 2.3.1), and the one method there is. */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 8;
}

/** Whether bytes begin as a binary profile, or as JSON. */
export function hasKnownStart(bytes: Uint8Array): boolean {
  const start = bytes.subarray(0, LOOKED_AT);
  return isGzip(start) || isPstats(start) || (!isText(start) && isPprof(start)) ||
    (isText(start) && isJson(textOf(start)));
}

/** Whether the beginning has nothing that texts do not have: control characters. */
export function isText(bytes: Uint8Array): boolean {
  const start = bytes.subarray(0, LOOKED_AT);
  return start.length > 0 &&
    start.every((byte) => byte >= 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09);
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function isJson(text: string): boolean {
  return /^\s*[{[]/.test(text);
}

/** Reads a profile that is not compressed. Throws UNKNOWN_PROFILE, RESOURCE_LIMIT. */
export function readAny(bytes: Uint8Array, reading: Reading): Profile {
  const start = bytes.subarray(0, LOOKED_AT);
  if (bytes.length === 0) throw unknown("it is empty");
  if (isPstats(start)) return readPstats(bytes, reading);
  if (isText(start)) return readText(textOf(bytes), reading);
  const beginning = String.fromCharCode(...start.subarray(0, 20));
  const stranger = STRANGERS.find((one) => beginning.startsWith(one.start));
  if (stranger !== undefined) throw unknown(stranger.advice);
  if (isPprof(start)) return readPprof(bytes, reading);
  throw unknown("it is binary, and begins as none of them");
}

function readText(text: string, reading: Reading): Profile {
  const whole = firstLines(text);
  if (isPerfScript(whole)) return readPerfScript(text, reading);
  if (isCollapsed(whole)) return readCollapsed(text, reading);
  // Last, for names of functions may begin so: `{main}`, `[native code]`.
  if (isJson(text)) return readJson(text, reading);
  throw unknown(`it begins ${JSON.stringify(printable(text.trim(), 60))}`);
}

/** Whole lines, the first of them at least: a deep stack has megabytes. */
function firstLines(text: string): readonly string[] {
  if (text.length <= LOOKED_AT) return text.split(/\r?\n/);
  const before = text.lastIndexOf("\n", LOOKED_AT);
  const end = before === -1 ? text.indexOf("\n", LOOKED_AT) : before;
  return text.slice(0, end === -1 ? text.length : end).split(/\r?\n/);
}

function readJson(text: string, reading: Reading): Profile {
  let value: unknown;
  try {
    requireFew(text, reading);
    value = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw unknown(`it begins as JSON and is none, or is cut off: ${printable(error.message, 120)}`);
  }
  if (isCpuProfile(value)) return readCpuProfile(value, reading);
  if (isSpeedscope(value)) return readSpeedscope(value, reading);
  if (isObject(value) && "traceEvents" in value || Array.isArray(value)) {
    throw unknown("it is JSON with a list of events; record a .cpuprofile in the place of a trace");
  }
  throw unknown("it is JSON without the members of a .cpuprofile or a speedscope file");
}

/**
 * Counts what opens an object or a list, before any of them is made: a list of empty lists takes forty times its
 * text. Those in names count, too; they are few.
 */
function requireFew(text: string, { checkpoint }: Reading): void {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== BRACE && code !== BRACKET) continue;
    if (++count > MOST_CONTAINERS) throw tooMany("objects and lists", MOST_CONTAINERS);
    if ((count & 0xffff) === 0) checkpoint();
  }
}

function unknown(why: string): ToolError {
  return new ToolError("UNKNOWN_PROFILE", `no known profile: ${why}; ${KNOWN}`);
}
