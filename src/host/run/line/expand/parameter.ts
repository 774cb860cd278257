/** What parameters become: their values, elements of arrays, and what operations make of them (bash(1), Parameter Expansion). */

import { ToolError } from "../../../../core/errors.ts";
import type { Operation, Subscript, WordPart } from "../../../../core/plan.ts";
import { isSpecialVariable } from "../../../../shell/special_variables.ts";
import { calculate, keyOf } from "./arithmetic.ts";
import type { Expander } from "./expander.ts";
import type { Piece } from "./fields.ts";
import { removeMatch, replaceMatches } from "./pattern.ts";
import { shellQuoted } from "./quote.ts";
import { type LineState, statusOf } from "../_state.ts";
import { unbound } from "./unbound.ts";

type Parameter = Extract<WordPart, { readonly kind: "parameter" }>;

/** What it stands for before its operation: one value or none, or (`all`) as many as there are. */
interface ParameterValue {
  readonly values: readonly string[];
  readonly all: boolean;
  /** `*`: quoted, they become one. */
  readonly joined: boolean;
}

/** The pieces of a word that a parameter becomes. */
export async function parameterPieces(
  part: Parameter,
  state: LineState,
  expander: Expander,
): Promise<readonly Piece[]> {
  const { quoted, operation } = part;
  const name = part.indirect === true ? await namedBy(part, state, expander) : part.name;
  const subscript = part.indirect === true ? undefined : part.subscript;
  if (operation?.operator === "keys") {
    const values = state.variables.entries(name).map(([key]) => key);
    return pieces({ values, all: true, joined: subscriptJoins(subscript) }, quoted, state);
  }
  const found = await valuesOf(name, subscript, state, expander);
  const missing = found.values.length === 0;
  const shown = subscript === undefined || subscript.kind === "all" ? name : `${name}[…]`;
  if (operation !== null && "word" in operation && /^:?[-=+?]$/.test(operation.operator)) {
    return await conditional({ name, shown, quoted, found, operation }, state, expander);
  }
  const named = !found.all && state.settings.nounset && missing;
  if (named) await expander.fail(unbound(shown, state), state);
  if (operation === null) return pieces(found, quoted, state);
  if (operation.operator === "length" && !("word" in operation)) {
    const count = found.all ? found.values.length : [...found.values[0] ?? ""].length;
    return [{ kind: quoted ? "plain" : "split", text: String(count) }];
  }
  if (operation.operator === "slice" && "offset" in operation) {
    const sliced = await slice(name, found, operation, state, expander);
    return pieces({ ...found, values: sliced }, quoted, state);
  }
  const change = await changeOf(operation, state, expander);
  return pieces({ ...found, values: found.values.map(change) }, quoted, state);
}

function subscriptJoins(subscript: Subscript | undefined): boolean {
  return subscript?.kind === "all" && subscript.joined;
}

/** `${!x}`: the name that `x` holds. */
async function namedBy(
  { name, subscript }: Parameter,
  state: LineState,
  expander: Expander,
): Promise<string> {
  if (subscript?.kind === "all") return name;
  const { values: [named = ""] } = await valuesOf(name, subscript, state, expander);
  if (!/^(?:[A-Za-z_]\w*|[0-9]{1,4})$/.test(named) || isSpecialVariable(named)) {
    throw refused(
      `\${!${name}} came out as ${JSON.stringify(named.slice(0, 40))}, which is no name`,
    );
  }
  return named;
}

async function valuesOf(
  name: string,
  subscript: Subscript | undefined,
  state: LineState,
  expander: Expander,
): Promise<ParameterValue> {
  if (name === "@" || name === "*") {
    return { values: state.positional, all: true, joined: name === "*" };
  }
  const one = (value: string | undefined): ParameterValue => ({
    values: value === undefined ? [] : [value],
    all: false,
    joined: false,
  });
  if (subscript === undefined) return one(state.valueOf(name));
  const own = ownList(name, state);
  if (subscript.kind === "all") {
    const values = own ?? state.variables.entries(name).map(([, value]) => value);
    return { values, all: true, joined: subscript.joined };
  }
  const key = await keyOf(subscript, state, expander);
  if (own !== null) return one(own[Number(key) < 0 ? own.length + Number(key) : Number(key)]);
  return one(state.variables.element(name, key));
}

/** Arrays that the runner keeps itself. */
function ownList(name: string, state: LineState): readonly string[] | null {
  if (name === "PIPESTATUS") return state.stages.map((one) => String(statusOf(one)));
  if (name === "FUNCNAME" && state.shell === "bash") return state.callers;
  if (name === "BASH_SOURCE") {
    const source = state.valueOf(name);
    return source === undefined ? [] : [source];
  }
  if (name !== "BASH_REMATCH") return null;
  if (state.matched === null) {
    throw refused("what the parts of the last =~ matched is not known: it has alternatives");
  }
  return state.matched;
}

function pieces(
  { values, all, joined }: ParameterValue,
  quoted: boolean,
  state: LineState,
): readonly Piece[] {
  const kind = quoted ? "plain" : "split";
  if (!all) return [{ kind, text: values[0] ?? "" }];
  if (quoted && joined) {
    return [{ kind, text: values.join(state.separators === "" ? "" : state.separators[0]) }];
  }
  return values.flatMap((text, index): Piece[] => [
    ...(index === 0 ? [] : [{ kind: "break", text: "" } as const]),
    { kind, text },
  ]);
}

interface Conditional {
  readonly name: string;
  readonly shown: string;
  readonly quoted: boolean;
  readonly found: ParameterValue;
  readonly operation: Extract<Operation, { readonly word: unknown }>;
}

