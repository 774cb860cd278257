/** Types of `parseArgs` of `@std/cli`. */

/** What `parseArgs` may be told. `B`, `S`, `C`: the names of booleans, strings and collected flags. */
export interface ParseOptions<
  B extends string = string,
  S extends string = string,
  C extends string = string,
  D extends Readonly<Record<string, unknown>> = Readonly<Record<string, unknown>>,
  DD extends boolean | undefined = boolean | undefined,
> {
  /** Puts what follows `--` into `"--"` instead of `_`. Default: false. */
  "--"?: DD;
  /** Name → its other names. */
  alias?: Readonly<Record<string, string | readonly string[]>>;
  /** Flags that take no value; false where they are not given. */
  boolean?: B | readonly B[];
  /** Values of flags that are not given. */
  default?: D;
  /** Stops at the first argument that is no flag. Default: false. */
  stopEarly?: boolean;
  /** Flags whose values stay text, where others that look like numbers become such. */
  string?: S | readonly S[];
  /** Flags that may be repeated. */
  collect?: C | readonly C[];
  /** Flags that `--no-NAME` sets to false. */
  negatable?: string | readonly string[];
  /** Called for each argument that no option names; false leaves it out of the result. */
  unknown?: (arg: string, key?: string, value?: unknown) => unknown;
}

type Element<K extends string, B extends string, S extends string> = K extends B ? boolean
  : K extends S ? string
  : string | number | boolean;

/** A boolean always has a value, a collected string or boolean a list; others need a default for that. */
type Value<K extends string, B extends string, S extends string, C extends string, D> =
  | (K extends C ? Element<K, B, S>[] : Element<K, B, S>)
  | (K extends keyof D ? D[K]
    : K extends B ? never
    : K extends C ? (K extends S ? never : undefined)
    : undefined);

/** Flags that the options name, by their types; others as `unknown`. */
export type ParsedArgs<
  B extends string,
  S extends string,
  C extends string,
  D,
  DD extends boolean | undefined,
> =
  & { [K in Exclude<B | S | C, "_">]: Value<K, B, S, C, D> }
  & { [key: string]: unknown }
  & {
    /** Arguments that are no flags; those that look like numbers are numbers, unless `string` names `_`. */
    _: ("_" extends S ? string : string | number)[];
  }
  & (DD extends true ? { "--": string[] } : unknown);

/** Arguments of a program, parsed. Throws TypeError for an alias without a value. */
export function parseArgs<
  const B extends string = never,
  const S extends string = never,
  const C extends string = never,
  const D extends Readonly<Record<string, unknown>> = Record<never, never>,
  const DD extends boolean | undefined = undefined,
>(args: readonly string[], options?: ParseOptions<B, S, C, D, DD>): ParsedArgs<B, S, C, D, DD>;
