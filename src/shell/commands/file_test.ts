/** Tests of files (bash(1), CONDITIONAL EXPRESSIONS), as what they are judged for. */

const FILE = /^-(?:[abcdefghkprsuwxGLNOS]|nt|ot|ef)$/;

/** Whether the operator of a test looks at the file that its operand names. */
export function looksAtFiles(operator: string): boolean {
  return FILE.test(operator);
}

/** The command that looks at it, too; null where nothing is named. */
export function fileTest(path: string | null): readonly string[] | null {
  return path === null || path === "" ? null : ["test", "-e", path];
}
