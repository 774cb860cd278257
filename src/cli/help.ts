/** Help texts, from the tables of commands and flags. */

import { ERROR_CODES, EXIT } from "../core/errors.ts";
import { FLAGS } from "./flags.ts";
import { COMMANDS } from "./commands.ts";

const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  call: [
    "toolgate call read_file path=src/main.ts start_line=1 end_line=20",
    `toolgate call write_file --json '{"path": "notes.txt", "content": "hello"}'`,
    "toolgate call run_command argv=git,status --format json",
    "toolgate call write_file path=a.txt content=x --preview",
  ],
  serve: [
    `echo '{"id": 1, "tool": "read_file", "args": {"path": "README.md"}}' | toolgate serve`,
    "toolgate serve --policy policy.yaml --root /srv/project",
  ],
  tools: ["toolgate tools", "toolgate tools show read_file", "toolgate tools search files"],
  policy: [
    "toolgate policy check --policy policy.yaml",
    "toolgate policy explain run_command argv=git,push",
    "toolgate policy init policy.yaml",
    "toolgate policy test --policy policy.yaml      (with policy.test.yaml beside it)",
    "toolgate policy flags --policy policy.yaml",
    "toolgate policy replay --audit audit.ndjson --policy policy.yaml",
  ],
  doctor: ["toolgate doctor", "toolgate doctor --format json"],
};

const STATUS: readonly (readonly [number, string])[] = [
  [EXIT.success, "success"],
  [EXIT.failed, "the tool failed"],
  [EXIT.usage, "usage, unknown tool or invalid arguments"],
  [EXIT.denied, "denied by policy"],
  [EXIT.approval, "approval required or refused"],
  [EXIT.stopped, "timed out or cancelled"],
  [EXIT.internal, "internal error"],
];

/** The text for a command, or for all where none (or none that exists) is named. */
export function helpText(command: string | undefined): string {
  const known = command !== undefined && Object.hasOwn(COMMANDS, command)
    ? COMMANDS[command]
    : undefined;
  return known === undefined || command === undefined ? overview() : ofCommand(command, known);
}

function overview(): string {
  return [
    "toolgate: runs an agent's tool requests under a policy, and nothing else",
    "",
    "usage: toolgate COMMAND [ARGUMENTS] [FLAGS]",
    "",
    "commands:",
    ...columns(Object.values(COMMANDS).map(({ usage, help }) => [usage, help])),
    "",
    "flags (anywhere on the line):",
    ...flagLines(undefined),
    "",
    "Without --policy: /etc/toolgate/policy.yaml where it is there, else the built-in policy.",
    "toolgate help COMMAND says more, with examples.",
  ].join("\n");
}

function ofCommand(name: string, { usage, help }: { usage: string; help: string }): string {
  const lines = [
    `usage: toolgate ${usage} [FLAGS]`,
    "",
    `${help}.`,
    "",
    "flags:",
    ...flagLines(name),
  ];
  const examples = EXAMPLES[name] ?? [];
  if (examples.length > 0) {
    lines.push(
      "",
      "examples:",
      ...examples.map((example) => `  ${example}`),
    );
  }
  if (name === "call") {
    lines.push(
      "",
      "exit status:",
      ...STATUS.map(([status, meaning]) => {
        const codes = Object.entries(ERROR_CODES).filter(([, value]) => value === status).length;
        return `  ${String(status).padEnd(4)}${meaning}${codes > 0 ? ` (${codes} codes)` : ""}`;
      }),
    );
  }
  return lines.join("\n");
}

function flagLines(command: string | undefined): string[] {
  const shown = FLAGS.filter(({ commands }) =>
    commands === undefined || command === undefined || commands.includes(command)
  );
  return columns(shown.map(({ name, value, environment, help }) => [
    `--${name}${value === undefined ? "" : ` ${value}`}`,
    help + (environment === undefined ? "" : ` [${environment}]`),
  ]));
}

function columns(rows: readonly (readonly string[])[]): string[] {
  const width = Math.max(...rows.map(([left = ""]) => left.length)) + 2;
  return rows.map(([left = "", right = ""]) => `  ${left.padEnd(width)}${right}`);
}
