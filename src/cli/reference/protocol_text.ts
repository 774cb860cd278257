/** The protocol of the pipe for people: on a terminal (`help serve`) and in Markdown (`tools docs`). */

import { OPERATIONS } from "./operations.ts";
import { ANSWER_FIELDS, EVENTS, PROTOCOL_RULES, type ProtocolField } from "./protocol.ts";

/** Lines for a terminal. `heading` makes a word stand out; `wrap` breaks a text after so many characters of indentation. */
export function protocolLines(
  heading: (text: string) => string,
  wrap: (text: string, indent: number) => readonly string[],
): readonly string[] {
  const fields = (list: readonly ProtocolField[]) =>
    list.flatMap(({ name, type, meaning }) => wrap(`${name} (${type}): ${meaning}`, 4));
  return [
    heading("lines:"),
    ...PROTOCOL_RULES.flatMap((rule) => wrap(rule, 2)),
    "",
    heading("requests:"),
    ...OPERATIONS.flatMap(({ op, meaning, fields: own }) => [
      ...wrap(`${op}: ${meaning}`, 2),
      ...fields(own),
    ]),
    "",
    heading("answers:"),
    ...fields(ANSWER_FIELDS),
    "",
    heading("events:"),
    ...EVENTS.flatMap(({ event, meaning, fields: own }) => [
      ...wrap(`${event}: ${meaning}`, 2),
      ...fields(own),
    ]),
    "",
    heading("one exchange:"),
    ...exchangeLines("call").map((line) => `  ${line}`),
    "",
    ...wrap("toolgate tools docs has one for every operation, and every error code.", 0),
  ];
}

/** The lines of an operation's exchange, those that go in after `>`, those that come out after `<`. */
export function exchangeLines(op: string): readonly string[] {
  const { requests, answers } = OPERATIONS.find((one) => one.op === op)?.exchange ??
    { requests: [], answers: [] };
  return [
    ...requests.map((line) => `> ${JSON.stringify(line)}`),
    ...answers.map((line) => `< ${JSON.stringify(line)}`),
  ];
}

/** The section of the Markdown reference. `table` and `text` are those of the whole page. */
export function protocolSection(
  table: (header: readonly string[], rows: readonly (readonly string[])[]) => readonly string[],
  text: (words: string) => string,
  code: (words: string) => string,
): readonly string[] {
  const fields = (list: readonly ProtocolField[]) =>
    list.length === 0 ? [] : [
      "",
      ...table(
        ["field", "type", "meaning"],
        list.map(({ name, type, meaning }) => [code(name), code(type), text(meaning)]),
      ),
    ];
  return [
    "## The pipe",
    "",
    "`toolgate serve` reads requests and writes answers and events.",
    "",
    ...PROTOCOL_RULES.map((rule) => `- ${text(rule)}`),
    "",
    "Every answer:",
    ...fields(ANSWER_FIELDS),
    ...OPERATIONS.flatMap(({ op, meaning, fields: own }) => [
      "",
      `### op: ${op}`,
      "",
      text(meaning),
      ...fields(own),
      "",
      "```",
      ...exchangeLines(op),
      "```",
    ]),
    ...EVENTS.flatMap(({ event, meaning, fields: own }) => [
      "",
      `### event: ${event}`,
      "",
      text(meaning),
      ...fields(own),
    ]),
  ];
}
