/** Where a reader is inside a policy, and where it reports what is wrong there. */

import { quoted } from "../../core/printable.ts";

/** One thing that is wrong with a policy. */
export interface PolicyProblem {
  /** The policy as it was named. */
  readonly source: string;
  /** `commands[3].allow`; empty for the file as a whole. */
  readonly key: string;
  /** What was found and what would be right. */
  readonly message: string;
  /** From 1; of the entry itself, or of the nearest one around it that starts a line of its own. */
  readonly line?: number;
}

/** A position among the keys of a policy. */
export interface Place {
  /** `agents["child-*"].permissions[0]`; empty at the top. */
  readonly key: string;
  /** The place of a key of the mapping here. */
  in(name: string): Place;
  /** The place of an entry of the list here, from 0. */
  at(index: number): Place;
  /** Reports a problem and answers undefined, which is what fields answer for a value they refuse. */
  report(message: string): undefined;
}

/** The top of a policy, whose problems and those below go to `sink`. */
export function topOf(sink: (key: string, message: string) => void): Place {
  return new Step(null, "", sink);
}

/** Places are made for every value and asked for their key by few: it is put together when asked for. */
class Step implements Place {
  readonly #above: Step | null;
  readonly #name: string | number;
  readonly #sink: (key: string, message: string) => void;

  constructor(
    above: Step | null,
    name: string | number,
    sink: (key: string, message: string) => void,
  ) {
    this.#above = above;
    this.#name = name;
    this.#sink = sink;
  }

  get key(): string {
    if (this.#above === null) return "";
    return typeof this.#name === "number"
      ? `${this.#above.key}[${this.#name}]`
      : keyIn(this.#above.key, this.#name);
  }

  in(name: string): Place {
    return new Step(this, name, this.#sink);
  }

  at(index: number): Place {
    return new Step(this, index, this.#sink);
  }

  report(message: string): undefined {
    this.#sink(this.key, message);
    return undefined;
  }
}

/** Longest part of a key that is shown. */
const LONGEST_NAME = 60;

/** The key path of `name` below `key`: dotted where the name is a plain word, else in brackets and quotes. */
export function keyIn(key: string, name: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_-]*$/.test(name) || name.length > LONGEST_NAME) {
    return `${key}[${quoted(name, LONGEST_NAME)}]`;
  }
  return key === "" ? name : `${key}.${name}`;
}
