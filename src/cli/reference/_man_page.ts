/** The reference as a manual page, in the macros of man(7). */

import { ERROR_CODES, type ErrorCode } from "../../core/errors.ts";
import type { ToolDescription } from "../../core/tool.ts";
import { EXAMPLES, EXIT_STATUSES } from "../examples.ts";
import { callLine } from "./call_line.ts";
import { errorMeaning } from "./_error_reference.ts";
import { membersOf, type ReferenceSource } from "./reference.ts";

/** The manual page, in the macros of man(7). */
export function toManPage({ version, tools, commands, flags }: ReferenceSource): string {
  return [
    `.TH TOOLGATE 1 "" ${quoted(`toolgate ${version}`)} "User Commands"`,
    ".SH NAME",
    "toolgate \\- runs an agent's tool requests under a policy, and nothing else",
    ".SH SYNOPSIS",
    ".B toolgate",
    ".I COMMAND",
    "[ARGUMENTS] [FLAGS]",
    ".SH DESCRIPTION",
    words(
      "Toolgate stands between an agent and a machine. Each request names a tool; a policy decides it; " +
        "the tool runs with no more power than the decision granted; one JSON result comes back.",
    ),
    ".SH COMMANDS",
    ...Object.values(commands).flatMap(({ usage, help }) => entry(usage, `${help}.`)),
    ".SH OPTIONS",
    "Options may stand anywhere on the line.",
    ...flags.flatMap(({ name, value, help, commands: of }) =>
      entry(
        `--${name}${value === undefined ? "" : ` ${value}`}`,
        `${help}.${of === undefined ? "" : ` Of ${of.join(" and ")}.`}`,
      )
    ),
    ".SH ENVIRONMENT",
    ...flags.flatMap(({ name, environment }) =>
      environment === undefined ? [] : entry(environment, `As --${name}, where that is not given.`)
    ),
    ...entry("NO_COLOR", "No colours on the terminal, where it is not empty."),
    ...entry("COLUMNS", "The width of tables, instead of the terminal's own."),
    ".SH TOOLS",
    ...tools.flatMap(toolSection),
    ".SH EXIT STATUS",
    ...EXIT_STATUSES.flatMap(([status, meaning]) => entry(String(status), `${meaning}.`)),
    ".SH ERRORS",
    ...(Object.keys(ERROR_CODES) as ErrorCode[]).flatMap((code) =>
      entry(`${code} (${ERROR_CODES[code]})`, errorMeaning(code))
    ),
    ".SH EXAMPLES",
    ...literal(Object.values(EXAMPLES).flat()),
    ".SH FILES",
    ...entry("/etc/toolgate/policy.yaml", "The policy, where none is named."),
  ].join("\n");
}

function toolSection(tool: ToolDescription): readonly string[] {
  const { name, aliases, description, risk, permission, input, examples } = tool;
  const also = aliases.length === 0 ? "" : ` Also ${aliases.join(", ")}.`;
  const needs = permission === null ? "" : ` Permission ${permission}.`;
  return [
    `.SS ${words(name)}`,
    words(description),
    ".PP",
    words(`Risk ${risk}.${needs}${also}`),
    ...membersOf(input).flatMap((member) => {
      const need = member.required ? ", required" : "";
      const standard = member.default === null ? "" : `, ${member.default} unless given`;
      return entry(member.path, `${member.type}${need}${standard}. ${member.description}`);
    }),
    ...(examples.length === 0
      ? []
      : [".PP", ...literal(examples.map(({ args }) => callLine(tool, args)))]),
  ];
}

/** A term in bold and what it means. */
function entry(term: string, meaning: string): readonly string[] {
  return [".TP", `.B ${words(term)}`, words(meaning)];
}

/** Lines as they are, indented. */
function literal(lines: readonly string[]): readonly string[] {
  return [".RS 4", ".nf", ...lines.map(words), ".fi", ".RE"];
}

/**
 * Text on one line that means itself: roff reads backslashes, a dot or an apostrophe at the beginning of a line, and
 * takes a plain hyphen for one of a word's, which nobody can paste into a shell.
 */
function words(text: string): string {
  return text
    .replaceAll(/\s+/g, " ")
    .replaceAll("\\", "\\(rs")
    .replaceAll("-", "\\-")
    // By code point: not every formatter is told what the page is encoded in (groff_char(7)).
    .replaceAll(/[^\0-\x7f]/gu, (character) => `\\[u${codeOf(character)}]`)
    .replace(/^(?=[.'])/, "\\&");
}

function quoted(text: string): string {
  return `"${words(text).replaceAll('"', "\\(dq")}"`;
}

/** Hexadecimal digits of a character, four at least. */
function codeOf(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
}
