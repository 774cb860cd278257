/** The files that a new custom tool starts from. They pass `plugin check` and `plugin test` as they are. */

/** What lies beside each other: a manifest and its cases, by file name. */
export function scaffold(name: string): Readonly<Record<string, string>> {
  return {
    [`${name}.yaml`]: manifest(name),
    [casesFileOf(`${name}.yaml`)]: cases,
  };
}

/** The cases that lie beside a manifest. */
export function casesFileOf(manifestFile: string): string {
  return `${manifestFile.replace(/\.ya?ml$/, "")}.cases.yaml`;
}

/** The manifests that cases may lie beside; none where the file is no file of cases by its name. */
export function manifestFilesOf(casesFile: string): readonly string[] {
  const stem = casesFile.replace(/\.cases\.ya?ml$/, "");
  return stem === casesFile ? [] : [`${stem}.yaml`, `${stem}.yml`];
}

function manifest(name: string): string {
  return `# A custom tool: one command, wrapped. A policy names this file: plugins: [./${name}.yaml]
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
