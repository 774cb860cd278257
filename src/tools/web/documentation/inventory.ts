/** `objects.inv`: what a Sphinx project documents, and where (sphinx.util.inventory, versions 1 and 2). */

import { inflateSync } from "node:zlib";
import { ToolError } from "../../../core/errors.ts";
import { absolute, type Documentation, type DocumentedSymbol } from "./documentation.ts";

const START = "# Sphinx inventory version ";
/** A line longer than that names nothing. */
const LONGEST_LINE = 8192;

/** Whether the bytes begin as one. */
export function isInventory(bytes: Uint8Array): boolean {
  return new TextDecoder().decode(bytes.subarray(0, START.length)) === START;
}

/** `limit`: bytes that it may have unpacked. Throws SYNTAX_INVALID for a damaged one, RESOURCE_LIMIT. */
export function readInventory(bytes: Uint8Array, address: string, limit: number): Documentation {
  const { lines: head, rest } = takeLines(bytes, 1);
  const version = head[0]?.slice(START.length).trim();
  if (version !== "1" && version !== "2") throw damaged("its version is neither 1 nor 2");
  const { lines, rest: body } = takeLines(rest, version === "1" ? 2 : 3);
  const field = (name: string) =>
    lines.find((line) => line.startsWith(`# ${name}: `))?.slice(name.length + 4).trim() ?? "";
  if (version === "2" && !(lines[2] ?? "").includes("zlib")) {
    throw damaged("it does not say that it is packed by zlib");
  }
  const text = new TextDecoder().decode(version === "1" ? body : unpack(body, limit));
  const read = version === "1" ? entryOfFirst : entryOf;
  const symbols = text.split("\n").flatMap((line) => {
    const trimmed = line.trimEnd();
    return trimmed === "" || trimmed.length > LONGEST_LINE ? [] : read(trimmed, address) ?? [];
  });
  return { title: field("Project"), version: field("Version"), sections: [], symbols };
}

/**
 * `name domain:role priority location display`. Only the name may have blanks: the fields are looked for from its end
 * on, where the role has a colon and the priority is a number.
 */
function entryOf(line: string, address: string): DocumentedSymbol | null {
  const words = line.split(" ");
  for (let at = 1; at + 2 < words.length; at++) {
    const [, role] = /^[^:\s]+:(\S+)$/.exec(words[at] ?? "") ?? [];
    if (role === undefined || !/^-?\d+$/.test(words[at + 1] ?? "")) continue;
    const name = words.slice(0, at).join(" ");
    const location = words[at + 2] ?? "";
    const display = words.slice(at + 3).join(" ");
    // A `$` at the end stands for the name.
    const place = location.endsWith("$") ? location.slice(0, -1) + name : location;
    return {
      name,
      kind: role,
      ...(display === "-" || display === "" || display === name ? {} : { summary: display }),
      url: absolute(place, address),
    };
  }
  return null;
}

/** `name role location`, a module at an anchor of its own. */
function entryOfFirst(line: string, address: string): DocumentedSymbol | null {
  const [name, role, location] = line.split(/\s+/, 3);
  if (name === undefined || role === undefined || location === undefined) return null;
  const isModule = role === "mod";
  const anchor = isModule ? `module-${name}` : name;
  return {
    name,
    kind: isModule ? "module" : role,
    url: absolute(`${location}#${anchor}`, address),
  };
}

function takeLines(bytes: Uint8Array, count: number) {
  const lines: string[] = [];
  let at = 0;
  while (lines.length < count) {
    const end = bytes.indexOf(10, at);
    if (end === -1) throw damaged("it ends within its head");
    lines.push(
      new TextDecoder().decode(bytes.subarray(at, Math.min(end, at + LONGEST_LINE))).trimEnd(),
    );
    at = end + 1;
  }
  return { lines, rest: bytes.subarray(at) };
}

/** Never there whole where it is too much. */
function unpack(packed: Uint8Array, limit: number): Uint8Array {
  try {
    return inflateSync(packed, { maxOutputLength: limit });
  } catch (error) {
    if (error instanceof RangeError) {
      throw new ToolError(
        "RESOURCE_LIMIT",
        `the inventory has over ${limit} bytes when it is unpacked: limits.response`,
        { details: { limit } },
      );
    }
    throw damaged("what it holds cannot be unpacked");
  }
}

function damaged(why: string): ToolError {
  return new ToolError("SYNTAX_INVALID", `this begins as an inventory of Sphinx, but ${why}`);
}
