/** The variables of a shell: texts, arrays by number and by key, and which of them are local, exported or to stay. */

import { ToolError } from "../../../core/errors.ts";

/** `list`: by index, `table`: by key, in the order in which bash goes through them. */
type Value =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "list"; readonly items: ReadonlyMap<number, string> }
  | { readonly kind: "table"; readonly items: ReadonlyMap<string, string> };

interface Cell {
  /** Null: declared, and not set. */
  readonly value: Value | null;
  readonly exported: boolean;
  readonly readonly: boolean;
}

const NOTHING: Cell = { value: null, exported: false, readonly: false };

/** By name. Changed by whoever holds it; a subshell has a copy. */
export class Variables {
  readonly #cells: Map<string, Cell>;
  /** What functions under way have hidden, the innermost last. */
  readonly #hidden: Map<string, Cell | undefined>[];
  /** Exported by what was not judged with the line. */
  readonly #unjudged: Set<string>;
  /** Whether what is set is exported (`set -a`): judged with the programs that get it. */
  exportsAll = false;

  private constructor(
    cells: Map<string, Cell>,
    hidden: Map<string, Cell | undefined>[] = [],
    unjudged: Iterable<string> = [],
  ) {
    this.#cells = cells;
    this.#hidden = hidden;
    this.#unjudged = new Set(unjudged);
  }

  /** All of them exported. */
  static of(environment: Iterable<readonly [string, string]>): Variables {
    const cells = Array.from(environment, ([name, text]): [string, Cell] => [
      name,
      { value: { kind: "text", text }, exported: true, readonly: false },
    ]);
    return new Variables(new Map(cells));
  }

