/** Globs over names and relative paths, matched in time bounded by the lengths of glob and path. */

/** What is wrong with a glob, without the glob itself. */
export class GlobError extends Error {
  override readonly name = "GlobError";
}

/** Whether the path (relative, `/` between its parts) matches. */
export type GlobMatcher = (path: string) => boolean;

/** Linux's PATH_MAX (`linux/limits.h`). */
const MAX_LENGTH = 4096;
/** Far more than a person writes; each costs a comparison a file. */
const MAX_ALTERNATIVES = 256;

const DEEP = Symbol("**");
type Part = GlobMatcher | typeof DEEP;

/**
 * `*`, `?`, `[a-z]`, `[!a-z]` within a name, `{a,b}`, `**` as a whole part, `\` before what is to be
 * plain. A glob without `/` is matched against the last name of the path (`*.ts` finds `src/a.ts`), any
 * other against the whole path. Names that begin with a dot are names like any other.
 * Throws {@linkcode GlobError}.
 */
export function compileGlob(glob: string): GlobMatcher {
  if (glob === "") throw new GlobError("it is empty; write ** for all");
  if (glob.length > MAX_LENGTH) throw new GlobError(`it is longer than ${MAX_LENGTH} characters`);
  const alternatives = expandBraces(glob).map((alternative): readonly Part[] => {
    const path = alternative.replace(/^(?:\.?\/)+/, "").replace(/\/$/, "/**");
    const parts = path.split("/").map(compilePart);
    return alternative.includes("/") ? parts : [DEEP, ...parts];
  });
  return (path) => {
    const names = path.split("/");
    return alternatives.some((parts) => matchesParts(parts, names));
  };
}

/** Row by row over the parts: `reached[i]` says that the first `i` names are matched. */
function matchesParts(parts: readonly Part[], names: readonly string[]): boolean {
  let reached = [true, ...names.map(() => false)];
  for (const part of parts) {
    const next = [part === DEEP && reached[0] === true];
    names.forEach((name, index) => {
      next.push(
        part === DEEP
          ? reached[index + 1] === true || next[index] === true
          : reached[index] === true && part(name),
      );
    });
    reached = next;
  }
  return reached[names.length] === true;
}

/** Innermost group first, so that nesting needs no recursion. Braces in classes and after `\` are plain. */
function expandBraces(glob: string): readonly string[] {
  const done: string[] = [];
  const open = [glob];
  for (let text = open.pop(); text !== undefined; text = open.pop()) {
    const group = innermostGroup(text);
    if (group === null) done.push(text);
    else {
      const [start, end, commas] = group;
      const bounds = [start, ...commas, end];
      const alternatives = bounds.slice(1).map((to, index) =>
        text.slice(0, start) + text.slice((bounds[index] ?? start) + 1, to) + text.slice(end + 1)
      );
      open.push(...alternatives.reverse());
    }
    if (done.length + open.length > MAX_ALTERNATIVES) {
      throw new GlobError(`its groups come to more than ${MAX_ALTERNATIVES} alternatives`);
    }
  }
  return done;
}

/** Where the first innermost `{…}` starts and ends, and its commas; null where there is none. */
function innermostGroup(text: string): readonly [number, number, readonly number[]] | null {
  let start = -1;
  let commas: number[] = [];
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case "\\":
        at++;
        break;
      case "[":
        at = classEnd(text, at);
        break;
      case "{":
        start = at;
        commas = [];
        break;
      case ",":
        commas.push(at);
        break;
      case "}":
        if (start < 0) throw new GlobError("} without its {; write \\} for the character itself");
        return [start, at, commas];
    }
  }
  if (start >= 0) throw new GlobError("{ is not closed; write \\{ for the character itself");
  return null;
}

/** Where the class that opens at `start` has its `]`. */
function classEnd(text: string, start: number): number {
  let at = start + 1;
  if (text[at] === "!" || text[at] === "^") at++;
  if (text[at] === "]") at++;
  for (; at < text.length && text[at] !== "/"; at++) {
    if (text[at] === "\\") at++;
    else if (text[at] === "]") return at;
  }
  throw new GlobError("[ is not closed; write \\[ for the character itself");
}

/**
 * One part of the path. The pieces between its stars have fixed length and are sought one after the other,
 * leftmost first, so nothing is ever tried twice.
 */
function compilePart(part: string): Part {
  if (part === "**") return DEEP;
  const pieces = splitAtStars(part);
  const [first, ...rest] = pieces;
  const last = rest.pop();
  if (first === undefined || last === undefined) return testOf(`^${first ?? ""}$`);
  const start = expression(`^${first}`, "u");
  const middle = rest.map((piece) => expression(piece, "gu"));
  const end = expression(`${last}$`, "gu");
  return (name) => {
    const begun = start.exec(name);
    if (begun === null) return false;
    let at = begun[0].length;
    for (const piece of [...middle, end]) {
      piece.lastIndex = at;
      if (!piece.test(name)) return false;
      at = piece.lastIndex;
    }
    return true;
  };
}

function testOf(source: string): GlobMatcher {
  const whole = expression(source, "u");
  return (name) => whole.test(name);
}

/** The regular expressions between the stars; none of them has a quantifier. */
function splitAtStars(part: string): readonly string[] {
  const pieces: string[] = [];
  let piece = "";
  for (let at = 0; at < part.length; at++) {
    const character = part[at] ?? "";
    switch (character) {
      case "*":
        pieces.push(piece);
        piece = "";
        break;
      case "?":
        piece += "[^]";
        break;
      case "[": {
        const end = classEnd(part, at);
        piece += classSource(part.slice(at + 1, end));
        at = end;
        break;
      }
      case "\\":
        if (at + 1 === part.length) throw new GlobError("it ends in a lone backslash");
        piece += escapeSource(part[++at] ?? "");
        break;
      default:
        piece += escapeSource(character);
    }
  }
  return [...pieces, piece];
}

function classSource(body: string): string {
  const negated = body.startsWith("!") || body.startsWith("^");
  const members = (negated ? body.slice(1) : body)
    .replaceAll(/\\(.)|[\][^]/gu, (whole, escaped) => `\\${escaped ?? whole}`)
    .replaceAll(/\\([^\][\\^-])/gu, "$1");
  return `[${negated ? "^" : ""}${members}]`;
}

function escapeSource(character: string): string {
  return /[\^$\\.*+?()[\]{}|/]/.test(character) ? `\\${character}` : character;
}

function expression(source: string, flags: string): RegExp {
  try {
    return new RegExp(source, flags);
  } catch {
    throw new GlobError(
      "a class in [] cannot be read; write [a-z], or \\[ for the character itself",
    );
  }
}
