/**
 * Memory for starts that nobody waits for: each piece is its child's until that has become the program, or has ended. It is
 * the kernel's own, not the runtime's: what a child still reads there no collector and no end of a thread takes away.
 */

import type { Libc } from "../kernel/libc.ts";
import type { Architecture } from "../seccomp.ts";
import { LAUNCHER_CALLS } from "./_calls.ts";
import { BLOCK } from "./_library_code.ts";

/** Children on their way at once; a further one is waited for. */
export const MOST_AHEAD = 8;
/** Room for what most programs are started with. */
const BLOCK_BYTES = 32 * 1024;
/** PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS (include/uapi/asm-generic/mman-common.h, linux/mman.h) */
const READ_WRITE = 0x1 | 0x2;
const OWN_MEMORY = 0x02 | 0x20;
const NO_FILE = -1;
/** What a child says where none of its steps has failed. */
export const NOTHING_FAILED = -1;

/** The step that failed, by its place, and the error number. */
export interface FailedStep {
  readonly step: number;
  readonly errno: number;
}

/** What failed in a start; null where nothing has. */
export function failedIn(view: DataView): FailedStep | null {
  const step = view.getInt32(BLOCK.step, true);
  return step === NOTHING_FAILED ? null : { step, errno: -view.getInt32(BLOCK.result, true) };
}

/** One piece, for one start after the other. */
export class StartBlock {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly address: number;
  #last: AheadStart | null = null;

  constructor(memory: ArrayBuffer, address: number, offset: number) {
    this.bytes = new Uint8Array(memory, offset, BLOCK_BYTES);
    this.view = new DataView(memory, offset, BLOCK_BYTES);
    this.address = address + offset;
  }

  /** Whether a child still goes by it: the kernel writes its number there, and clears it when it has other memory or none. */
  get isUsed(): boolean {
    return this.view.getInt32(BLOCK.child, true) !== 0;
  }

  /** A child was started by it. */
  begun(id: number): AheadStart {
    return this.#last = new AheadStart(id, this);
  }

  /** Nobody goes by it any more: what became of the last start is told now, before the next. */
  settle(): void {
    this.#last?.settle(failedIn(this.view));
    this.#last = null;
  }
}

/** A start that nobody has waited for. */
export class AheadStart {
  readonly id: number;
  #block: StartBlock | null;
  #failed: FailedStep | null = null;

  constructor(id: number, block: StartBlock) {
    this.id = id;
    this.#block = block;
  }

  /** Whether it is not yet the program, but still has this process's memory. */
  get isOnItsWay(): boolean {
    return this.#block?.isUsed === true;
  }

  /** What failed in it, to be asked when it has ended. */
  get failed(): FailedStep | null {
    this.#block?.settle();
    return this.#failed;
  }

  settle(failed: FailedStep | null): void {
    this.#block = null;
    this.#failed = failed;
  }
}

/** The pieces of one thread. */
export class StartBlocks {
  readonly #libc: Libc;
  readonly #munmap: number;
  readonly #address: number;
  readonly #blocks: readonly StartBlock[];

  private constructor(libc: Libc, munmap: number, address: number) {
    this.#libc = libc;
    this.#munmap = munmap;
    this.#address = address;
    const pointer = Deno.UnsafePointer.create(BigInt(address));
    const memory = pointer === null
      ? new ArrayBuffer(0)
      : Deno.UnsafePointerView.getArrayBuffer(pointer, MOST_AHEAD * BLOCK_BYTES);
    const count = pointer === null ? 0 : MOST_AHEAD;
    this.#blocks = Array.from(
      { length: count },
      (_, at) => new StartBlock(memory, address, at * BLOCK_BYTES),
    );
  }

  /** Null where there is no memory for it. To be opened while `ffi` is granted. */
  static open(libc: Libc, architecture: Architecture): StartBlocks | null {
    const { mmap, munmap } = LAUNCHER_CALLS[architecture];
    const size = MOST_AHEAD * BLOCK_BYTES;
    const address = libc.callWide(mmap, 0, size, READ_WRITE, OWN_MEMORY, NO_FILE, 0);
    return address <= 0 ? null : new StartBlocks(libc, munmap, Number(address));
  }

  /** One that nobody goes by; null where there is none. */
  take(): StartBlock | null {
    const free = this.#blocks.find(({ isUsed }) => !isUsed) ?? null;
    free?.settle();
    return free;
  }

  /** Lets the memory go, unless somebody goes by it. Nothing may be taken any more, nor asked of what was. */
  close(): void {
    if (this.#blocks.some(({ isUsed }) => isUsed)) return;
    for (const block of this.#blocks) block.settle();
    this.#libc.call(this.#munmap, this.#address, MOST_AHEAD * BLOCK_BYTES);
  }
}
