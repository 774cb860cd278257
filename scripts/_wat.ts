/**
 * Assembles WebAssembly's text format, as far as the modules of this repository are written in it: one memory that is
 * imported, exported functions, folded instructions (WebAssembly Core Specification 2.0, chapters 5 and 6). What is not
 * known here is refused by name.
 */

/** A word, a text in quotes, or a list in parentheses. */
type Form = string | readonly Form[];

/** Binary codes of types. */
const TYPES: Readonly<Record<string, number>> = { i32: 0x7f, v128: 0x7b };

/** What a block leaves behind: nothing. */
const NO_RESULT = 0x40;

/** Instructions that take operands and nothing else: how many, and their code. */
const PLAIN: Readonly<Record<string, readonly [operands: number, code: readonly number[]]>> = {
  "i32.eqz": [1, [0x45]],
  "i32.eq": [2, [0x46]],
  "i32.ne": [2, [0x47]],
  "i32.gt_s": [2, [0x4a]],
  "i32.ctz": [1, [0x68]],
  "i32.add": [2, [0x6a]],
  "i32.sub": [2, [0x6b]],
  "i32.and": [2, [0x71]],
  "i32.or": [2, [0x72]],
  "i8x16.splat": [1, vector(15)],
  "i8x16.eq": [2, vector(35)],
  "v128.and": [2, vector(78)],
  "v128.or": [2, vector(80)],
  "i8x16.all_true": [1, vector(99)],
  "i8x16.bitmask": [1, vector(100)],
  "i8x16.min_u": [2, vector(119)],
  "return": [1, [0x0f]],
};

/** Instructions that load from an address: their code, and the alignment they have unless they say another, in bytes. */
const LOADS: Readonly<Record<string, readonly [code: readonly number[], align: number]>> = {
  "i32.load8_u": [[0x2d], 1],
  "v128.load": [vector(0), 16],
};

/** Instructions on a local variable, before their operand if they have one. */
const LOCALS: Readonly<Record<string, readonly [operands: number, code: number]>> = {
  "local.get": [0, 0x20],
  "local.set": [1, 0x21],
  "local.tee": [1, 0x22],
};

/** A function: its type and its body, each as the binary format has it. */
interface Assembled {
  readonly type: readonly number[];
  readonly name: string;
  readonly body: readonly number[];
}

/** What names mean inside a function. */
interface Names {
  readonly locals: readonly string[];
  /** The innermost last. */
  readonly labels: readonly string[];
}

/** The binary module. Throws a SyntaxError that names what is not understood. */
export function assemble(text: string): Uint8Array<ArrayBuffer> {
  const [module, ...more] = parse(text);
  const fields = more.length === 0 ? bodyOf(module, "module") : null;
  if (fields === null) throw new SyntaxError("a text holds one module");
  const imports = fields.flatMap((field) => bodyOf(field, "import") === null ? [] : [field]);
  const functions = fields.filter((field) => !imports.includes(field)).map(assembleFunction);
  const types = [...new Set(functions.map(({ type }) => type.join()))];
  const indexOf = ({ type }: Assembled) => types.indexOf(type.join());
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, types.map((type) => type.split(",").map(Number))),
    ...section(2, imports.map(assembleImport)),
    ...section(3, functions.map((one) => unsigned(indexOf(one)))),
    ...section(7, functions.map(({ name }, index) => [...named(name), 0, ...unsigned(index)])),
    ...section(10, functions.map(({ body }) => [...unsigned(body.length), ...body])),
  ]);
}

function parse(text: string): readonly Form[] {
  const open: Form[][] = [[]];
  for (const [token] of text.matchAll(/;;.*|\(|\)|"[^"]*"|[^\s()";]+|\S/g)) {
    if (token.startsWith(";;")) continue;
    if (token === "(") open.push([]);
    else if (token !== ")") open.at(-1)?.push(token);
    else {
      const list = open.pop() ?? [];
      const around = open.at(-1);
      if (around === undefined) throw new SyntaxError("a ) closes nothing");
      around.push(list);
    }
  }
  const [whole = []] = open;
  if (open.length !== 1) throw new SyntaxError("a ( is not closed");
  return whole;
}

/** What follows the word at the head of a list; null for other forms. */
function bodyOf(form: Form | undefined, head: string): readonly Form[] | null {
  return form !== undefined && typeof form !== "string" && form[0] === head ? form.slice(1) : null;
}

function assembleImport(form: Form): readonly number[] {
  const [module = "", name = "", what] = bodyOf(form, "import") ?? [];
  const [least, ...more] = bodyOf(what, "memory") ?? [];
  if (least === undefined || more.length > 0) throw unknown(form);
  return [...named(textOf(module)), ...named(textOf(name)), 2, 0, ...unsigned(wholeOf(least))];
}

function assembleFunction(form: Form): Assembled {
  const parts = bodyOf(form, "func");
  if (parts === null) throw unknown(form);
  const head = (word: string) => parts.flatMap((part) => [bodyOf(part, word) ?? []]);
  const variables = (word: string) => head(word).filter((found) => found.length > 0).map(variable);
  const params = variables("param");
  const locals = variables("local");
  const results = head("result").flat().map((type) => typeCode(type));
  const [name] = head("export").flat();
  if (name === undefined) throw new SyntaxError("a function is exported, or nobody calls it");
  const types = params.map(({ type }) => type);
  const names = { locals: [...params, ...locals].map((one) => one.name), labels: [] };
  const declared = ["param", "local", "result", "export"];
  const code = parts.filter((part) => !declared.some((word) => bodyOf(part, word) !== null));
  return {
    type: [0x60, ...unsigned(types.length), ...types, ...unsigned(results.length), ...results],
    name: textOf(name),
    body: [...runs(locals.map(({ type }) => type)), ...all(code, names), 0x0b],
  };
}

