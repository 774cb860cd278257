/** JSON as programs print it: after other lines, or cut off where an output limit was. */

const OPENING: Readonly<Record<string, string>> = { "[": "]", "{": "}" };

/** A report is one of the first things that a program prints; each beginning costs a look at all that follows. */
const MAX_BEGINNINGS = 8;

/** The first value that begins a line with `{` or `[`; what is cut off ends with its last whole member. */
export function findJson(text: string): unknown {
  let tried = 0;
  for (const { index } of text.matchAll(/^[ \t]*[[{]/gm)) {
    if (++tried > MAX_BEGINNINGS) break;
    const value = readPartialJson(text.slice(index).trimStart());
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Each line that is a JSON object; other lines are passed over. */
export function* jsonLines(text: string): Iterable<Readonly<Record<string, unknown>>> {
  for (const line of text.split("\n")) {
    if (!line.startsWith("{") || !line.trimEnd().endsWith("}")) continue;
    try {
      yield JSON.parse(line);
    } catch {
      // Cut off, or no JSON after all.
    }
  }
}

/** The value that the text begins with; undefined where nothing whole is there. */
function readPartialJson(text: string): unknown {
  const { end } = scan(text);
  try {
    return JSON.parse(text.slice(0, end) + scan(text.slice(0, end)).open.toReversed().join(""));
  } catch {
    return undefined;
  }
}

/**
 * Where the value ends or, for one that is cut off, where its last whole member does; and the brackets that are
 * missing at the end of the text.
 */
function scan(text: string): { readonly end: number; readonly open: readonly string[] } {
  const open: string[] = [];
  let end = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    if (inString) {
      if (character === "\\") at++;
      else if (character === '"') inString = false;
      continue;
    }
    const closer = OPENING[character];
    if (character === '"') inString = true;
    else if (closer !== undefined) open.push(closer);
    else if (character === "]" || character === "}") {
      if (open.pop() !== character) break;
      end = at + 1;
      if (open.length === 0) break;
    }
  }
  return { end, open };
}

/** A member of an object; undefined of all else. */
export function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

/** A text member, "" where it is none. */
export function text(value: unknown, name: string): string {
  const found = member(value, name);
  return typeof found === "string" ? found : "";
}

/** A number that counts something, 0 where it is none. */
export function number(value: unknown, name: string): number {
  const found = member(value, name);
  return typeof found === "number" && Number.isSafeInteger(found) && found > 0 ? found : 0;
}

/** The elements of an array member, none where it is none. */
export function list(value: unknown, name: string): readonly unknown[] {
  const found = member(value, name);
  return Array.isArray(found) ? found : [];
}
