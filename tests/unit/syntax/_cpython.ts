/** The judge of Python: CPython's own parser, where a Python is there. */

/** What older grammars lack would count as disagreement. */
const OLDEST = 9;
/** Newest first; the last is whatever the machine calls its Python. */
const NAMES = ["python3.15", "python3.14", "python3.13", "python3.12", "python3"] as const;

/** Answers the minor version and the sources of its standard library: modules of its own folder, in order. */
const DESCRIBE = `
import json, pathlib, sys, sysconfig
files = sorted(pathlib.Path(sysconfig.get_path("stdlib")).glob("*.py"))
texts = [file.read_bytes().decode("utf-8", "replace") for file in files]
json.dump({"minor": sys.version_info[1], "sources": texts}, sys.stdout)
`;

/** Answers for each text whether it parses; null where the parser itself gives up. */
const JUDGE = `
import ast, json, sys, warnings
warnings.simplefilter("ignore")
def parses(text):
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    except (RecursionError, MemoryError):
        return None
    return True
json.dump([parses(text) for text in json.load(sys.stdin)], sys.stdout)
`;

export interface CPython {
  /** "3.13" */
  readonly version: string;
  readonly sources: readonly string[];
  /** All in one process. */
  judge(texts: readonly string[]): Promise<readonly (boolean | null)[]>;
}

/** Null where there is none, or one too old. */
export async function findCPython(): Promise<CPython | null> {
  for (const name of NAMES) {
    const said = await run(name, DESCRIBE, "").catch(() => null);
    if (said === null) continue;
    const { minor, sources } = JSON.parse(said) as { minor: number; sources: string[] };
    if (minor < OLDEST) continue;
    return {
      version: `3.${minor}`,
      sources,
      judge: async (texts) => JSON.parse(await run(name, JUDGE, JSON.stringify(texts))),
    };
  }
  return null;
}

async function run(program: string, code: string, input: string): Promise<string> {
  const child = new Deno.Command(program, {
    args: ["-I", "-c", code],
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const output = child.output();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input));
  await writer.close();
  const { success, stdout } = await output;
  if (!success) throw new Error(`${program} failed`);
  return new TextDecoder().decode(stdout);
}
