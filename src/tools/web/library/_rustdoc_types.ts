/** Types and signatures of rustdoc's JSON, as Rust writes them. What a newer format calls otherwise is shown as `…`. */

import { isObject } from "../../../core/json_value.ts";
import type { Fields } from "./registry.ts";

/** Types within types that are written out. */
const DEEPEST = 12;

/** One type. */
export function typeText(type: unknown, depth = 0): string {
  if (type === null || type === undefined) return "()";
  if (type === "infer") return "_";
  const [kind, value] = only(type);
  if (depth > DEEPEST || kind === null) return "…";
  const inner = (one: unknown) => typeText(one, depth + 1);
  const fields: Fields = isObject(value) ? value : {};
  switch (kind) {
    case "resolved_path":
      return pathText(fields, depth);
    case "generic":
    case "primitive":
      return String(value);
    case "tuple":
      return `(${listIn(value).map(inner).join(", ")})`;
    case "slice":
      return `[${inner(value)}]`;
    case "array":
      return `[${inner(fields.type)}; ${wordOf(fields.len)}]`;
    case "impl_trait":
      return `impl ${boundsText(value, depth)}`;
    case "dyn_trait":
      return `dyn ${
        [
          ...listIn(fields.traits).map((one) =>
            isObject(one) && isObject(one.trait) ? pathText(one.trait, depth) : "…"
          ),
          ...(typeof fields.lifetime === "string" ? [fields.lifetime] : []),
        ].join(" + ")
      }`;
    case "borrowed_ref": {
      const lifetime = typeof fields.lifetime === "string" ? `${fields.lifetime} ` : "";
      return `&${lifetime}${fields.is_mutable === true || fields.mutable === true ? "mut " : ""}${
        inner(fields.type)
      }`;
    }
    case "raw_pointer":
      return `*${fields.is_mutable === true || fields.mutable === true ? "mut" : "const"} ${
        inner(fields.type)
      }`;
    case "qualified_path": {
      const trait = isObject(fields.trait) ? pathText(fields.trait, depth) : "";
      const own = inner(fields.self_type);
      const name = wordOf(fields.name);
      return trait === "" ? `${own}::${name}` : `<${own} as ${trait}>::${name}`;
    }
    case "function_pointer": {
      const of = isObject(fields.sig) ? fields.sig : isObject(fields.decl) ? fields.decl : {};
      return `fn${argumentsText(of, depth)}`;
    }
    default:
      return "…";
  }
}

/** `name<generics>(arguments) -> output where …`, with the words before it. */
export function functionText(name: string, value: Fields): string {
  const of = isObject(value.sig) ? value.sig : isObject(value.decl) ? value.decl : {};
  const header = isObject(value.header) ? value.header : {};
  const has = (word: string) => header[`is_${word}`] === true || header[word] === true;
  const words = ["const", "async", "unsafe"].filter(has).map((word) => `${word} `).join("");
  return `${words}fn ${name}${genericsText(value.generics)}${argumentsText(of, 0)}${
    whereText(value.generics)
  }`;
}

/** `<'a, T: Bound>`; "" where there are none. */
export function genericsText(generics: unknown): string {
  const params = isObject(generics) ? listIn(generics.params) : [];
  const shown = params.filter(isObject).flatMap((param) => {
    const [kind, value] = only(param.kind);
    const fields: Fields = isObject(value) ? value : {};
    // `impl Trait` in the place of an argument.
    if (fields.is_synthetic === true || fields.synthetic === true) return [];
    const name = wordOf(param.name);
    if (kind === "const") return [`const ${name}: ${typeText(fields.type)}`];
    if (kind === "lifetime") return [name];
    const bounds = boundsText(fields.bounds, 0);
    return [bounds === "" ? name : `${name}: ${bounds}`];
  });
  return shown.length === 0 ? "" : `<${shown.join(", ")}>`;
}

/** ` where T: Bound`; "" where there is none. */
export function whereText(generics: unknown): string {
  const predicates = isObject(generics) ? listIn(generics.where_predicates) : [];
  const shown = predicates.flatMap((one) => {
    const [kind, value] = only(one);
    if (kind !== "bound_predicate" || !isObject(value)) return [];
    const bounds = boundsText(value.bounds, 0);
    return bounds === "" ? [] : [`${typeText(value.type)}: ${bounds}`];
  });
  return shown.length === 0 ? "" : ` where ${shown.join(", ")}`;
}

/** `Clone + 'a` */
export function boundsText(bounds: unknown, depth: number): string {
  return listIn(bounds).flatMap((bound) => {
    const [kind, value] = only(bound);
    if (kind === "outlives") return [wordOf(value)];
    if (kind !== "trait_bound" || !isObject(value)) return [];
    const maybe = value.modifier === "maybe" ? "?" : "";
    return isObject(value.trait) ? [maybe + pathText(value.trait, depth)] : [];
  }).join(" + ");
}

/** A path with its arguments; `path` since format 43, `name` before. */
export function pathText(path: Fields, depth = 0): string {
  const name = wordOf(path.path ?? path.name);
  if (depth > DEEPEST) return name;
  const [kind, value] = only(path.args);
  const fields: Fields = isObject(value) ? value : {};
  if (kind === "parenthesized") return name + argumentsText(fields, depth);
  if (kind !== "angle_bracketed") return name;
  const args = listIn(fields.args).map((one) => {
    const [of, inner] = only(one);
    if (of === "type") return typeText(inner, depth + 1);
    if (of === "lifetime") return wordOf(inner);
    return of === "const" && isObject(inner) ? wordOf(inner.expr) : "_";
  });
  const equal = listIn(fields.constraints ?? fields.bindings).filter(isObject).map((one) => {
    const [how, what] = only(one.binding);
    const [, term] = only(what);
    return how === "equality"
      ? `${wordOf(one.name)} = ${typeText(term, depth + 1)}`
      : `${wordOf(one.name)}: ${boundsText(what, depth + 1)}`;
  });
  const all = [...args, ...equal];
  return all.length === 0 ? name : `${name}<${all.join(", ")}>`;
}

function argumentsText({ inputs, output }: Fields, depth: number): string {
  const written = listIn(inputs).map((one) => {
    // A pointer to a function names no arguments, a trait in parentheses neither.
    if (!Array.isArray(one)) return typeText(one, depth + 1);
    const [name, type] = one;
    const text = typeText(type, depth + 1);
    if (name !== "self") return name === "" || name === "_" ? text : `${wordOf(name)}: ${text}`;
    return text === "Self"
      ? "self"
      : /^&(?:'\w+ )?(?:mut )?Self$/.test(text)
      ? text.replace(/Self$/, "self")
      : `self: ${text}`;
  });
  const back = output === null || output === undefined ? "" : ` -> ${typeText(output, depth + 1)}`;
  return `(${written.join(", ")})${back}`;
}

/** The one member of `{ kind: value }`; a word alone has no value. */
export function only(value: unknown): readonly [string | null, unknown] {
  if (typeof value === "string") return [value, null];
  if (!isObject(value)) return [null, null];
  const [entry] = Object.entries(value);
  return entry ?? [null, null];
}

/** A list; empty for anything else. */
export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function wordOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "_";
}
