/** Options among arguments. */

/**
 * Whether an option stands among the arguments: long ones also shortened, as getopt_long(3) takes them, single
 * letters also within a cluster, words (`-exec`) whole or with `=`. Arguments after `--` count too: better
 * asked once too often.
 */
export function hasOption(argv: readonly string[], option: string): boolean {
  return argv.some((argument, index) => {
    if (index === 0 || !argument.startsWith("-")) return false;
    if (argument.startsWith("--")) {
      const equals = argument.indexOf("=");
      const name = equals === -1 ? argument : argument.slice(0, equals);
      return name.length > 2 && option.startsWith(name);
    }
    if (option.startsWith("--")) return false;
    if (option.length === 2) return argument.includes(option[1]!);
    return argument === option || argument.startsWith(`${option}=`);
  });
}
