/** Requests that are made to keep everybody else waiting: a ping that comes behind one of them is answered before it. */

import { assert, assertEquals } from "@std/assert";
import { Pipe, Workspace } from "../binary/toolgate.ts";

const POLICY = `version: 1
paths: [{ allow: [read, write], match: ["**"] }, { deny: [read], match: ["**/*.pem"] }]
commands: [{ allow: ["*"] }]
risk: { allow: dangerous, ask: dangerous }
`;

const LONG = 15_000_000;

interface Attack {
  readonly name: string;
  readonly lay?: (workspace: Workspace) => void;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** What it is answered; anything where it may run after all. */
  readonly code?: string;
  /** The work is long whatever is done: others have their turns while it goes on. */
  readonly long?: true;
}

/** 39 links, one through the other, each over 570 folders and back. */
function layLinks(workspace: Workspace): void {
  Deno.mkdirSync(workspace.path("src"));
  Deno.writeTextFileSync(workspace.path("src/end"), "x");
  for (let at = 0; at < 39; at++) {
    const next = at === 38 ? "end" : `l${at + 1}`;
    Deno.symlinkSync(`${"../src/".repeat(570)}${next}`, workspace.path(`src/l${at}`));
  }
}

const argv = (...words: string[]) => ({ tool: "run_command", args: { argv: words } });
const UNPARSABLE = { code: "COMMAND_UNPARSABLE" } as const;

const ATTACKS: readonly Attack[] = [
  {
    name: "a thousand paths over links that lead over tens of thousands of folders",
    lay: layLinks,
    ...argv("cat", ...Array.from({ length: 1000 }, (_, at) => `${"./".repeat(at)}src/l0`)),
    long: true,
  },
  {
    name: "the same path a thousand times",
    lay: layLinks,
    ...argv("cat", ...Array.from({ length: 1000 }, () => "src/l0")),
  },
  {
    name: "options of a program that is not known, over such links",
    lay: layLinks,
    ...argv("ls", ...Array.from({ length: 900 }, (_, at) => `--x${at}=${"./".repeat(at)}src/l0`)),
    long: true,
  },
  { name: "awk: a long text", ...argv("awk", "a|".repeat(LONG / 2)), ...UNPARSABLE },
  { name: "awk: quotes", ...argv("awk", '"'.repeat(LONG / 2)), ...UNPARSABLE },
  { name: "sed: a long text", ...argv("sed", "s/a/b/;".repeat(LONG / 8)), ...UNPARSABLE },
  { name: "python3: a long text", ...argv("python3", "-c", "x".repeat(LONG)), ...UNPARSABLE },
  { name: "a word that is all equals", ...argv("foo", "=".repeat(LONG)), ...UNPARSABLE },
  {
    name: "more words than can be judged",
    ...argv("cat", ...Array(50_000).fill("f")),
    code: "INVALID_ARGUMENTS",
  },
  {
    name: "a line of blanks",
    tool: "run_command",
    args: { command: " ".repeat(LONG) },
    ...UNPARSABLE,
  },
  {
    name: "a line of backslashes",
    tool: "run_command",
    args: { command: "\\".repeat(LONG / 2) },
    ...UNPARSABLE,
  },
  {
    name: "a path",
    tool: "read_file",
    args: { path: "a/".repeat(LONG / 2) },
    code: "INVALID_ARGUMENTS",
  },
  { name: "a tool", tool: "x".repeat(LONG), args: {}, code: "INVALID_REQUEST" },
  {
    name: "an argument that is not known",
    tool: "read_file",
    args: { path: "a", ["x".repeat(LONG)]: 1 },
    code: "INVALID_ARGUMENTS",
  },
  {
    name: "values without end",
    tool: "read_file",
    args: { path: Array(200_000).fill(0) },
    code: "INVALID_JSON",
  },
];

for (const { name, lay, tool, args, code, long } of ATTACKS) {
  Deno.test(`others are answered meanwhile: ${name}`, async () => {
    await using workspace = new Workspace({ "a.txt": "x\n" });
    lay?.(workspace);
    const pipe = new Pipe(["--policy", workspace.policy(POLICY)], { cwd: workspace.root });
    await pipe.send({ id: 1, tool, args }, { id: 2, op: "ping" });
    const first = await pipe.next();
    if (long === true) assertEquals(first?.id, 2, JSON.stringify(first).slice(0, 300));
    const said = first?.id === 2 ? await pipe.next() : first;
    assert(said !== null);
    if (code !== undefined) {
      assertEquals(said.error?.code, code, JSON.stringify(said).slice(0, 300));
    }
    assert(JSON.stringify(said).length < 200_000);
    await pipe.close();
  });
}
