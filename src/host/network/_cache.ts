/** Answers that a thread keeps in memory: by address and what was asked for, the longest unused going first. */

import type { Head } from "./_head.ts";
import { listed } from "./_head.ts";

/** One answer as it came. */
export interface Kept {
  readonly head: Head;
  readonly bytes: Uint8Array;
  /** Milliseconds since 1970: when it came or was last said to hold; until when it holds unasked. */
  readonly since: number;
  readonly freshUntil: number;
}

/** What each entry takes beside its bytes, roughly. */
const OVERHEAD = 1024;

/** Bounded by bytes and age. */
export class AnswerCache {
  readonly #limits: { readonly size: number; readonly ageMs: number };
  readonly #kept = new Map<string, Kept>();
  #size = 0;

  constructor(limits: { readonly size: number; readonly ageMs: number }) {
    this.#limits = limits;
  }

  get(key: string, now: number): Kept | null {
    const kept = this.#kept.get(key);
    if (kept === undefined) return null;
    this.#kept.delete(key);
    if (now - kept.since > this.#limits.ageMs || now < kept.since) {
      this.#size -= sizeOf(kept);
      return null;
    }
    this.#kept.set(key, kept);
    return kept;
  }

  /** Keeps a whole answer of status 200 that says nothing against it. */
  put(key: string, head: Head, bytes: Uint8Array, now: number): void {
    this.#drop(key);
    const { fields } = head;
    const control = directives(fields.get("cache-control"));
    if (head.status !== 200 || control.has("no-store") || control.has("private")) return;
    if (listed(fields.get("vary")).includes("*")) return;
    const validated = fields.has("etag") || fields.has("last-modified");
    const seconds = control.has("no-cache") ? 0 : Number(control.get("max-age") ?? 0);
    const freshMs = Number.isFinite(seconds) ? Math.min(seconds * 1000, this.#limits.ageMs) : 0;
    if (!validated && freshMs <= 0) return;
    const kept = { head, bytes, since: now, freshUntil: now + freshMs };
    if (sizeOf(kept) > this.#limits.size) return;
    this.#kept.set(key, kept);
    this.#size += sizeOf(kept);
    for (const [oldest] of this.#kept) {
      if (this.#size <= this.#limits.size) break;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    this.#kept.delete(key);
    this.#size -= sizeOf(kept);
  }
}

function sizeOf({ bytes }: Kept): number {
  return bytes.length + OVERHEAD;
}

function directives(values: readonly string[] | undefined): ReadonlyMap<string, string> {
  return new Map(
    listed(values).map((part) => {
      const [name = "", value = ""] = part.split("=");
      return [name.trim().toLowerCase(), value.trim().replace(/^"|"$/g, "")];
    }),
  );
}
