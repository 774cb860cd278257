/**
 * pprof's protocol buffer: https://github.com/google/pprof/blob/main/proto/profile.proto, whose field numbers
 * stand here. Written by Go, and by profilers of most languages.
 */

import { CallTree, ROOT } from "./call_tree.ts";
import { damaged, tooMany } from "./failures.ts";
import {
  FrameTable,
  isWeight,
  positionOf,
  type Reading,
  SkipList,
  type StackProfile,
  unitOf,
} from "./model.ts";
import { type Field, fieldsOf, numbersOf, signed, WireError } from "./protobuf.ts";

const WHAT = "a pprof profile";
/** Fields of `Profile`. */
const PROFILE = { sampleType: 1, sample: 2, location: 4, function: 5, string: 6, defaultType: 14 };
/** The largest field of `Profile`: `doc_url`. */
const LAST_FIELD = 15;

/** Names, functions and places: a large service has a hundred thousand. */
const MOST_ENTRIES = 1_000_000;
/** Go's profiles have up to four. */
const MOST_TYPES = 100;

/** An id: Go counts from 1, others take addresses or hashes. */
type Id = number | bigint;

/** What the fields of a profile say, samples aside, which are read when all names are known. */
interface Tables {
  readonly strings: readonly Field[];
  readonly types: readonly { readonly type: number; readonly unit: number }[];
  readonly functions: ReadonlyMap<Id, FunctionEntry>;
  readonly locations: ReadonlyMap<Id, LocationEntry>;
  /** How many there are. */
  readonly samples: number;
  readonly defaultType: number;
}

interface FunctionEntry {
  readonly name: number;
  readonly systemName: number;
  readonly file: number;
  readonly startLine: number;
}

interface LocationEntry {
  readonly address: Id;
  /** Functions, the innermost of those that were inlined first. */
  readonly functions: readonly Id[];
}

/** Whether bytes begin as one: known fields, of their kinds, as far as they can be seen. */
export function isPprof(start: Uint8Array): boolean {
  let seen = false;
  try {
    for (const { number, wire } of fieldsOf(start, 0, start.length)) {
      if (number > LAST_FIELD || wire === 1 || wire === 5) return false;
      if (number <= 6 && wire !== 2) return false;
      seen ||= number === PROFILE.sampleType || number === PROFILE.sample;
    }
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
  }
  return seen;
}

/**
 * Reads it: the values of its default sample type, or of the last one, as `pprof` does. Throws UNKNOWN_PROFILE,
 * RESOURCE_LIMIT.
 */
export function readPprof(bytes: Uint8Array, { checkpoint }: Reading): StackProfile {
  try {
    return read(bytes, checkpoint);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw damaged(WHAT, `${error.message}: it is damaged or cut off`);
  }
}

function read(bytes: Uint8Array, checkpoint: () => void): StackProfile {
  const tables = readTables(bytes, checkpoint);
  const { types, samples, defaultType } = tables;
  const text = textsOf(bytes, tables.strings);
  if (types.length === 0 || samples === 0) throw damaged(WHAT, "it holds no samples");
  if (tables.strings.length === 0) throw damaged(WHAT, "it has no names: it is cut off");
  const wanted = types.findIndex(({ type }) => defaultType > 0 && type === defaultType);
  const column = wanted === -1 ? types.length - 1 : wanted;
  const chosen = types[column] ?? { type: 0, unit: 0 };
  const { unit, factor } = unitOf(text(chosen.unit) || "count");

  const table = new FrameTable();
  const tree = new CallTree();
  const skips = new SkipList();
  const framesAt = framesOf(tables, table, text);
  let negative = false;
  let steps = 0;
  for (const sample of fieldsOf(bytes, 0, bytes.length)) {
    if (sample.number !== PROFILE.sample || sample.wire !== 2) continue;
    if ((steps++ & 0xfff) === 0) checkpoint();
    const places: Id[] = [];
    const values: number[] = [];
    for (const field of fieldsOf(bytes, sample.from, sample.to)) {
      if (field.number !== 1 && field.number !== 2) continue;
      for (const value of numbersOf(bytes, field)) {
        if ((steps++ & 0xfff) === 0) checkpoint();
        if (field.number === 1) places.push(value);
        else values.push(signed(value));
      }
    }
    const value = values[column];
    if (value === undefined || !isWeight(value)) {
      skips.add("samples without a value");
      continue;
    }
    if (value === 0) continue;
    negative ||= value < 0;
    let node = ROOT;
    // The innermost comes first, of places as of what was inlined at them.
    for (let at = places.length - 1; at >= 0; at--) {
      if ((steps++ & 0xfff) === 0) checkpoint();
      const frames = framesAt(places[at] ?? 0);
      if (frames === null) skips.add("places that are not there");
      else for (let i = frames.length - 1; i >= 0; i--) node = tree.child(node, frames[i] ?? 0);
    }
    if (node !== ROOT) tree.add(node, value * factor);
  }
  const others = types.filter((_, index) => index !== column).map(({ type }) => text(type));
  return {
    kind: "stacks",
    format: "pprof",
    unit,
    samples,
    frames: table.frames,
    tree,
    skipped: skips.list(),
    notes: [
      ...(others.length > 0
        ? [`of ${text(chosen.type)}; it holds ${others.slice(0, 5).join(", ")}, too`]
        : []),
      ...(negative ? ["it is a difference: some of its values are below zero"] : []),
    ],
  };
}

