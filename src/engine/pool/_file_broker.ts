/**
 * Files that a thread which starts programs has opened by the one that writes files: the kernel's rules for programs
 * cannot let them make a file in a folder that also holds what the policy denies, and programs share their thread's
 * rules. What the line redirects to was judged by its own path; descriptors belong to the whole process.
 */

import { ERRNO } from "../../sandbox/kernel/errno.ts";
import type { Libc } from "../../sandbox/kernel/libc.ts";
import { close } from "../../host/kernel/pipes.ts";
import { openFile, type WantedFile } from "../../host/run/line/redirect.ts";
import type { Rulebook } from "../../policy/rulebook.ts";
import type { ToWorker } from "./_protocol.ts";

/** A thread, as far as it is spoken to here. */
interface Spoken {
  readonly say: (message: ToWorker) => void;
}

interface PendingOpen<T> {
  readonly asker: T;
  readonly request: number;
  readonly opener: T;
}

/** On the main thread: who asked for what. */
export class FileBroker<T extends Spoken> {
  readonly #pending = new Map<number, PendingOpen<T>>();
  #last = 0;

  ask(asker: T, request: number, file: WantedFile, opener: T): void {
    const number = ++this.#last;
    this.#pending.set(number, { asker, request, opener });
    opener.say({ kind: "open", request: number, file });
  }

  /** The answer of the thread that was asked. */
  answer(number: number, descriptor: number): void {
    const opening = this.#pending.get(number);
    this.#pending.delete(number);
    opening?.asker.say({ kind: "opened", request: opening.request, descriptor });
  }

  /** A thread is gone: what it was asked for will not come. */
  forget(thread: T): void {
    for (const [number, { opener }] of this.#pending) {
      if (opener === thread) this.answer(number, -ERRNO.EACCES);
    }
  }
}

/** On the thread that is asked: opens what the policy lets be opened so, and nothing else. */
export function openForOther(
  libc: Libc | null,
  rulebook: Rulebook,
  file: WantedFile,
): number {
  if (libc === null) return -ERRNO.EACCES;
  const { kind, path } = file;
  const denies = (access: "read" | "write"): boolean =>
    rulebook.judgePath(access, path).effect === "deny";
  const reads = kind === "read" || kind === "read-write";
  if ((reads && denies("read")) || (kind !== "read" && denies("write"))) return -ERRNO.EACCES;
  return openFile(libc, file);
}

/** On the thread that asks: answers by the number of the request. */
export class Requests {
  readonly #libc: Libc | null;
  readonly #waiting = new Map<number, (descriptor: number) => void>();
  #last = 0;

  constructor(libc: Libc | null) {
    this.#libc = libc;
  }

  /** The number to ask with, and the answer. */
  add(): { readonly request: number; readonly answer: Promise<number> } {
    const request = ++this.#last;
    const { promise, resolve } = Promise.withResolvers<number>();
    this.#waiting.set(request, resolve);
    return { request, answer: promise };
  }

  settle(request: number, descriptor: number): void {
    const waiting = this.#waiting.get(request);
    this.#waiting.delete(request);
    if (waiting !== undefined) waiting(descriptor);
    else if (descriptor >= 0 && this.#libc !== null) close(this.#libc, descriptor);
  }
}
