/** A log's files in memory, shared by as many writers as a test wants. */

import type { LogFile, LogStorage } from "../../../src/audit/storage.ts";

interface MemoryFile {
  bytes: Uint8Array;
}

export class MemoryStorage implements LogStorage {
  current: MemoryFile | null = null;
  readonly old = new Map<number, MemoryFile>();
  syncs = 0;
  /** Bytes that the next append still takes before it fails. */
  room = Infinity;

  open(): LogFile {
    this.current ??= { bytes: new Uint8Array() };
    return this.#handle(this.current);
  }

  openExisting(number: number | "current"): LogFile | null {
    const file = number === "current" ? this.current : this.old.get(number);
    return file === undefined || file === null ? null : this.#handle(file);
  }

  rotated(): readonly number[] {
    return [...this.old.keys()].sort((a, b) => a - b);
  }

  rotate(number: number): void {
    if (this.current === null || this.old.has(number)) throw new Error("cannot be rotated");
    this.old.set(number, this.current);
    this.current = null;
  }

  text(): string {
    return new TextDecoder().decode(this.current?.bytes ?? new Uint8Array());
  }

  setText(text: string): void {
    this.current = { bytes: new TextEncoder().encode(text) };
  }

  #handle(file: MemoryFile): LogFile {
    return {
      lock: () => {},
      unlock: () => {},
      size: () => file.bytes.length,
      isNamed: () => file === this.current,
      read: (offset, count) => file.bytes.slice(offset, offset + count),
      append: (bytes) => {
        const taken = bytes.subarray(0, Math.min(bytes.length, this.room));
        const joined = new Uint8Array(file.bytes.length + taken.length);
        joined.set(file.bytes);
        joined.set(taken, file.bytes.length);
        file.bytes = joined;
        if (taken.length < bytes.length) throw new Error("disk full");
      },
      sync: () => void this.syncs++,
      close: () => {},
    };
  }
}
