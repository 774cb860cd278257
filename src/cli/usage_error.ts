/** A command line, an environment variable or a file that Toolgate was started with and cannot use: exit 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
