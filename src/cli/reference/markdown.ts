/** The reference as Markdown (GitHub's, for its tables). */

import { ERROR_CODES, type ErrorCode } from "../../core/errors.ts";
import type { ToolDescription } from "../../core/tool.ts";
import { callLine } from "./call_line.ts";
import { commonErrors, errorMeaning, errorsOf } from "./_error_reference.ts";
import { protocolSection } from "./protocol_text.ts";
import { byCategory, membersOf, type ReferenceSource } from "./reference.ts";

/** The reference of the tools, for people. */
export function toMarkdown({ tools, version }: ReferenceSource): string {
  return [
    "# Tools of Toolgate",
    "",
    `Written by \`toolgate tools docs\`, version ${
      text(version)
    }, from what the tools say of themselves.`,
    "",
    ...byCategory(tools).flatMap(([category, members]) => [
      `- ${text(category)}: ${members.map(({ name }) => `[\`${name}\`](#${name})`).join(" ")}`,
    ]),
    ...byCategory(tools).flatMap(([category, members]) => categorySection(category, members)),
    "",
    ...protocolSection(table, text, code),
    "",
    "## Errors",
    "",
    `Every call can end with ${codes(commonErrors())}.`,
    "",
    ...table(
      ["code", "exit status of `call`", "when"],
      (Object.keys(ERROR_CODES) as ErrorCode[]).map((
        code,
      ) => [`\`${code}\``, String(ERROR_CODES[code]), text(errorMeaning(code))]),
    ),
  ].join("\n");
}

function categorySection(category: string, tools: readonly ToolDescription[]): readonly string[] {
  const errors = errorsOf(category);
  return [
    "",
    `## ${text(category)}`,
    ...(errors.length === 0 ? [] : ["", `Errors beside those of every call: ${codes(errors)}.`]),
    ...tools.flatMap(toolSection),
  ];
}

/** One tool, under a heading of the third level. */
export function toolSection(tool: ToolDescription): readonly string[] {
  const { name, aliases, description, risk, permission, input, output, examples } = tool;
  const facts = [
    `risk ${risk}`,
    permission === null ? "no permission needed" : `permission \`${permission}\``,
    ...(aliases.length === 0 ? [] : [`also ${aliases.map((alias) => `\`${alias}\``).join(", ")}`]),
  ];
  const members = membersOf(output);
  return [
    "",
    `### ${name}`,
    "",
    text(description),
    "",
    `${facts.join(" · ")}`,
    "",
    ...table(
      ["argument", "type", "default", "meaning"],
      membersOf(input).map((member) => [
        `\`${member.path}\`${member.required ? " (required)" : ""}`,
        code(member.type),
        member.default === null ? "" : code(member.default),
        text(member.description),
      ]),
    ),
    ...(members.length === 0 ? [] : [
      "",
      ...table(
        ["answer", "type", "meaning"],
        members.map((member) => [
          `\`${member.path}\`${member.required ? "" : " (where there is one)"}`,
          code(member.type),
          text(member.description),
        ]),
      ),
    ]),
    ...(examples.length === 0 ? [] : [
      "",
      "```sh",
      ...examples.map(({ note, args }) => `${callLine(tool, args)}  # ${note}`),
      "```",
    ]),
  ];
}

function table(
  header: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  if (rows.length === 0) return ["It takes no arguments."];
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(header), line(header.map(() => "---")), ...rows.map(line)];
}

function codes(list: readonly ErrorCode[]): string {
  return list.map((one) => `\`${one}\``).join(", ");
}

/** Text that means nothing to Markdown but itself, on one line. Within a word an underscore is one (GFM, 6.2). */
function text(words: string): string {
  return words.replaceAll(/\s+/g, " ")
    .replaceAll(/[\\|<>*`[\]]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/g, "\\$&");
}

/** A pipe ends a cell even within code, unless it is escaped. */
function code(words: string): string {
  const line = words.replaceAll(/\s+/g, " ").replaceAll("|", "\\|");
  return line.includes("`") ? text(words) : `\`${line}\``;
}
