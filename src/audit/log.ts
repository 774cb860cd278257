/**
 * The append-only log. Any number of processes write to one: each takes the file's lock for as long as it appends,
 * and where another has written meanwhile, goes on from that one's last record.
 */

import { sha256 } from "../core/sha256.ts";
import { ChainedLines } from "./_chained_lines.ts";
import {
  type AuditEntry,
  type ChainHead,
  readChainedLine,
  type RepairRecord,
  START,
} from "./record.ts";
import type { LogFile, LogStorage } from "./storage.ts";

/** When a log is rotated, and what its records are dated by. */
export interface LogOptions {
  /** Bytes after which the current file is put aside. */
  readonly maxSize: number;
  readonly now: () => Date;
}

/** What is read of the end of a file at once; a record is far shorter. */
const TAIL_BYTES = 128 * 1024;
const NEWLINE = 0x0a;
const NONE: readonly RepairRecord[] = [];

/** A log that many processes append to, one record a line, each chained to the one before it. */
export class AuditLog {
  readonly #storage: LogStorage;
  readonly #options: LogOptions;
  readonly #lines = new ChainedLines();
  #file: LogFile;
  /** Where this process left off; -1: it has not looked yet. */
  #end = -1;
  #head: ChainHead = START;
  /** The file is full and its last record says so. */
  #closed = false;

  /** Opens the log. Throws what the storage throws. */
  constructor(storage: LogStorage, options: LogOptions) {
    this.#storage = storage;
    this.#options = options;
    this.#file = storage.open();
  }

  /** The last record as this process knows it. */
  get head(): ChainHead {
    return this.#head;
  }

  /** Appends the entries, in one write. `durable`: returns when they are on the disk. Throws where they are not written. */
  append(entries: readonly AuditEntry[], durable: boolean): void {
    this.#lockCurrent();
    try {
      this.#lines.begin(this.#lead);
      let head = this.#head;
      for (const repair of this.#repairs) head = this.#lines.add(repair, head);
      for (const entry of entries) head = this.#lines.add(entry, head);
      const { bytes } = this.#lines;
      // What this process believes of the end holds again only once all is written.
      const end = this.#end;
      this.#end = -1;
      this.#file.append(bytes);
      if (durable) this.#file.sync();
      this.#end = end + bytes.length;
      this.#head = head;
      this.#repairs = NONE;
      this.#lead = "";
      if (this.#end >= this.#options.maxSize) this.#rotate();
    } finally {
      this.#file.unlock();
    }
  }

  close(): void {
    this.#file.close();
  }

  /** What the next append begins with: the end of a line that was cut off, and the record of it. */
  #lead = "";
  #repairs: readonly RepairRecord[] = NONE;

  /** Takes the lock of the file that is current now, and knows its end. */
  #lockCurrent(): void {
    for (;;) {
      this.#file.lock();
      const size = this.#file.size();
      if (size === this.#end && !this.#closed) return;
      if (this.#file.isNamed()) this.#learn(size);
      else this.#closed = true;
      if (!this.#closed) return;
      // Another writer has put it aside, or somebody has removed it: there is a new one.
      this.#file.unlock();
      this.#file.close();
      this.#file = this.#storage.open();
      this.#end = -1;
      this.#closed = false;
    }
  }

  /** Reads the end of the current file, or of the one before where it is empty. */
  #learn(size: number): void {
    this.#end = size;
    this.#lead = "";
    this.#repairs = NONE;
    if (size === 0) {
      this.#head = this.#headBefore();
      return;
    }
    const tail = readTail(this.#file, size);
    this.#head = tail.head ?? this.#headBefore();
    this.#closed = tail.closed;
    this.#lead = tail.ended ? "" : "\n";
    if (tail.rest === null) return;
    const time = this.#options.now().toISOString();
    this.#repairs = [{ kind: "repair", time, bytes: tail.rest.length, sha256: sha256(tail.rest) }];
  }

  #headBefore(): ChainHead {
    const newest = this.#storage.rotated().at(-1);
    const file = newest === undefined ? null : this.#storage.openExisting(newest);
    if (file === null) return START;
    try {
      return readTail(file, file.size()).head ?? START;
    } finally {
      file.close();
    }
  }

  /** With the lock held: nobody else can be writing or rotating. */
  #rotate(): void {
    const time = this.#options.now().toISOString();
    this.#lines.begin("");
    const head = this.#lines.add({ kind: "rotated", time }, this.#head);
    this.#file.append(this.#lines.bytes);
    this.#file.sync();
    this.#head = head;
    this.#closed = true;
    this.#storage.rotate((this.#storage.rotated().at(-1) ?? 0) + 1);
  }
}

interface Tail {
  /** Of the last record; null where there is none. */
  readonly head: ChainHead | null;
  /** Whether the last record says that the log goes on in another file. */
  readonly closed: boolean;
  /** What stands after the last record and is none; null where nothing does. */
  readonly rest: Uint8Array | null;
  /** Whether that ends in a newline. */
  readonly ended: boolean;
}

/** The last record of a file: looked for from the end, further back where what stands there is none. */
function readTail(file: LogFile, size: number): Tail {
  for (let length = Math.min(size, TAIL_BYTES);; length = Math.min(size, 8 * length)) {
    const bytes = file.read(size - length, length);
    const whole = length === size;
    // A record of which nothing but its line end was cut off is one.
    const last = readChainedLine(
      new TextDecoder().decode(bytes.subarray(bytes.lastIndexOf(NEWLINE) + 1)),
    );
    if (last?.intact === true) {
      const { sequence, hash } = last;
      return { head: { sequence, hash }, closed: false, rest: null, ended: false };
    }
    const found = lastRecord(bytes, whole);
    if (found === null && !whole) continue;
    const from = found?.end ?? 0;
    const rest = from === bytes.length ? null : bytes.subarray(from);
    return {
      head: found?.head ?? null,
      closed: found?.closed === true && rest === null,
      rest,
      ended: bytes[bytes.length - 1] === NEWLINE,
    };
  }
}

function lastRecord(
  bytes: Uint8Array,
  whole: boolean,
): { readonly head: ChainHead; readonly closed: boolean; readonly end: number } | null {
  for (let end = bytes.lastIndexOf(NEWLINE); end > 0;) {
    const before = bytes.lastIndexOf(NEWLINE, end - 1);
    if (before < 0 && !whole) return null;
    const text = new TextDecoder().decode(bytes.subarray(before + 1, end));
    const record = readChainedLine(text);
    if (record !== null) {
      const { sequence, hash } = record;
      return {
        head: { sequence, hash },
        closed: text.includes(',"kind":"rotated",'),
        end: end + 1,
      };
    }
    end = before;
  }
  return null;
}
