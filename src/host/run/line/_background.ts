/** What runs beside a line: commands with `&`, and those behind `<(…)`. */

import { CLOSED } from "../../../sandbox/spawner.ts";
import { close } from "../../kernel/pipes.ts";
import { type Child, type Ended, endedBy } from "../_programs.ts";
import type { LineHost } from "./line_host.ts";

/** F_DUPFD_CLOEXEC (include/uapi/linux/fcntl.h) */
const F_DUPFD_CLOEXEC = 1030;
/** Above all that a program starts with. */
const FIRST = 10;
/** More at a time are no line any more. */
export const MOST_TASKS = 64;

/** Copies, which stay open when those who hold the originals let them go. */
export function copied(host: LineHost, descriptors: readonly number[]): readonly number[] {
  const { libc } = host;
  return descriptors.map((one) =>
    one === CLOSED
      ? CLOSED
      : Math.max(CLOSED, libc.call(libc.numbers.fcntl, one, F_DUPFD_CLOEXEC, FIRST))
  );
}

/** Lets go of copies. */
export function closeAll({ libc }: LineHost, descriptors: readonly number[]): void {
  for (const one of descriptors) if (one !== CLOSED) close(libc, one);
}

/** A command under way beside the line, with the programs that it has started. */
export class Task {
  readonly #host: LineHost;
  readonly #program: boolean;
  readonly #within: Task | null;
  readonly #timed: boolean;
  readonly #children = new Map<Child, boolean>();
  readonly #first = Promise.withResolvers<number | null>();
  #ending: Ended | null = null;
  /** Whether somebody has told it to end, or something that may end it. */
  told = false;
  /** How it ended. */
  status: Ended | null = null;

  /**
   * `program`: it is one program and nothing else, so that it ends as that does; `within`: what it is a part of; `timed`: so is
   * what it leaves beside itself.
   */
  constructor(
    host: LineHost,
    { program = false, within = null, timed = false }: {
      readonly program?: boolean;
      readonly within?: Task | null;
      readonly timed?: boolean;
    },
  ) {
    this.#host = host;
    this.#program = program;
    this.#within = within;
    this.#timed = timed;
  }

  /** What ends with the time of this, where it has one; null where it has none. */
  get timed(): Task | null {
    return this.#timed ? this : this.#within?.timed ?? null;
  }

  /** As `ending`, where it was itself told. */
  get ownEnding(): Ended | null {
    return this.#ending;
  }

  /** The end that it was told to come to; null while nobody has. */
  get ending(): Ended | null {
    return this.#ending ?? this.#within?.ending ?? null;
  }

  /** The number of its first program; null where it ended without one. */
  get first(): Promise<number | null> {
    return this.#first.promise;
  }

  started(child: Child): void {
    this.#children.set(child, true);
    this.#first.resolve(child.id);
    this.#within?.started(child);
    void child.ended.then(() => this.#children.delete(child));
  }

  /** It may take long until there is one: what stands behind it goes on meanwhile. */
  waits(): void {
    this.#first.resolve(null);
    this.#within?.waits();
  }

  /** What it has begun beside itself is none of its own programs, and nothing to wait for either. */
  hasBeside({ first }: Task): void {
    void first.then(() => this.waits());
  }

  ended(status: Ended): void {
    this.status = status;
    this.#first.resolve(null);
  }

  /** What runs of it is told; what would follow does not begin, unless it only goes on or stops. */
  signal(number: number): void {
    const { libc } = this.#host;
    const itself = this.#program && this.#children.size > 0;
    this.told ||= !HARMLESS.has(number);
    if (!HARMLESS.has(number) && !itself) this.#ending = endedBy(number);
    for (const { id } of this.#children.keys()) libc.call(libc.numbers.kill, -id, number);
  }
}

/** SIGCHLD, SIGCONT, SIGSTOP, SIGTSTP, SIGURG, SIGWINCH (signal(7)) */
const HARMLESS: ReadonlySet<number> = new Set([17, 18, 19, 20, 23, 28]);
