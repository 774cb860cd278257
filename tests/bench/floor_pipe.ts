/**
 * Benchmark floor: NDJSON requests answered by a bare Deno program that checks nothing. It reads standard input
 * and files and runs programs asynchronously, answers in any order, and writes what has gathered at once.
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

async function answer(line: string): Promise<void> {
  const { id, tool, args } = JSON.parse(line);
  const output = args.argv === undefined
    ? { content: decoder.decode(await Deno.readFile(args.path)) }
    : await run(args.argv);
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
