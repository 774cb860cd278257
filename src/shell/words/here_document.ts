/** Here-documents (POSIX, 2.7.4): read where the line that names them ends, plain or with expansions. */

import type { HereDoc } from "unbash";
import type { Redirection, Word } from "../../core/plan.ts";
import type { Scanner } from "./scanner.ts";
import { Parts, type WordContext } from "./parts.ts";
import { readQuotedPiece } from "./word.ts";
import { Refused } from "../_constructs.ts";

/** How a body is read: a scanner of its own, and what its expansions take from around it. */
export type OpenBody = (
  start: number,
  end: number,
) => { readonly scanner: Scanner; readonly context: WordContext };

/** A plain delimiter, or one in quotes as a whole: then the body is plain. */
const DELIMITER = /^(?:([A-Za-z0-9_.+-]+)|'([^'\n]+)'|"([^"$`\\\n]+)"|\\([A-Za-z0-9_.+-]+))$/;

/**
 * The redirection of the document at the scanner, which stands behind `<<`. Its text is known once the scanner has
 * passed the end of this line.
 */
export function hereDocument(
  parsed: HereDoc,
  descriptor: number,
  scanner: Scanner,
  open: OpenBody,
): Redirection {
  const { delimiter: written, body, closing } = parsed;
  scanner.skipBlanks();
  if (written === undefined) throw new Refused("heredoc", parsed.pos);
  scanner.mustBeAt(written.pos);
  const found = DELIMITER.exec(scanner.source.slice(written.pos, written.end));
  if (found === null) throw new Refused("dialect", written.pos);
  const [, plain, ...quoted] = found;
  const delimiter = plain ?? quoted.find((one) => one !== undefined) ?? "";
  scanner.at = written.end;
  const stripTabs = parsed.operator === "<<-";
  const redirection: {
    kind: "text";
    descriptor: number;
    text: Word;
    warning?: { readonly line: number; readonly text: string };
  } = {
    kind: "text",
    descriptor,
    text: [],
  };
  scanner.await({
    delimiter,
    stripTabs,
    index: parsed.pos,
    found({ start, end, unclosed }) {
      const closes = unclosed === undefined
        ? closing !== undefined && closing.pos >= end
        : closing === undefined;
      const agrees = written.value === delimiter && written.quoted === (plain === undefined) &&
        closes && body.pos === start;
      if (!agrees) throw new Refused("dialect", parsed.pos);
      if (unclosed !== undefined) {
        redirection.warning = {
          line: scanner.lineAt(scanner.source.length),
          text: `warning: here-document at line ${unclosed} delimited by end-of-file ` +
            `(wanted \`${delimiter}')`,
        };
      }
      redirection.text = plain === undefined
        ? plainBody(scanner.source.slice(start, end), stripTabs)
        : expandedBody(open(start, end), stripTabs);
      const endless = unclosed !== undefined && end > start && scanner.source[end - 1] !== "\n";
      if (endless) redirection.text = [...redirection.text, { kind: "text", text: "\n" }];
    },
  });
  return redirection;
}

function plainBody(text: string, stripTabs: boolean): Word {
  const stripped = stripTabs ? text.replaceAll(/^\t+/gm, "") : text;
  return stripped === "" ? [] : [{ kind: "text", text: stripped }];
}

function expandedBody(
  { scanner, context }: ReturnType<OpenBody>,
  stripTabs: boolean,
): Word {
  const parts = new Parts();
  let lineStart = true;
  while (scanner.at < scanner.end) {
    if (lineStart && stripTabs && scanner.character === "\t") {
      scanner.at++;
      continue;
    }
    lineStart = scanner.character === "\n";
    readQuotedPiece(scanner, context, parts, "");
  }
  return parts.done();
}
