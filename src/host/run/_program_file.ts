/** A program with a word of its own as one file: for who starts it by a name alone, and has no shell to take a line apart. */

import type { Program } from "../../core/capability.ts";
import type { ProcessesOptions } from "./program_options.ts";
import { grantedHook } from "./granted_programs.ts";

/** The file, and what it starts. */
export interface ProgramFile {
  readonly file: string;
  readonly program: Program;
}

/** The kernel reads so much of a script's first line (BINPRM_BUF_SIZE, linux/binfmts.h), and one blank parts it in two. */
const LONGEST = 255;

/**
 * A script whose first line names the program and its word, and that has no other: the kernel starts it, with the file's
 * own name behind. It lies where programs cannot write, and is the same one for all calls of a process. Null where the
 * call was not granted that program, where its path cannot be said there, or nothing can be made.
 */
export function programFile(
  { grant, starter, temporaryRoot }: ProcessesOptions,
  argv: readonly [string, string],
): ProgramFile | null {
  const spawn = grantedHook(grant, argv, ".");
  if (spawn === null || starter === null || temporaryRoot === null) return null;
  const { program } = spawn;
  const file = `${temporaryRoot}/${argv.join("-")}`;
  const text = `#!${program.start} ${argv[1]}\n`;
  // What git would give to a shell (run-command.c, prepare_shell_cmd) is nothing for it.
  if (!/^[\w/.:@+,-]+$/.test(file) || !/^[^\s]+$/.test(program.start) || text.length > LONGEST) {
    return null;
  }
  // The flags of a sealed build do not name the place.
  const place = { name: "write", path: temporaryRoot } as const;
  if (Deno.permissions.querySync(place).state !== "granted") return null;
  return { file: fileOf(file, text), program };
}

/** Made beside and linked to its name, so that another thread finds it whole or not at all. */
function fileOf(file: string, text: string): string {
  if (textOf(file) === text) return file;
  const made = Deno.makeTempFileSync({ dir: file.slice(0, file.lastIndexOf("/")) });
  try {
    Deno.writeTextFileSync(made, text);
    Deno.chmodSync(made, 0o500);
    Deno.renameSync(made, file);
  } catch (error) {
    Deno.removeSync(made);
    throw error;
  }
  return file;
}

function textOf(path: string): string | null {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return null;
  }
}
