/**
 * What a value of the policy language may be: one description from which the parser reads, the messages
 * speak and the JSON Schema is made. This file has the description itself and the plain values.
 */

import { DURATION_PATTERN, DurationError, formatDuration, parseDuration } from "./duration.ts";
import { formatSize, parseSize, SIZE_PATTERN, SizeError } from "./size.ts";
import { either, found, kindOf } from "./value_kind.ts";
import { nearest } from "../core/nearest.ts";
import type { KeyPosition } from "./key_position.ts";

/** JSON Schema (draft 2020-12) as plain data. */
export type SchemaNode = Readonly<Record<string, unknown>>;

/** Reads a YAML value as `T`. No `T` is undefined: that is the answer to a value that was refused. */
export interface Field<T> {
  readonly schema: SchemaNode;
  /** Reports every problem at `position` or below it; undefined where there was one. */
  read(value: unknown, position: KeyPosition): T | undefined;
}

/** Text. */
export function text(options: {
  /** What it is, for messages: `a host name`. */
  readonly what: string;
  /** What is wrong with a text, to follow on its quotation; null where nothing is. */
  readonly check?: (value: string) => string | null;
  readonly pattern?: string;
  readonly empty?: boolean;
  /** Never shows the value. */
  readonly secret?: boolean;
}): Field<string> {
  const { what, check, pattern, empty = false, secret = false } = options;
  return {
    schema: {
      type: "string",
      ...(empty ? {} : { minLength: 1 }),
      ...(pattern === undefined ? {} : { pattern }),
    },
    read(value, position) {
      const shown = secret ? kindOf(value) : found(value);
      if (typeof value !== "string") {
        const scalar = typeof value === "number" || typeof value === "boolean";
        return position.report(
          `found ${shown}; write ${what}${scalar ? ", in quotes" : ""}`,
        );
      }
      if (value === "" && !empty) return position.report(`found an empty text; write ${what}`);
      if (value.includes("\0")) {
        return position.report(`${shown} holds a NUL character; write ${what}`);
      }
      const wrong = check?.(value) ?? null;
      return wrong === null ? value : position.report(`${shown} ${wrong}`);
    },
  };
}

/** True or false; YAML 1.2 has no `yes` and `on`. */
export function flag(): Field<boolean> {
  return {
    schema: { type: "boolean" },
    read: (value, position) =>
      typeof value === "boolean"
        ? value
        : position.report(`found ${found(value)}; write true or false, without quotes`),
  };
}

/** A number from `min` to `max`, whole unless `fraction`. */
export function number(options: {
  readonly min: number;
  readonly max: number;
  readonly fraction?: boolean;
}): Field<number> {
  const { min, max, fraction = false } = options;
  const what = `${fraction ? "a number" : "a whole number"} from ${min} to ${max}`;
  return {
    schema: { type: fraction ? "number" : "integer", minimum: min, maximum: max },
    read: (value, position) =>
      typeof value === "number" && (fraction || Number.isInteger(value)) && value >= min &&
        value <= max
        ? value
        : position.report(`found ${found(value)}; write ${what}${unquoted(value)}`),
  };
}

/** The version of the language: one number. */
export function exactly<const N extends number>(expected: N): Field<N> {
  return {
    schema: { const: expected },
    read: (value, position) =>
      value === expected ? expected : position.report(
        `found ${found(value)}; this Toolgate reads ${expected}${unquoted(value)}`,
      ),
  };
}

function unquoted(value: unknown): string {
  return typeof value === "string" && /^[0-9]+$/.test(value) ? ", without quotes" : "";
}

/**
 * One of `words`. `spoken` names the word that a boolean stands for: YAML 1.1 writers turn `off` into
 * false, so a mode that has the word takes the value.
 */
export function oneOf<const W extends string>(
  words: readonly W[],
  spoken: { readonly false?: NoInfer<W> } = {},
): Field<W> {
  const known: ReadonlyMap<unknown, W> = new Map<unknown, W>(words.map((word) => [word, word]));
  return {
    schema: { enum: spoken.false === undefined ? words : [...words, false] },
    read(value, position) {
      if (value === false && spoken.false !== undefined) return spoken.false;
      const word = known.get(value);
      if (word !== undefined) return word;
      const near = typeof value === "string" ? nearest(value, words) : null;
      return position.report(
        `found ${found(value)}; write ${either(words)}${
          near === null ? "" : ` (did you mean ${near}?)`
        }`,
      );
    },
  };
}

/** A length of time, read as milliseconds; `min` of 0 allows a bare 0. */
export function duration(options: { readonly min: number; readonly max: number }): Field<number> {
  return amount({
    ...options,
    parse: parseDuration,
    format: formatDuration,
    failure: DurationError,
    schema: {
      anyOf: [
        { type: "string", pattern: DURATION_PATTERN },
        ...(options.min > 0 ? [] : [{ const: 0 }]),
      ],
    },
    bare: (value) =>
      value === 0
        ? 0
        : `found ${found(value)} without a unit; write ${value}ms, ${value}s, ${value}m, …`,
    what: "a duration such as 500ms, 30s, 5m, 2h or 1d",
  });
}

/** An amount of bytes; a bare whole number counts bytes. */
export function size(options: { readonly min: number; readonly max: number }): Field<number> {
  return amount({
    ...options,
    parse: parseSize,
    format: formatSize,
    failure: SizeError,
    schema: {
      anyOf: [
        { type: "string", pattern: SIZE_PATTERN },
        { type: "integer", minimum: options.min, maximum: options.max },
      ],
    },
    bare: (value) =>
      Number.isSafeInteger(value) && value >= 0
        ? value
        : `found ${found(value)}; write a size such as 512B, 64KiB or 1MiB`,
    what: "a size such as 512B, 64KiB or 1MiB",
  });
}

/** What durations and sizes share: a text with a unit, a bare number under a rule, and bounds. */
function amount(options: {
  readonly min: number;
  readonly max: number;
  readonly parse: (text: string) => number;
  readonly format: (value: number) => string;
  readonly failure: new () => Error;
  readonly schema: SchemaNode;
  /** The amount of a bare number, or the message that refuses it. */
  readonly bare: (value: number) => number | string;
  readonly what: string;
}): Field<number> {
  const { min, max, parse, format, failure, bare, what } = options;
  const judge = (value: unknown): number | string => {
    if (typeof value === "number") return bare(value);
    if (typeof value !== "string") return `found ${found(value)}; write ${what}`;
    try {
      return parse(value);
    } catch (error) {
      if (error instanceof failure) return error.message;
      throw error;
    }
  };
  return {
    schema: options.schema,
    read(value, position) {
      const judged = judge(value);
      if (typeof judged === "string") return position.report(judged);
      if (judged >= min && judged <= max) return judged;
      return position.report(`found ${found(value)}; write ${format(min)} to ${format(max)}`);
    },
  };
}
