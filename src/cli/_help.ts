/** Help texts, from the tables of commands and flags. */

import { ERROR_CODES } from "../core/errors.ts";
import { COMMANDS } from "./commands.ts";
import { EXAMPLES, EXIT_STATUSES } from "./examples.ts";
import { FLAGS } from "./flags.ts";
import { protocolLines } from "./reference/protocol_text.ts";
import { wrap } from "./render/plain_text.ts";
import { NO_SCREEN, type Screen } from "./render/screen.ts";
import { type Style, styleOf } from "./render/style.ts";

/** How a text is laid out: `columns` null for as long lines as it has. */
interface Layout {
  readonly columns: number | null;
  readonly style: Style;
}

/** Narrower than this a second column would be unreadable: what it holds goes below. */
const MIN_RIGHT = 24;

const OPENING = "toolgate: runs an agent's tool requests under a policy, and nothing else";

const CLOSING = [
  "Without --policy: /etc/toolgate/policy.yaml where it is there, else the built-in policy.",
  "toolgate help COMMAND says more, with examples; toolgate call TOOL --help what a tool takes.",
];

/** The text for a command, or for all where none (or none that exists) is named. */
export function helpText(command: string | undefined, screen: Screen = NO_SCREEN): string {
  const layout = { columns: screen.columns, style: styleOf(screen) };
  const known = command !== undefined && Object.hasOwn(COMMANDS, command)
    ? COMMANDS[command]
    : undefined;
  return known === undefined || command === undefined
    ? overview(layout)
    : ofCommand(command, known, layout);
}

function overview(layout: Layout): string {
  const { heading } = layout.style;
  return [
    ...wrap(OPENING, layout.columns ?? Infinity),
    "",
    `${heading("usage:")} toolgate COMMAND [ARGUMENTS] [FLAGS]`,
    "",
    heading("commands:"),
    ...columns(Object.values(COMMANDS).map(({ usage, help }) => [usage, help]), layout),
    "",
    heading("flags (anywhere on the line):"),
    ...flagLines(undefined, layout),
    "",
    ...CLOSING.flatMap((line) => wrap(line, layout.columns ?? Infinity)),
  ].join("\n");
}

function ofCommand(
  name: string,
  { usage, help }: { usage: string; help: string },
  layout: Layout,
): string {
  const { heading } = layout.style;
  const examples = Object.hasOwn(EXAMPLES, name) ? EXAMPLES[name] ?? [] : [];
  return [
    ...usageLines(`toolgate ${usage} [FLAGS]`, layout),
    "",
    ...wrap(`${help}.`, layout.columns ?? Infinity),
    "",
    heading("flags:"),
    ...flagLines(name, layout),
    ...(examples.length === 0
      ? []
      : ["", heading("examples:"), ...examples.map((example) => `  ${example}`)]),
    ...(name === "serve" ? ["", ...protocol(layout)] : []),
    ...(name === "call" ? ["", heading("exit status:"), ...statusLines()] : []),
  ].join("\n");
}

/** With what goes on below the beginning. */
function usageLines(text: string, { columns, style: { heading } }: Layout): readonly string[] {
  const title = "usage:";
  const pad = " ".repeat(title.length);
  return wrap(text, Math.max(1, (columns ?? Infinity) - title.length - 1))
    .map((line, index) => `${index === 0 ? heading(title) : pad} ${line}`);
}

function protocol({ columns, style: { heading } }: Layout): readonly string[] {
  return protocolLines(heading, (text, indent) => {
    const pad = " ".repeat(indent);
    return wrap(text, Math.max(MIN_RIGHT, (columns ?? Infinity) - indent - 2))
      .map((line, index) => index === 0 ? pad + line : `${pad}  ${line}`);
  });
}

function statusLines(): readonly string[] {
  return EXIT_STATUSES.map(([status, meaning]) => {
    const codes = Object.values(ERROR_CODES).filter((value) => value === status).length;
    const counted = codes > 0 ? ` (${codes} ${codes === 1 ? "code" : "codes"})` : "";
    return `  ${String(status).padEnd(4)}${meaning}${counted}`;
  });
}

/** Those of one command first, then those of all; without a command, those of all. */
function flagLines(command: string | undefined, layout: Layout): readonly string[] {
  const own = FLAGS.filter(({ commands }) => command !== undefined && commands?.includes(command));
  const common = FLAGS.filter(({ commands }) => commands === undefined);
  return columns(
    [...own, ...common].map(({ name, value, environment, help }) => [
      `--${name}${value === undefined ? "" : ` ${value}`}`,
      help + (environment === undefined ? "" : ` [${environment}]`),
    ]),
    layout,
  );
}

function columns(
  rows: readonly (readonly [string, string])[],
  { columns, style }: Layout,
): readonly string[] {
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  if (columns === null) return rows.map(([left, right]) => `  ${left.padEnd(width)}${right}`);
  const beside = columns - width - 2;
  if (beside < MIN_RIGHT) {
    return rows.flatMap(([left, right]) => [
      ...wrap(left, Math.max(1, columns - 2)).map((line) => `  ${style.heading(line)}`),
      ...wrap(right, Math.max(1, columns - 6)).map((line) => `      ${line}`),
    ]);
  }
  return rows.flatMap(([left, right]) =>
    wrap(right, beside).map((line, index) =>
      index === 0
        ? `  ${style.heading(left)}${" ".repeat(width - left.length)}${line}`
        : `${" ".repeat(width + 2)}${line}`
    )
  );
}
