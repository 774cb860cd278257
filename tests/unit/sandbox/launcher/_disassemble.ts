/** What GNU's disassembler makes of bytes, for comparing them with the instructions that stand beside them. */

/** GNU's disassemblers (Debian: binutils, binutils-aarch64-linux-gnu), by the name that they have on either machine. */
const DISASSEMBLERS = {
  x86_64: {
    names: ["objdump", "x86_64-linux-gnu-objdump"],
    options: ["-m", "i386:x86-64", "-M", "intel"],
  },
  aarch64: { names: ["aarch64-linux-gnu-objdump", "objdump"], options: ["-m", "aarch64"] },
} as const;

/** What the disassembler makes of the bytes: one line an instruction, blanks as one, comments taken away. */
export function disassemble(
  architecture: keyof typeof DISASSEMBLERS,
  bytes: Uint8Array,
): readonly string[] {
  const { names, options } = DISASSEMBLERS[architecture];
  const file = Deno.makeTempFileSync();
  try {
    Deno.writeFileSync(file, bytes);
    for (const name of names) {
      const args = ["-D", "-z", "-b", "binary", "--no-show-raw-insn", ...options, file];
      const output = outputOf(name, args);
      if (output !== null) return instructionsIn(output);
    }
  } finally {
    Deno.removeSync(file);
  }
  throw new Error(`none of ${names.join(", ")} is here that knows ${architecture}`);
}

function outputOf(name: string, args: readonly string[]): string | null {
  try {
    const { success, stdout } = new Deno.Command(name, { args: [...args] }).outputSync();
    return success ? new TextDecoder().decode(stdout) : null;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

function instructionsIn(output: string): readonly string[] {
  return output.split("\n").flatMap((line) => {
    const text = /^\s*[0-9a-f]+:\s+(.*)$/.exec(line)?.[1];
    return text === undefined ? [] : [
      text.replace(/\s+(?:# |\/\/ ).*$/, "").replaceAll(/\s+/g, " ").trim(),
    ];
  });
}
