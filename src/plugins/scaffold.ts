/** The files that a new custom tool starts from. They pass `plugin check` and `plugin test` as they are. */

/** What a new tool can be made of. */
export const PLUGIN_KINDS = ["command", "typescript", "javascript"] as const;
/** What a scaffold can be of. */
export type PluginKind = (typeof PLUGIN_KINDS)[number];

/** What lies beside each other: a manifest, its cases, and the module where it has one; by file name. */
export function scaffold(
  name: string,
  kind: PluginKind = "command",
): Readonly<Record<string, string>> {
  const file = `${name}.yaml`;
  if (kind === "command") return { [file]: manifest(name), [casesFileOf(file)]: cases };
  const module = `${name}.${kind === "typescript" ? "ts" : "js"}`;
  return {
    [file]: moduleManifest(name, module),
    [module]: kind === "typescript" ? typescript : javascript,
    [casesFileOf(file)]: moduleCases,
  };
}

/** The cases that lie beside a manifest. */
export function casesFileOf(manifestFile: string): string {
  return `${manifestFile.replace(/\.ya?ml$/, "")}.cases.yaml`;
}

/** Whether a file is one of cases, by its name. */
export function isCasesFile(file: string): boolean {
  return manifestFilesOf(file).length > 0;
}

/** The manifests that cases may lie beside; none where the file is no file of cases by its name. */
export function manifestFilesOf(casesFile: string): readonly string[] {
  const stem = casesFile.replace(/\.cases\.ya?ml$/, "");
  return stem === casesFile ? [] : [`${stem}.yaml`, `${stem}.yml`];
}

function manifest(name: string): string {
  return `# A custom tool: one command, wrapped. A policy names it: plugins: [./*.yaml]
# What the command may do is held by the policy's commands and paths, as for run_command.
version: 1
name: ${name}
description: Counts the lines of text files, or their words.
risk: safe # at least; what the command would do can only raise it
permission: file_read # the group that an agent needs

# JSON Schema: string, number, integer, boolean, array, object; enum, default, minLength, maximum, ...
parameters:
  properties:
    files:
      type: array
      items: { type: string }
      minItems: 1
      maxItems: 100
      description: The files, relative to the workspace.
    unit:
      enum: [lines, words]
      default: lines
      description: What is counted.
  required: [files]

# A word each. {name} is the text of a parameter, {name...} a word for each item of a list; {{ is a brace.
# No value can become two words, or an option: one that begins with a dash is refused unless -- stands
# before it, or the word says {-name}.
command:
  - wc
  - { when: unit, is: lines, words: [-l] }
  - { when: unit, is: words, words: [-w] }
  - --
  - "{files...}"

timeout: 10s
output: lines # or text, json, { format: json, schema: ... }
# cwd: "{folder}"    stdin: "{text}"    env: [LANG]    success: [0, 1]
examples:
  - { note: words of a file, args: { files: [README.md], unit: words } }
`;
}

const cases = `# Each case has a workspace of its own, in which these files lie.
version: 1
files:
  a.txt: |
    one two
    three
  -odd: "x\\n"
cases:
  - name: counts lines unless told otherwise
    args: { files: [a.txt] }
    argv: [wc, -l, --, a.txt]
    output: { lines: ["2 a.txt"], exit_code: 0 }
  - name: counts words
    args: { files: [a.txt], unit: words }
    output: { lines: ["3 a.txt"] }
  - name: takes a file for a file, whatever it is called
    args: { files: [-odd] }
    output: { lines: ["1 -odd"] }
  - name: fails where there is no such file
    args: { files: [none.txt] }
    code: COMMAND_FAILED
  - name: counts nothing but lines and words
    args: { files: [a.txt], unit: bytes }
    code: INVALID_ARGUMENTS
`;

function moduleManifest(name: string, module: string): string {
  return `# A custom tool: one module, in a process of its own. A policy names it: plugins: [./*.yaml]
version: 1
name: ${name}
description: Counts the lines and the words of a text file, and writes a report where it is told to.
risk: safe # at least; a call that writes counts as moderate
permission: file_read # the group that an agent needs

# JSON Schema: string, number, integer, boolean, array, object; enum, default, minLength, maximum, ...
parameters:
  properties:
    path: { type: string, minLength: 1, description: The file. }
    report: { type: string, minLength: 1, description: Where to write the counts as JSON. }
  required: [path]

# The module stands alone: one file, no imports but node: ones. Bundle what is more.
module: ./${module}

# All that it is granted, where the policy allows it to the call. {name} is a parameter ({name...} each item of a list),
# and a need whose parameter is left out is none; data/** is a folder with all below. What it may write it may read.
# No programs, no network, no environment but what env names.
needs:
  read: ["{path}"]
  write: ["{report}"]
# env: [LANG]

timeout: 10s
output: # json, or the schema of what it answers
  schema:
    type: object
    properties:
      lines: { type: integer }
      words: { type: integer }
    required: [lines, words]
examples:
  - { note: the size of a file, args: { path: README.md } }
`;
}

const typescript = `interface Args {
  readonly path: string;
  readonly report?: string;
}

interface Context {
  /** Whether it is only to show what it would do. */
  readonly preview: boolean;
  /** The variables that the manifest names in env. */
  readonly env: Readonly<Record<string, string>>;
  /** Aborted when it is to end. */
  readonly signal: AbortSignal;
}

/** What it answers is JSON; what it prints is the log of the result. Paths are relative to the workspace. */
export default async function count({ path, report }: Args, { signal }: Context): Promise<unknown> {
  const text = await Deno.readTextFile(path, { signal });
  const counts = {
    lines: text.split("\\n").length - 1,
    words: text.split(/\\s+/).filter((word) => word !== "").length,
  };
  if (report !== undefined) await Deno.writeTextFile(report, JSON.stringify(counts));
  return counts;
}

/** What a call would do: run for a preview, with nothing that it could write. */
export function preview({ path, report }: Args): unknown {
  return { counts: path, writes: report ?? null };
}
`;

const javascript =
  `/** What it answers is JSON; what it prints is the log of the result. Paths are relative to the workspace. */
export default async function count({ path, report }, { signal }) {
  const text = await Deno.readTextFile(path, { signal });
  const counts = {
    lines: text.split("\\n").length - 1,
    words: text.split(/\\s+/).filter((word) => word !== "").length,
  };
  if (report !== undefined) await Deno.writeTextFile(report, JSON.stringify(counts));
  return counts;
}

/** What a call would do: run for a preview, with nothing that it could write. */
export function preview({ path, report }) {
  return { counts: path, writes: report ?? null };
}
`;

const moduleCases = `# Each case has a workspace of its own, in which these files lie.
version: 1
files:
  a.txt: |
    one two
    three
  kept.json: "{}"
cases:
  - name: counts lines and words
    args: { path: a.txt }
    output: { value: { lines: 2, words: 3 } }
    after: { kept.json: "{}" }
  - name: writes a report where it is told to
    args: { path: a.txt, report: out/counts.json }
    output: { value: { lines: 2 } }
    after: { out/counts.json: '{"lines":2,"words":3}' }
  - name: fails where there is no such file
    args: { path: none.txt, report: out/counts.json }
    code: COMMAND_FAILED
    after: { out/counts.json: false }
  - name: takes nothing else
    args: { path: a.txt, unit: bytes }
    code: INVALID_ARGUMENTS
`;