  copy(): Variables {
    const hidden = this.#hidden.map((one) => new Map(one));
    const copy = new Variables(new Map(this.#cells), hidden, this.#unjudged);
    copy.exportsAll = this.exportsAll;
    return copy;
  }

  /** What a program that is a shell gets of them. */
  exported(): Variables {
    const cells = new Map([...this.#cells].filter(([, cell]) => cell.exported));
    return new Variables(cells, [], this.#unjudged);
  }

  /** Whether a function is under way. */
  get isLocal(): boolean {
    return this.#hidden.length > 0;
  }

  enter(): void {
    this.#hidden.push(new Map());
  }

  leave(): void {
    for (const [name, cell] of this.#hidden.pop() ?? []) {
      if (cell === undefined) this.#cells.delete(name);
      else this.#cells.set(name, cell);
    }
  }

  /** Hides a variable until the function ends; the exported stay so (bash(1), local). */
  hide(name: string): void {
    const frame = this.#hidden.at(-1);
    if (frame === undefined || frame.has(name)) return;
    const cell = this.#cells.get(name);
    frame.set(name, cell);
    this.#cells.set(name, { ...NOTHING, exported: cell?.exported ?? false });
  }

  /** Of an array its first element. */
  text(name: string): string | undefined {
    const value = this.#cells.get(name)?.value ?? null;
    if (value === null) return undefined;
    return value.kind === "text"
      ? value.text
      : value.kind === "list"
      ? value.items.get(0)
      : value.items.get("0");
  }

  isTable(name: string): boolean {
    return this.#cells.get(name)?.value?.kind === "table";
  }

  isSet(name: string): boolean {
    return this.text(name) !== undefined;
  }

  /** All elements with their keys, in bash's order; a text is one. */
  entries(name: string): readonly (readonly [string, string])[] {
    const value = this.#cells.get(name)?.value ?? null;
    if (value === null) return [];
    if (value.kind === "text") return [["0", value.text]];
    if (value.kind === "list") {
      return [...value.items].sort(([a], [b]) => a - b).map(([key, text]) => [String(key), text]);
    }
    return inOrder([...value.items]);
  }

  count(name: string): number {
    const value = this.#cells.get(name)?.value ?? null;
    return value === null ? 0 : value.kind === "text" ? 1 : value.items.size;
  }

  /** `key`: a number for a list, counted from the end where it is negative; text for a table. */
  element(name: string, key: bigint | string): string | undefined {
    const value = this.#cells.get(name)?.value ?? null;
    if (typeof key === "string") {
      if (value === null) return undefined;
      if (value.kind !== "table") throw unparsable(`${name} is no array by keys`);
      return value.items.get(key);
    }
    if (value?.kind === "table") throw unparsable(`${name} is an array by keys`);
    const items = value === null
      ? new Map<number, string>()
      : value.kind === "text"
      ? new Map([[0, value.text]])
      : value.items;
    return items.get(placeIn(items, key, name));
  }

  assign(name: string, text: string): void {
    const value = this.#cells.get(name)?.value ?? null;
    if (value?.kind === "list") return this.assignElement(name, 0n, text);
    if (value?.kind === "table") return this.assignElement(name, "0", text);
    this.#set(name, { kind: "text", text });
  }

  assignElement(name: string, key: bigint | string, text: string): void {
    const value = this.#cells.get(name)?.value ?? null;
    if (typeof key === "string") {
      if (value?.kind !== "table") throw unparsable(`${name} is no array by keys`);
      return this.#set(name, { kind: "table", items: new Map([...value.items, [key, text]]) });
    }
    if (value?.kind === "table") throw unparsable(`${name} is an array by keys`);
    const items = value?.kind === "list"
      ? value.items
      : new Map(value === null ? [] : [[0, value.text]]);
    const place = placeIn(items, key, name);
    this.#set(name, { kind: "list", items: new Map([...items, [place, text]]) });
  }

  /** A list of its own values; of a table none are left. */
  empty(name: string, kind: "list" | "table"): void {
    const value = this.#cells.get(name)?.value;
    const table = value?.kind === "table" || kind === "table";
    this.#set(
      name,
      table ? { kind: "table", items: new Map() } : { kind: "list", items: new Map() },
    );
  }

  /** As `declare -A` does it: what is one already stays as it is. */
  declareTable(name: string): void {
    const value = this.#cells.get(name)?.value ?? null;
    if (value?.kind === "table") return;
    if (value !== null) throw unparsable(`${name} has a value, and is no array by keys`);
    this.#set(name, { kind: "table", items: new Map() });
  }

  /** Exists from here on, with what it has. */
  declare(name: string): void {
    if (!this.#cells.has(name)) this.#cells.set(name, NOTHING);
  }

  /** `judged`: with the line, which says it. */
  export(name: string, judged: boolean): void {
    if (!judged) this.#unjudged.add(name);
    this.#cells.set(name, { ...(this.#cells.get(name) ?? NOTHING), exported: true });
  }

  protect(name: string): void {
    this.#cells.set(name, { ...(this.#cells.get(name) ?? NOTHING), readonly: true });
  }

  unset(name: string): void {
    this.#mustChange(name);
    this.#cells.delete(name);
  }

  /** Of a text, which is a list of one, the first. */
  unsetElement(name: string, key: bigint | string): void {
    const value = this.#cells.get(name)?.value ?? null;
    if (value === null) return;
    if (value.kind === "table") {
      const items = new Map(value.items);
      items.delete(String(key));
      return this.#set(name, { kind: "table", items });
    }
    const items = value.kind === "list" ? new Map(value.items) : new Map([[0, value.text]]);
    if (typeof key === "string") throw unparsable(`${name} is no array by keys`);
    items.delete(placeIn(items, key, name));
    if (value.kind === "list") return this.#set(name, { kind: "list", items });
    if (items.size === 0) this.unset(name);
  }

  /** What programs get of those that were not judged with the line. */
  get unjudged(): readonly string[] {
    return [...this.#unjudged].filter((name) => {
      const cell = this.#cells.get(name);
      return cell?.exported === true && cell.value?.kind === "text";
    });
  }

  /** What programs get: texts alone. */
  environment(): Map<string, string> {
    const environment = new Map<string, string>();
    for (const [name, { value, exported }] of this.#cells) {
      if (exported && value?.kind === "text") environment.set(name, value.text);
    }
    return environment;
  }

  #set(name: string, value: Value): void {
    this.#mustChange(name);
    const cell = this.#cells.get(name) ?? NOTHING;
    if (this.exportsAll && !cell.exported) this.#unjudged.add(name);
    this.#cells.set(name, { ...cell, value, exported: cell.exported || this.exportsAll });
  }

  #mustChange(name: string): void {
    if (this.#cells.get(name)?.readonly === true) {
      throw unparsable(`${name} is declared as readonly, and set again`);
    }
  }
}

/** FNV-1 with 32 bits, and the size of the table (bash, hashlib.c and assoc.h). */
const FNV_OFFSET = 2166136261;
const FNV_PRIME = 16777619;
const BUCKETS = 1024;

/** As bash goes through an array by keys: by bucket, the newest first. */
function inOrder(
  items: readonly (readonly [string, string])[],
): readonly (readonly [string, string])[] {
  if (items.length > BUCKETS || items.some(([key]) => /[^\0-\x7f]/.test(key))) {
    throw unparsable("an array has keys whose order is not known");
  }
  return items
    .map((item, index) => ({ item, index, bucket: bucketOf(item[0]) }))
    .sort((a, b) => a.bucket - b.bucket || b.index - a.index)
    .map(({ item }) => item);
}

function bucketOf(key: string): number {
  let hash = FNV_OFFSET;
  for (let at = 0; at < key.length; at++) {
    hash = Math.imul(hash, FNV_PRIME) ^ key.charCodeAt(at);
  }
  return hash & (BUCKETS - 1);
}

/** More elements than that are nothing that a line keeps. */
const LAST_INDEX = 1_000_000n;

function placeIn(items: ReadonlyMap<number, string>, key: bigint, name: string): number {
  const last = items.size === 0 ? -1 : Math.max(...items.keys());
  const place = key < 0n ? BigInt(last) + 1n + key : key;
  if (place < 0n || place > LAST_INDEX) throw unparsable(`${name}[${key}] lies outside of it`);
  return Number(place);
}

function unparsable(what: string): ToolError {
  return new ToolError("COMMAND_UNPARSABLE", `the line was not run further: ${what}`);
}
