/** Gets the Debian packages that tests run, where this is root on Debian; says what is missing elsewhere. */

import { join } from "@std/path";

/** Where programs that all users have are: what the tests let the binary see. */
export const SYSTEM_FOLDERS = ["/usr/local/bin", "/usr/bin", "/bin"];

export function hasProgram(name: string): boolean {
  return SYSTEM_FOLDERS.some((folder) => {
    try {
      return Deno.statSync(join(folder, name)).isFile;
    } catch {
      return false;
    }
  });
}

/**
 * Gets what is missing of these packages, by the program that each brings; more than one, with blanks between, where it
 * is of no use alone. Answers one sentence for each that cannot be had.
 */
export async function installPrograms(
  packages: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const missing = () => Object.entries(packages).filter(([program]) => !hasProgram(program));
  if (missing().length > 0 && hasProgram("apt-get") && Deno.uid() === 0) {
    const names = missing().flatMap(([, names]) => names.split(" "));
    const install = () =>
      runSeen(["apt-get", "install", "-y", "--no-install-recommends", ...names], {
        DEBIAN_FRONTEND: "noninteractive",
      });
    // Lists of packages may be old, or not there at all.
    if (!await install() && await runSeen(["apt-get", "update"])) await install();
  }
  return missing().map(([program, name]) =>
    `${program} is not here: tests that run it are left out; on Debian: apt-get install ${name}`
  );
}

/** Whether a program ended well; where it did not, its output goes to standard error, where people look. */
export async function runSeen(
  [program = "", ...args]: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  try {
    const { success, stdout, stderr } = await new Deno.Command(program, {
      args,
      env,
      stdin: "null",
    }).output();
    if (!success) {
      await Deno.stderr.write(stdout);
      await Deno.stderr.write(stderr);
    }
    return success;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
