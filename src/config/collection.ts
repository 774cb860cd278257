/** Lists, objects with known keys and mappings with free ones, made of fields. */

import { isObject } from "../core/json_value.ts";
import { either, found } from "./value_kind.ts";
import type { Field, SchemaNode } from "./field.ts";
import { quoted } from "../core/printable.ts";
import { nearest } from "../core/nearest.ts";
import type { KeyPosition } from "./key_position.ts";

/** A list of at least `min` entries (none by default). */
export function list<T>(
  item: Field<T>,
  options: { readonly min?: number } = {},
): Field<readonly T[]> {
  const { min = 0 } = options;
  return {
    schema: { type: "array", items: item.schema, ...(min > 0 ? { minItems: min } : {}) },
    read(value, position) {
      if (!Array.isArray(value)) {
        const single = typeof value === "string" && value.length <= 40
          ? `: [${quoted(value)}]`
          : "";
        return position.report(`found ${found(value)}; write a list, even for one entry${single}`);
      }
      if (value.length < min) {
        return position.report(
          "found an empty list, which matches nothing; name something or leave it out",
        );
      }
      const entries = value.map((entry: unknown, index) => item.read(entry, position.at(index)));
      return entries.every((entry) => entry !== undefined) ? entries : undefined;
    },
  };
}

/** One known key of an object. `always`: the result has the key, whether the file does or not. */
export interface Member<T, P extends "always" | "maybe"> {
  readonly field: Field<NonNullable<T>>;
  readonly description: string;
  readonly presence: P;
  /** What stands for a key that the file leaves out; `missing` makes that a problem. */
  readonly absent: { readonly value: T } | "missing" | "absent";
}

/** A key that must be there. */
export function required<T extends NonNullable<unknown>>(
  field: Field<T>,
  description: string,
): Member<T, "always"> {
  return { field: present(field), description, presence: "always", absent: "missing" };
}

/** A key that may be left out, and then is left out of the result. */
export function optional<T extends NonNullable<unknown>>(
  field: Field<T>,
  description: string,
): Member<T, "maybe"> {
  return { field: present(field), description, presence: "maybe", absent: "absent" };
}

/** A key that may be left out, and then is `value`. */
export function otherwise<T extends NonNullable<unknown>, const D extends T | null>(
  field: Field<T>,
  value: D,
  description: string,
): Member<T | D, "always"> {
  return { field: present(field), description, presence: "always", absent: { value } } as Member<
    T | D,
    "always"
  >;
}

type Members = Readonly<Record<string, Member<unknown, "always" | "maybe">>>;
type ValueOf<M> = M extends Member<infer T, "always" | "maybe"> ? T : never;
type Flat<T> = { readonly [K in keyof T]: T[K] };

/** The type that {@linkcode object} reads. */
export type ObjectOf<M extends Members> = Flat<
  & { [K in keyof M as M[K]["presence"] extends "always" ? K : never]: ValueOf<M[K]> }
  & { [K in keyof M as M[K]["presence"] extends "always" ? never : K]?: ValueOf<M[K]> }
>;

/** A mapping with these keys and no others. */
export function object<const M extends Members>(members: M): Field<ObjectOf<M>> {
  const names = Object.keys(members);
  const properties: Record<string, SchemaNode> = {};
  const needed: string[] = [];
  for (const [name, member] of Object.entries(members)) {
    properties[name] = { ...member.field.schema, description: member.description };
    if (member.absent === "missing") needed.push(name);
  }
  return {
    schema: {
      type: "object",
      properties,
      additionalProperties: false,
      ...(needed.length > 0 ? { required: needed } : {}),
    },
    read(value, position) {
      if (!isObject(value)) {
        return position.report(`found ${found(value)}; write a mapping with ${either(names)}`);
      }
      let whole = true;
      const unknown = Object.keys(value).filter((name) => !Object.hasOwn(members, name));
      for (const name of unknown.slice(0, MOST_UNKNOWN)) {
        position.in(name).report(unknownKey(name, names));
        whole = false;
      }
      if (unknown.length > MOST_UNKNOWN) {
        position.report(`has ${unknown.length - MOST_UNKNOWN} more keys that are not known here`);
      }
      const result: Record<string, unknown> = {};
      for (const [name, member] of Object.entries(members)) {
        if (Object.hasOwn(value, name)) {
          const read = member.field.read(value[name], position.in(name));
          if (read === undefined) whole = false;
          else result[name] = read;
        } else if (member.absent === "missing") {
          position.in(name).report(`is missing: ${member.description}`);
          whole = false;
        } else if (member.absent !== "absent") {
          result[name] = member.absent.value;
        }
      }
      // The loop above filled each key from the member of its name: TypeScript cannot follow that.
      return whole ? result as ObjectOf<M> : undefined;
    },
  };
}

/** Keys of one mapping that are held against those that are known: what has more is no slip of the fingers. */
const MOST_UNKNOWN = 20;

function unknownKey(name: string, names: readonly string[]): string {
  const near = nearest(name, names);
  return `is no key that is known here; ${
    near === null ? `known are ${names.join(", ")}` : `did you mean ${near}?`
  }`;
}

/** A mapping whose keys are names of the caller's choice; `wrong` says what is wrong with one, or null. */
export function mapping<T extends NonNullable<unknown>>(
  value: Field<T>,
  name: { readonly pattern: string; readonly wrong: (name: string) => string | null },
): Field<Readonly<Record<string, T>>> {
  return {
    schema: {
      type: "object",
      propertyNames: { pattern: name.pattern },
      additionalProperties: value.schema,
    },
    read(found_, position) {
      if (!isObject(found_)) {
        return position.report(
          `found ${found(found_)}; write a mapping of names to what holds for them`,
        );
      }
      const entries: [string, T][] = [];
      let whole = true;
      for (const [key, entry] of Object.entries(found_)) {
        const below = position.in(key);
        const wrong = isInherited(key) ? "cannot be used as a name" : name.wrong(key);
        if (wrong !== null) below.report(wrong);
        const read = value.read(entry, below);
        if (read === undefined || wrong !== null) whole = false;
        else entries.push([key, read]);
      }
      return whole ? Object.fromEntries(entries) : undefined;
    },
  };
}

/**
 * What `convert` makes of a value that `field` read; undefined where it reported a problem. `schema` adds to
 * that of the field.
 */
export function converted<T, U extends NonNullable<unknown>>(
  field: Field<T>,
  convert: (value: T, position: KeyPosition) => U | undefined,
  schema: SchemaNode = {},
): Field<U> {
  return {
    schema: { ...field.schema, ...schema },
    read(value, position) {
      const read = field.read(value, position);
      return read === undefined ? undefined : convert(read, position);
    },
  };
}

/** A key with nothing behind it is a slip of the pen, never a way to leave it out. */
function present<T>(field: Field<T>): Field<T> {
  return {
    schema: field.schema,
    read: (value, position) =>
      value === null || value === undefined
        ? position.report("has no value; give it one or leave the key out")
        : field.read(value, position),
  };
}

/** A name that every object inherits would be found where nobody wrote it; Deno lacks `__proto__` itself. */
function isInherited(name: string): boolean {
  return name === "__proto__" || name in Object.prototype;
}
