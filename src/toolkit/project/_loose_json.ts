/** JSON as compilers take it in their settings: with comments, and commas before a closing bracket. */

/** Null for what is no JSON even so. */
export function parseLoosely(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    try {
      return JSON.parse(strict(text));
    } catch {
      return null;
    }
  }
}

/** A string, a comment, or a comma that nothing follows. */
const PARTS = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[^]*?\*\/|,(?=\s*[}\]])/g;

function strict(text: string): string {
  const bare = text.replace(/^\ufeff/, "").replace(PARTS, keepStrings);
  // Comments may have stood behind a comma.
  return bare.replace(/"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])/g, keepStrings);
}

function keepStrings(part: string): string {
  return part.startsWith('"') ? part : "";
}
