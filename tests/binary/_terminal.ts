/** A pseudo terminal: programs believe that somebody sits before it (pty(7), by the C library's own calls). */

import { assert } from "@std/assert";

const LIBC = {
  posix_openpt: { parameters: ["i32"], result: "i32" },
  grantpt: { parameters: ["i32"], result: "i32" },
  unlockpt: { parameters: ["i32"], result: "i32" },
  ptsname_r: { parameters: ["i32", "buffer", "usize"], result: "i32" },
  ioctl: { parameters: ["i32", "u64", "buffer"], result: "i32" },
  poll: { parameters: ["buffer", "u64", "i32"], result: "i32", nonblocking: true },
  read: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  write: { parameters: ["i32", "buffer", "usize"], result: "isize" },
  close: { parameters: ["i32"], result: "i32" },
} as const;

// fcntl.h, poll.h, asm-generic/ioctls.h
const O_RDWR_NOCTTY = 0o2 | 0o400;
const POLLIN = 1;
const TIOCSWINSZ = 0x5414n;

export interface TerminalOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** What a program on the terminal left on it. */
export interface Shown {
  readonly status: number;
  readonly text: string;
}

export class Terminal implements AsyncDisposable {
  readonly #libc = Deno.dlopen("libc.so.6", LIBC);
  readonly #master: number;
  readonly #path: string;
  readonly #decoder = new TextDecoder();
  #child: Deno.ChildProcess | null = null;
  #text = "";

  constructor({ columns = 80, rows = 24 }: TerminalOptions = {}) {
    const { symbols } = this.#libc;
    this.#master = symbols.posix_openpt(O_RDWR_NOCTTY);
    assert(this.#master >= 0, "no pseudo terminal is to be had");
    assert(symbols.grantpt(this.#master) === 0 && symbols.unlockpt(this.#master) === 0);
    const name = new Uint8Array(128);
    assert(symbols.ptsname_r(this.#master, name, BigInt(name.length)) === 0);
    this.#path = new TextDecoder().decode(name.subarray(0, name.indexOf(0)));
    // struct winsize (asm-generic/termios.h)
    symbols.ioctl(this.#master, TIOCSWINSZ, Uint16Array.of(rows, columns, 0, 0));
  }

  /**
   * Starts a program with all three streams on the terminal. The leader of a new session that opens one is controlled by
   * it from then on (setsid(1), tty(4)).
   */
  start(program: string, args: readonly string[], { cwd, env = {} }: TerminalOptions = {}): void {
    const onTerminal = 'exec <"$0" >"$0" 2>"$0"; exec "$@"';
    this.#child = new Deno.Command("setsid", {
      args: ["-w", "/bin/sh", "-c", onTerminal, this.#path, program, ...args],
      ...(cwd === undefined ? {} : { cwd }),
      env: { PATH: "/usr/local/bin:/usr/bin:/bin", LANG: "C.UTF-8", TERM: "xterm", ...env },
      clearEnv: true,
      stdin: "null",
      stdout: "null",
      stderr: "inherit",
    }).spawn();
  }

  /** Types, as fingers do. */
  type(text: string): void {
    const bytes = new TextEncoder().encode(text);
    assert(
      this.#libc.symbols.write(this.#master, bytes, BigInt(bytes.length)) === BigInt(bytes.length),
    );
  }

  /** All that has been shown so far, escape sequences and all. */
  get text(): string {
    return this.#text;
  }

  /** Reads until what is shown fits. Throws once nothing has come for `ms`, more than any machine takes. */
  async until(fits: (text: string) => boolean, ms = 600_000): Promise<string> {
    while (!fits(this.#text)) {
      assert(await this.#read(ms), `not shown: ${JSON.stringify(this.#text)}`);
    }
    return this.#text;
  }

  /** Waits for the end of the program, reading on. */
  async end(): Promise<Shown> {
    const child = this.#child;
    assert(child !== null, "nothing was started");
    let ended = false;
    const status = child.status.finally(() => ended = true);
    while (!ended) await this.#read(50);
    while (await this.#read(0));
    return { status: (await status).code, text: this.#text };
  }

  /** False where nothing came in time. */
  async #read(ms: number): Promise<boolean> {
    const { symbols } = this.#libc;
    // struct pollfd
    const asked = new Uint8Array(8);
    const view = new DataView(asked.buffer);
    view.setInt32(0, this.#master, true);
    view.setInt16(4, POLLIN, true);
    const ready = await symbols.poll(asked, 1n, ms);
    if (ready <= 0 || (view.getInt16(6, true) & POLLIN) === 0) {
      // The other side is closed: nothing will ever come, at once.
      if (ready > 0) await new Promise((resolve) => setTimeout(resolve, 10));
      return false;
    }
    const buffer = new Uint8Array(65_536);
    const count = Number(symbols.read(this.#master, buffer, BigInt(buffer.length)));
    if (count <= 0) return false;
    this.#text += this.#decoder.decode(buffer.subarray(0, count), { stream: true });
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#libc.symbols.close(this.#master);
    // The kernel tells who sits on a terminal that it is gone; whoever does not listen is ended.
    try {
      this.#child?.kill("SIGKILL");
    } catch {
      // It has ended.
    }
    await this.#child?.status;
    this.#libc.close();
  }
}

/** Runs a program on a terminal of its own, to its end. */
export async function onTerminal(
  program: string,
  args: readonly string[],
  options: TerminalOptions = {},
): Promise<Shown> {
  await using terminal = new Terminal(options);
  terminal.start(program, args, options);
  return await terminal.end();
}

/** The text without escape sequences, as lines; of a line that was written over (progress), what stands there in the end. */
export function linesOf(text: string): readonly string[] {
  // deno-lint-ignore no-control-regex
  const plain = text.replaceAll(/\x1b\[[0-9;]*[A-Za-z]/g, "").replaceAll("\r\n", "\n");
  return plain.split("\n").map((line) => line.slice(line.lastIndexOf("\r") + 1));
}
