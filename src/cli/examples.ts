/** Command lines worth imitating, and what `call` ends with: for help and the manual page. */

import { EXIT } from "../core/errors.ts";

/** By command. */
export const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  call: [
    "toolgate call read_file path=src/main.ts start_line=1 end_line=20",
    `toolgate call write_file --json '{"path": "notes.txt", "content": "hello"}'`,
    "toolgate call run_command argv=git,status --format json",
    "toolgate call write_file path=a.txt content=x --preview",
    "toolgate call read_file --help",
  ],
  serve: [
    `echo '{"id": 1, "tool": "read_file", "args": {"path": "README.md"}}' | toolgate serve`,
    "toolgate serve --policy policy.yaml --root /srv/project",
    "toolgate serve --listen unix:run/gate.sock --policy policy.yaml",
  ],
  gate: [
    "toolgate gate status --gate run/gate.sock",
    "toolgate gate token --gate run/gate.sock --agent child-1 --permissions file_read --paths 'src/**' --expires 10m --format text > token",
    "toolgate gate revoke tk_1 --gate run/gate.sock",
    "toolgate gate stop --gate run/gate.sock",
  ],
  mcp: ["toolgate mcp", "toolgate mcp --policy policy.yaml --root /srv/project --agent helper"],
  tools: [
    "toolgate tools",
    "toolgate tools show read_file",
    "toolgate tools search files",
    "toolgate tools schema --for openai --strict --agent helper",
    "toolgate tools docs > tools.md",
    "toolgate tools docs --for man > toolgate.1",
  ],
  policy: [
    "toolgate policy check policy.yaml",
    "toolgate policy explain run_command argv=git,push",
    "toolgate policy init policy.yaml",
    "toolgate policy test --policy policy.yaml      (with policy.test.yaml beside it)",
    "toolgate policy flags --policy policy.yaml",
    "toolgate policy replay --audit audit.ndjson --policy policy.yaml",
  ],
  approvals: [
    "toolgate approvals",
    "toolgate approvals approve ap_0123456789abcdef0123456789abcdef --remember",
  ],
  audit: [
    "toolgate audit show --by 'child-*' --since 10m",
    "toolgate audit verify --audit .toolgate/audit.ndjson",
    "toolgate audit stats --format json",
  ],
  plugin: [
    "toolgate plugin new word_count",
    "toolgate plugin check word_count.yaml",
    "toolgate plugin test word_count.yaml",
  ],
  doctor: ["toolgate doctor", "toolgate doctor --format json"],
  seal: [
    "toolgate seal --policy policy.yaml -o toolgate-sealed",
    "toolgate seal --policy policy.yaml -o toolgate-helper --agent helper",
  ],
  completions: [
    "source <(toolgate completions bash)",
    "toolgate completions zsh > ~/.zfunc/_toolgate",
    "toolgate completions fish > ~/.config/fish/completions/toolgate.fish",
  ],
};

/** Exit statuses of `call`, with what each means. */
export const EXIT_STATUSES: readonly (readonly [number, string])[] = [
  [EXIT.success, "success"],
  [EXIT.failed, "the tool failed"],
  [EXIT.usage, "usage, unknown tool or invalid arguments"],
  [EXIT.denied, "denied by policy"],
  [EXIT.approval, "approval required or refused"],
  [EXIT.stopped, "timed out or cancelled"],
  [EXIT.internal, "internal error"],
];
