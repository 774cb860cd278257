/** Headings that name a part of a program, as handwritten references have them. */

/** What is said before a name, with a colon or without: `Class: Server`, `Event: 'close'`, `interface Reader`. */
const KINDS =
  "class|interface|function|method|static method|type|enum|struct|trait|macro|module|namespace|event|property|const|constant|variable";
const NAME = String.raw`[\p{ID_Start}$_@][\p{ID_Continue}$.:#@/-]{0,200}`;
const CALL = new RegExp(
  String
    .raw`^(?:(?:${KINDS})\s*:\s*|(?:${KINDS}|new|async|static)\s+)?(${NAME})(\([^\n]{0,300}\))(?:\s*(?:->|=>|→|:).{0,300})?$`,
  "iu",
);
const NAMED = new RegExp(String.raw`^(${KINDS})\s*:\s*['"]?(${NAME})['"]?$`, "iu");

/** Longer headings are sentences. */
const LONGEST = 300;

/** Null where it is a heading like others. */
export function symbolOfHeading(
  heading: string,
): { readonly name: string; readonly kind: string; readonly signature?: string } | null {
  if (heading.length > LONGEST) return null;
  const called = CALL.exec(heading);
  if (called?.[1] !== undefined) {
    const said = new RegExp(String.raw`^(${KINDS})\b`, "i").exec(heading)?.[1];
    const isSaid = said !== undefined && !heading.startsWith(called[1]);
    return {
      name: called[1],
      kind: isSaid ? said.toLowerCase() : "function",
      signature: heading.replace(/^[\w ]{1,20}:\s*/, ""),
    };
  }
  const named = NAMED.exec(heading);
  return named?.[2] === undefined || named[1] === undefined
    ? null
    : { name: named[2], kind: named[1].toLowerCase() };
}
