/**
 * Benchmark floor: NDJSON requests answered by a bare Deno program that checks nothing. It reads standard input
 * and files and runs programs asynchronously, answers in any order, and writes what has gathered at once. Where one call
 * takes hundreds of steps (sizes of a list) it takes them one after the other, which is quicker there.
 */

const decoder = new TextDecoder();
const encoder = new TextEncoder();
let answers = "";
let writing = false;

async function write(): Promise<void> {
  writing = true;
  while (answers !== "") {
    let bytes = encoder.encode(answers);
    answers = "";
    while (bytes.length > 0) bytes = bytes.subarray(await Deno.stdout.write(bytes));
  }
  writing = false;
}

async function run([program, ...args]: string[]): Promise<Record<string, unknown>> {
  const options = { args, stdin: "null", stdout: "piped", stderr: "piped" } as const;
  const { code, stdout, stderr } = await new Deno.Command(program ?? "", options).output();
  return { stdout: decoder.decode(stdout), stderr: decoder.decode(stderr), exit_code: code };
}

/** Names, types and sizes, in order. */
function list(path: string): Record<string, unknown> {
  const entries = [...Deno.readDirSync(path)].map(({ name, isFile }) => {
    const at = `${path}/${name}`;
    return { name, path: at, type: isFile ? "file" : "other", size: Deno.lstatSync(at).size };
  });
  entries.sort((a, b) => a.name < b.name ? -1 : 1);
  return { entries, total: entries.length };
}

/** One text for another in a file, written over it; `kept`: where it was before, if that is asked for. */
async function edit(
  { path, edits, create_backup: kept }: {
    readonly path: string;
    readonly edits: readonly { readonly old: string; readonly new: string }[];
    readonly create_backup: boolean;
  },
): Promise<Record<string, unknown>> {
  let text = decoder.decode(await Deno.readFile(path));
  if (kept) await Deno.copyFile(path, `${path}.bak`);
  for (const one of edits) text = text.replace(one.old, () => one.new);
  await Deno.writeFile(path, encoder.encode(text));
  return { path, bytes_written: text.length };
}

async function outputOf(
  tool: string,
  // deno-lint-ignore no-explicit-any -- whatever the line says: nothing is checked here
  args: any,
): Promise<Record<string, unknown>> {
  switch (tool) {
    case "run_command":
      return await run(args.argv);
    case "list_directory":
      return list(args.path);
    case "write_file":
      await Deno.writeFile(args.path, encoder.encode(args.content));
      return { path: args.path };
    case "edit_file":
      return await edit(args);
    default:
      return { content: decoder.decode(await Deno.readFile(args.path)) };
  }
}

async function answer(line: string): Promise<void> {
  const { id, tool, args } = JSON.parse(line);
  const output = await outputOf(tool, args);
  answers += JSON.stringify({ id, tool, success: true, output, error: null }) + "\n";
  if (!writing) void write();
}

const buffer = new Uint8Array(64 * 1024);
let rest = "";
for (;;) {
  const count = await Deno.stdin.read(buffer);
  if (count === null) break;
  const lines = (rest + decoder.decode(buffer.subarray(0, count), { stream: true })).split("\n");
  rest = lines.pop() ?? "";
  for (const line of lines) void answer(line);
}