/** `:-` and its like. */
async function conditional(
  { name, shown, quoted, found, operation: { operator, word } }: Conditional,
  state: LineState,
  expander: Expander,
): Promise<readonly Piece[]> {
  const { values } = found;
  const nothing = operator.startsWith(":")
    ? values.length === 0 || (values.length === 1 && values[0] === "")
    : values.length === 0;
  const alternative = async (): Promise<readonly Piece[]> =>
    quoted
      ? [{ kind: "plain", text: await expander.text(word, state) }]
      : await expander.pieces(word, state);
  // Unquoted, its own letters are split too; whether they were quoted is not known any more.
  const { separators } = state;
  const splits = !quoted && separators !== " \t\n" &&
    word.some((part) =>
      part.kind === "text" && [...part.text].some((one) => separators.includes(one))
    );
  if (splits && nothing !== (operator.at(-1) === "+")) {
    throw refused(`\${${name}${operator}…} holds what IFS separates at: quote it`);
  }
  switch (operator.at(-1)) {
    case "+":
      return nothing ? pieces({ ...found, values: [] }, quoted, state) : await alternative();
    case "?": {
      if (!nothing) return pieces(found, quoted, state);
      const said = await expander.text(word, state);
      const missing = operator === "?"
        ? "parameter not set"
        : state.shell === "sh"
        ? "parameter not set or null"
        : "parameter null or not set";
      return await expander.fail(`${shown}: ${said || missing}`, state);
    }
    case "=": {
      if (!nothing) return pieces(found, quoted, state);
      if (found.all || shown !== name) throw refused(`\${${shown}=…} sets no one variable`);
      const text = await expander.text(word, state);
      await expander.allowVariable(name, state);
      state.assign(name, text);
      return [{ kind: quoted ? "plain" : "split", text }];
    }
    default:
      return nothing ? await alternative() : pieces(found, quoted, state);
  }
}

async function slice(
  name: string,
  { values, all }: ParameterValue,
  operation: Extract<Operation, { readonly operator: "slice" }>,
  state: LineState,
  expander: Expander,
): Promise<readonly string[]> {
  const offset = Number(await calculate(operation.offset, state, expander));
  const length = operation.length === null
    ? null
    : Number(await calculate(operation.length, state, expander));
  const positional = name === "@" || name === "*";
  // `${@:0}` begins with what the script is called.
  const items = !all ? [...values[0] ?? ""] : positional ? [state.name, ...values] : values;
  const start = offset < 0 ? items.length + offset : offset;
  if (all && !positional && offset < 0 && start < 0) return [];
  if (length !== null && length < 0 && all) {
    throw refused(`\${${name}:…} counts ${length} elements`);
  }
  const end = length === null ? items.length : length < 0 ? items.length + length : start + length;
  if (length !== null && length < 0 && end < start) {
    // Of what is not set there is nothing to count back from, and nothing to say.
    if (values.length === 0) return [""];
    return await expander.fail(`${length}: substring expression < 0`, state, 1);
  }
  const sliced = start < 0 ? [] : items.slice(start, Math.max(start, end));
  return all ? sliced : [sliced.join("")];
}

/** What the operation makes of each value. */
async function changeOf(
  operation: Operation,
  state: LineState,
  expander: Expander,
): Promise<(text: string) => string> {
  if ("word" in operation) {
    const { operator } = operation;
    const pattern = await expander.pattern(operation.word, state);
    if (/^[#%]/.test(operator)) return (text) => removeMatch(text, pattern, operator);
    if (pattern !== "" && pattern !== "?") {
      throw refused(`\${…${operator}${pattern}}: letters are changed all, or the first`);
    }
    const upper = operator.startsWith("^");
    return (text) => recased(text, upper, operator.length === 2);
  }
  switch (operation.operator) {
    case "replace": {
      const pattern = await expander.pattern(operation.pattern, state);
      const replacement = await replacementOf(operation, state, expander);
      return (text) => replaceMatches(text, pattern, replacement, operation.where);
    }
    case "transform":
      switch (operation.letter) {
        case "Q":
          return shellQuoted;
        case "u":
          return (text) => recased(text, true, false);
        default:
          return (text) => recased(text, operation.letter === "U", true);
      }
    default:
      return (text) => text;
  }
}

/** Letters of ASCII, as in the C locale; others hang on the machine's. */
function recased(text: string, upper: boolean, all: boolean): string {
  // deno-lint-ignore no-control-regex
  if (/[^\x00-\x7f]/.test(text)) {
    throw refused("letters beyond ASCII are changed as the locale says");
  }
  const changed = (part: string): string => upper ? part.toUpperCase() : part.toLowerCase();
  return all ? changed(text) : changed(text.slice(0, 1)) + text.slice(1);
}

/** What goes in for a match: texts, and (null) the match itself, for which `&` stands where nothing quotes it. */
async function replacementOf(
  { replacement }: Extract<Operation, { readonly operator: "replace" }>,
  state: LineState,
  expander: Expander,
): Promise<readonly (string | null)[]> {
  const found: (string | null)[] = [];
  for (const { kind, text } of await expander.pieces(replacement, state)) {
    if (kind === "plain") found.push(text);
    else if (kind === "pattern" && text === "&") found.push(null);
    else if (kind === "split" && /[&\\]/.test(text)) {
      throw refused(
        "what replaces a pattern came out with & or a backslash: put it in double quotes",
      );
    } else found.push(kind === "break" ? " " : text);
  }
  return found;
}

function refused(what: string): ToolError {
  return new ToolError("COMMAND_UNPARSABLE", `the line was not run further: ${what}`);
}
