/**
 * Temporary files of tests in memory. Tests make and remove hundreds of thousands of files, and a file system may make
 * that dearer with every one: ext4 without a journal goes through all inodes that were freed in the last minutes whenever
 * one is made (recently_deleted, fs/ext4/ialloc.c), which is most of what starting git in a new folder takes.
 */

/** Below it a run of all tests could be short of memory. Bytes. */
const LEAST_MEMORY = 6 * 1024 ** 3;

/** `$0` the folder, `$@` what is to run there. */
const SCRIPT = 'mount -t tmpfs -o mode=1777 toolgate-tests "$0" && exec "$@"';

/** A folder that stands for memory in each process that is started as {@linkcode inMemory} says. */
export interface MemoryFolder extends AsyncDisposable {
  readonly path: string;
}

/**
 * Null where none can be had: elsewhere than on Linux, for users who may not mount, or with little memory. Temporary
 * files then lie where they always do.
 */
export async function openMemoryFolder(): Promise<MemoryFolder | null> {
  if (Deno.build.os !== "linux" || Deno.systemMemoryInfo().available < LEAST_MEMORY) return null;
  // Short: what lies below may be a socket, whose path has 107 bytes (unix(7)).
  const path = await Deno.makeTempDir({ prefix: "tests-" });
  const folder = { path, [Symbol.asyncDispose]: () => Deno.remove(path) };
  // What is written there must be gone with the process: else it lies on the disk.
  const { program, args } = inMemory(path, "sh", ["-c", ': > "$0/here"', path]);
  const tried = await run(program, args);
  if (tried && [...Deno.readDirSync(path)].length === 0) return folder;
  await Deno.remove(path, { recursive: true });
  return null;
}

/** What runs the program with the folder in memory of its own, which ends with the last process that sees it. */
export function inMemory(
  path: string,
  program: string,
  args: readonly string[],
): { readonly program: string; readonly args: readonly string[] } {
  return { program: "unshare", args: ["--mount", "sh", "-c", SCRIPT, path, program, ...args] };
}

async function run(program: string, args: readonly string[]): Promise<boolean> {
  try {
    const command = new Deno.Command(program, {
      args: [...args],
      stdin: "null",
      stdout: "null",
      stderr: "null",
    });
    return (await command.output()).success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
