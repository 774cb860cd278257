/** Reads redirections (POSIX, 2.7; bash(1), REDIRECTION). */

import type { HereDocBody, Redirection as ParsedRedirection, Word as ParsedWord } from "unbash";
import type { Redirection, Word } from "../core/plan.ts";
import { hereDocument, type OpenBody } from "./words/here_document.ts";
import { ARGUMENT, VALUE, type WordKind } from "./words/parts.ts";
import type { Scanner } from "./words/scanner.ts";
import { Refused } from "./_constructs.ts";

/** What reading a redirection takes from the walk through the line. */
export interface RedirectionReading {
  readonly scanner: Scanner;
  readonly onDialect: () => void;
  readonly readWord: (parsed: ParsedWord, kind: WordKind) => Word;
  readonly openBody: (body: HereDocBody, ...range: Parameters<OpenBody>) => ReturnType<OpenBody>;
}

const FILES = {
  "<": "read",
  ">": "write",
  ">|": "write",
  ">>": "append",
  "<>": "read-write",
} as const;

/** A redirection at the scanner, as one or (`&>`) two. */
export function readRedirection(
  parsed: ParsedRedirection,
  reading: RedirectionReading,
): readonly Redirection[] {
  const { scanner, onDialect, readWord, openBody } = reading;
  scanner.mustBeAt(parsed.pos);
  const { descriptor: written } = parsed;
  if (written?.type === "FileDescriptorVariable") throw new Refused("descriptor", parsed.pos);
  if (written !== undefined) scanner.expect(String(written.value));
  scanner.expect(parsed.operator);
  const input = parsed.operator.startsWith("<");
  const descriptor = written?.value ?? (input ? 0 : 1);
  if (descriptor > 9) throw new Refused("descriptor", parsed.pos);
  if (parsed.type === "HereDoc") {
    return [
      hereDocument(parsed, descriptor, scanner, (start, end) => openBody(parsed.body, start, end)),
    ];
  }
  scanner.skipBlanks();
  const { target } = parsed;
  if (target === undefined) throw new Refused("syntax", parsed.pos);
  if (parsed.type === "HereString") {
    onDialect();
    const text = readWord(target, { ...VALUE, tilde: false });
    // It ends in a newline of its own.
    return [{ kind: "text", descriptor, text: [...text, { kind: "text", text: "\n" }] }];
  }
  const { operator } = parsed;
  if (operator === "&>" || operator === "&>>") {
    onDialect();
    return both(operator === "&>" ? "write" : "append", readWord(target, ARGUMENT));
  }
  const word = readWord(target, ARGUMENT);
  if (operator !== ">&" && operator !== "<&") {
    const standard = wholeText(word);
    const device = /^\/dev\/(?:fd\/([0-9])|stdin|stdout|stderr)$/.exec(standard ?? "");
    if (device !== null) {
      const from = device[1] ?? String(["stdin", "stdout", "stderr"].indexOf(standard!.slice(5)));
      return [{ kind: "duplicate", descriptor, from: Number(from), named: true }];
    }
    return [{
      ...{ kind: FILES[operator], descriptor, target: word },
      ...(standard === null ? { written: scanner.source.slice(target.pos, target.end) } : {}),
    }];
  }
  const text = scanner.source.slice(target.pos, target.end);
  if (text === "-") return [{ kind: "close", descriptor }];
  if (/^[0-9]+$/.test(text)) {
    if (!/^[0-9]$/.test(text)) throw new Refused("descriptor", target.pos);
    return [{ kind: "duplicate", descriptor, from: Number(text) }];
  }
  const plain = operator === ">&" && written === undefined &&
    word.every((part) => part.kind === "text") && !/^[0-9-]/.test(text);
  if (!plain) throw new Refused("redirection", parsed.pos);
  onDialect();
  return both("write", word);
}

function wholeText(word: Word): string | null {
  return word.every((part) => part.kind === "text")
    ? word.map((part) => part.kind === "text" ? part.text : "").join("")
    : null;
}

/** Output and errors into one file. */
function both(kind: "write" | "append", target: Word): readonly Redirection[] {
  return [
    { kind, descriptor: 1, target },
    { kind: "duplicate", descriptor: 2, from: 1 },
  ];
}