function readTables(bytes: Uint8Array, checkpoint: () => void): Tables {
  const strings: Field[] = [];
  const types: { type: number; unit: number }[] = [];
  const functions = new Map<Id, FunctionEntry>();
  const locations = new Map<Id, LocationEntry>();
  let samples = 0;
  let defaultType = 0;
  let steps = 0;
  for (const field of fieldsOf(bytes, 0, bytes.length)) {
    if ((steps++ & 0xfff) === 0) checkpoint();
    if (field.number === PROFILE.defaultType) defaultType = Number(field.value);
    if (field.wire !== 2) continue;
    if (strings.length + functions.size + locations.size > MOST_ENTRIES) {
      throw tooMany("names and places", MOST_ENTRIES);
    }
    switch (field.number) {
      case PROFILE.sampleType: {
        const [, type, unit] = numbersAt(bytes, field, 2);
        if (types.length < MOST_TYPES) types.push({ type: Number(type), unit: Number(unit) });
        break;
      }
      case PROFILE.sample:
        samples++;
        break;
      case PROFILE.location: {
        const [, id = 0, , address = 0] = numbersAt(bytes, field, 3);
        locations.set(id, { address, functions: functionsAt(bytes, field) });
        break;
      }
      case PROFILE.function: {
        const [, id = 0, name, systemName, file, startLine] = numbersAt(bytes, field, 5);
        functions.set(id, {
          name: Number(name),
          systemName: Number(systemName),
          file: Number(file),
          startLine: Number(startLine),
        });
        break;
      }
      case PROFILE.string:
        strings.push(field);
        break;
    }
  }
  return { strings, types, functions, locations, samples, defaultType };
}

/** The plain numbers of a message up to a field, by field; 0 where one is missing. */
function numbersAt(bytes: Uint8Array, message: Field, most: number): readonly Id[] {
  const values: Id[] = new Array<Id>(most + 1).fill(0);
  for (const { number, wire, value } of fieldsOf(bytes, message.from, message.to)) {
    if (wire === 0 && number <= most) values[number] = value;
  }
  return values;
}

/** The functions of a location's lines. */
function functionsAt(bytes: Uint8Array, location: Field): readonly Id[] {
  const LINE = 4;
  const functions: Id[] = [];
  for (const field of fieldsOf(bytes, location.from, location.to)) {
    if (field.number !== LINE || field.wire !== 2) continue;
    functions.push(numbersAt(bytes, field, 1)[1] ?? 0);
  }
  return functions;
}

/** Texts by their number, each decoded when it is first asked for. */
function textsOf(bytes: Uint8Array, strings: readonly Field[]): (index: number) => string {
  const decoder = new TextDecoder();
  const known = new Map<number, string>();
  return (index) => {
    const text = known.get(index);
    if (text !== undefined) return text;
    const field = strings[index];
    const made = field === undefined ? "" : decoder.decode(bytes.subarray(field.from, field.to));
    known.set(index, made);
    return made;
  };
}

/** Frames of a location, the innermost first; null where it is not there. */
function framesOf(
  { functions, locations }: Tables,
  table: FrameTable,
  text: (index: number) => string,
): (id: Id) => readonly number[] | null {
  const known = new Map<Id, readonly number[] | null>();
  const make = (id: Id): readonly number[] | null => {
    const location = locations.get(id);
    if (location === undefined) return null;
    const frames = location.functions.flatMap((id) => {
      const found = functions.get(id);
      if (found === undefined) return [];
      const name = text(found.name) || text(found.systemName);
      return [table.index(name, text(found.file), positionOf(found.startLine))];
    });
    return frames.length > 0 ? frames : [table.index(`0x${location.address.toString(16)}`)];
  };
  return (id) => {
    const frames = known.get(id);
    if (frames !== undefined) return frames;
    const made = make(id);
    known.set(id, made);
    return made;
  };
}
