/**
 * A file at which whoever opens it next stands still, by a lease on it (fcntl_locking(2), `F_SETLEASE`): so a git is in the
 * very middle of what it does for as long as a test wants it there, on a machine of any speed.
 */

import { assertEquals } from "@std/assert";

/** 1024: `F_SETLEASE`, include/uapi/linux/fcntl.h; 1: `F_WRLCK`, to be told of readers, too. */
const HOLDS = `$| = 1; $SIG{IO} = sub { print "wanted\\n" };
open F, "<", $ARGV[0] or die "$ARGV[0]: $!\\n"; fcntl F, 1024, 1 or die "lease: $!\\n"; print "held\\n";
1 while !defined sysread STDIN, $_, 1`;

/** Held until it is released, or 45 s long (`/proc/sys/fs/lease-break-time`) once somebody wants it. */
export class HeldFile implements AsyncDisposable {
  readonly #holder: Deno.ChildProcess;
  readonly #said: ReadableStreamDefaultReader<string>;

  private constructor(path: string) {
    this.#holder = new Deno.Command("perl", {
      args: ["-e", HOLDS, path],
      stdin: "piped",
      stdout: "piped",
    }).spawn();
    this.#said = this.#holder.stdout.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** Nobody has it open. */
  static async hold(path: string): Promise<HeldFile> {
    const file = new HeldFile(path);
    assertEquals((await file.#said.read()).value, "held\n", path);
    return file;
  }

  /** Resolves to true once somebody stands at it, to false where it was released before. */
  async wanted(): Promise<boolean> {
    return (await this.#said.read()).value !== undefined;
  }

  /** Who stands at it goes on. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#holder.stdin.close();
    await this.#holder.status;
    await this.#said.cancel();
  }
}