function variable([name, type, ...more]: readonly Form[]) {
  if (typeof name !== "string" || !name.startsWith("$") || type === undefined || more.length > 0) {
    throw new SyntaxError(
      `a variable is ($name type), not ${JSON.stringify([name, type, ...more])}`,
    );
  }
  return { name, type: typeCode(type) };
}

/** The types of local variables, those that follow each other counted. */
function runs(types: readonly number[]): readonly number[] {
  const found: { readonly type: number; readonly count: number }[] = [];
  for (const type of types) {
    const last = found.at(-1);
    if (last?.type === type) found.splice(-1, 1, { type, count: last.count + 1 });
    else found.push({ type, count: 1 });
  }
  return [
    ...unsigned(found.length),
    ...found.flatMap(({ type, count }) => [...unsigned(count), type]),
  ];
}

function all(forms: readonly Form[], names: Names): readonly number[] {
  return forms.flatMap((form) => instruction(form, names));
}

/** One folded instruction: its operands, then itself. */
function instruction(form: Form, names: Names): readonly number[] {
  if (typeof form === "string" || typeof form[0] !== "string") throw unknown(form);
  const [word, ...rest] = form;
  const plain = entryOf(PLAIN, word);
  if (plain !== undefined) return [...operands(form, rest, plain[0], names), ...plain[1]];
  const local = entryOf(LOCALS, word);
  if (local !== undefined) {
    const [count, code] = local;
    const [name, ...values] = rest;
    return [...operands(form, values, count, names), code, ...placeOf(names.locals, name, form)];
  }
  const load = entryOf(LOADS, word);
  if (load !== undefined) return loading(form, rest, load, names);
  switch (word) {
    case "i32.const":
      return rest.length === 1 ? [0x41, ...signed(wholeOf(rest[0] ?? ""))] : refuse(form);
    case "block":
    case "loop": {
      const [label, ...body] = rest;
      if (typeof label !== "string") return refuse(form);
      const inside = { ...names, labels: [...names.labels, label] };
      return [word === "block" ? 0x02 : 0x03, NO_RESULT, ...all(body, inside), 0x0b];
    }
    case "if": {
      const [condition, then, ...more] = rest;
      const body = bodyOf(then, "then");
      if (condition === undefined || body === null || more.length > 0) return refuse(form);
      const inside = { ...names, labels: [...names.labels, ""] };
      return [...instruction(condition, names), 0x04, NO_RESULT, ...all(body, inside), 0x0b];
    }
    case "br":
    case "br_if": {
      const [label, ...values] = rest;
      const code = word === "br" ? 0x0c : 0x0d;
      const depth = placeOf(names.labels.toReversed(), label, form);
      return [...operands(form, values, word === "br" ? 0 : 1, names), code, ...depth];
    }
    default:
      return refuse(form);
  }
}

function loading(
  form: Form,
  rest: readonly Form[],
  [code, natural]: readonly [readonly number[], number],
  names: Names,
): readonly number[] {
  const settings = rest.filter((one) => typeof one === "string");
  const values = rest.filter((one) => typeof one !== "string");
  const setting = (name: string) => settings.find((one) => one.startsWith(`${name}=`));
  const known = [setting("offset"), setting("align")];
  if (settings.some((one) => !known.includes(one))) return refuse(form);
  const [offset, align] = known.map((one) => one?.slice(one.indexOf("=") + 1));
  const alignment = Math.log2(align === undefined ? natural : wholeOf(align));
  if (!Number.isInteger(alignment)) return refuse(form);
  return [
    ...operands(form, values, 1, names),
    ...code,
    ...unsigned(alignment),
    ...unsigned(wholeOf(offset ?? "0")),
  ];
}

function operands(form: Form, values: readonly Form[], count: number, names: Names) {
  return values.length === count ? all(values, names) : refuse(form);
}

/** The index of a name; of two that are the same, the first. */
function placeOf(
  known: readonly string[],
  name: Form | undefined,
  form: Form,
): readonly number[] {
  const index = known.findIndex((one) => one === name && one !== "");
  return index < 0 ? refuse(form) : unsigned(index);
}

function entryOf<T>(table: Readonly<Record<string, T>>, word: string): T | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}

function typeCode(form: Form): number {
  const code = typeof form === "string" ? entryOf(TYPES, form) : undefined;
  if (code === undefined) throw unknown(form);
  return code;
}

function textOf(form: Form): string {
  const text = typeof form === "string" ? /^"([^"\\]*)"$/.exec(form)?.[1] : undefined;
  if (text === undefined) throw unknown(form);
  return text;
}

function wholeOf(form: Form): number {
  if (typeof form !== "string" || !/^-?[0-9]{1,9}$/.test(form)) throw unknown(form);
  return Number(form);
}

function refuse(form: Form): never {
  throw unknown(form);
}

function unknown(form: Form): SyntaxError {
  return new SyntaxError(`not understood: ${JSON.stringify(form).slice(0, 200)}`);
}

function section(id: number, items: readonly (readonly number[])[]): readonly number[] {
  const content = [...unsigned(items.length), ...items.flat()];
  return [id, ...unsigned(content.length), ...content];
}

function named(text: string): readonly number[] {
  const bytes = new TextEncoder().encode(text);
  return [...unsigned(bytes.length), ...bytes];
}

function vector(code: number): readonly number[] {
  return [0xfd, ...unsigned(code)];
}

/** LEB128, as the binary format writes whole numbers: unsigned. */
function unsigned(value: number): readonly number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...unsigned(value >>> 7)];
}

/** LEB128, signed. */
function signed(value: number): readonly number[] {
  const last = value >= -0x40 && value < 0x40;
  return last ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...signed(value >> 7)];
}
