/** Tools for people: a list of them, and what one takes, answers and is good for. */

import type { ToolDescription } from "../../core/tool.ts";
import { clip, plain, textWidth, wrap } from "../render/plain_text.ts";
import { callLine } from "../reference/call_line.ts";
import { type Member, membersOf } from "../reference/reference.ts";
import type { Screen } from "../render/screen.ts";
import { type Style, styleOf } from "../render/style.ts";

/** Narrower than this a column of sentences would be unreadable: they go below. */
const MIN_SENTENCE = 20;

/** A line each: name, category, risk and the first sentence; two where the screen is narrow. */
export function listPage(found: readonly ToolDescription[], screen: Screen): string {
  if (found.length === 0) return "no tool";
  const style = styleOf(screen);
  const widest = (values: readonly string[]) =>
    Math.max(...values.map((value) => value.length)) + 2;
  const name = widest(found.map((tool) => plain(tool.name)));
  const category = widest(found.map((tool) => tool.category));
  const risk = widest(found.map((tool) => tool.risk));
  const columns = screen.columns ?? Infinity;
  const room = columns - name - category - risk;
  return found.map((tool) => {
    const shown = plain(tool.name);
    const sentence = plain(tool.description.split(/[.:] /)[0] ?? "").replace(/\.$/, "");
    if (room < MIN_SENTENCE) {
      const below = `  ${tool.category}, ${tool.risk}: ${sentence}`;
      return `${style.heading(clip(shown, columns))}\n${clip(below, columns)}`;
    }
    const facts = tool.category.padEnd(category) + tool.risk.padEnd(risk);
    const gap = " ".repeat(name - shown.length);
    return `${style.heading(shown)}${gap}${facts}${clip(sentence, room)}`.trimEnd();
  }).join("\n");
}

/** All about one tool. */
export function toolPage(tool: ToolDescription, screen: Screen): string {
  const { name, category, risk, permission, aliases, description, input, output, examples } = tool;
  const style = styleOf(screen);
  const facts = `(${category}, ${risk}, ${permission ?? "no permission needed"})`;
  return [
    `${style.heading(plain(name))}  ${facts}`,
    ...(aliases.length > 0 ? [`also: ${plain(aliases.join(", "))}`] : []),
    "",
    ...wrap(plain(description), screen.columns ?? Infinity),
    "",
    style.heading("arguments:"),
    ...memberLines(
      membersOf(input),
      screen,
      style,
      (member) => member.required ? ", required" : "",
    ),
    "",
    style.heading("answers:"),
    ...memberLines(
      membersOf(output),
      screen,
      style,
      (member) => member.required ? "" : ", where there is one",
    ),
    ...(examples.length === 0 ? [] : [
      "",
      style.heading("examples:"),
      ...examples.flatMap(({ note, args }) => [
        `  ${style.faint(`# ${plain(note)}`)}`,
        `  ${plain(callLine(tool, args))}`,
      ]),
    ]),
  ].join("\n");
}

function memberLines(
  members: readonly Member[],
  { columns }: Screen,
  style: Style,
  need: (member: Member) => string,
): readonly string[] {
  if (members.length === 0) return ["  none"];
  return members.flatMap((member) => {
    const standard = member.default === null ? "" : `, ${member.default} unless given`;
    const path = plain(member.path);
    const says = plain(`${member.type}${need(member)}${standard}: ${member.description}`)
      .replace(/: $/, "");
    // The name and the gap behind it are one word to what parts lines at blanks.
    const name = "x".repeat(textWidth(path) + 1);
    const [first = "", ...more] = wrap(
      `${name} ${says}`,
      columns === null ? Infinity : Math.max(20, columns - 6),
    );
    return [
      `  ${style.heading(path)}  ${first.slice(name.length + 1)}`.trimEnd(),
      ...more.map((rest) => `      ${rest}`),
    ];
  });
}
