/** The interface of a crate, from the JSON of rustdoc (formats since 37; rust-lang/rust, rustdoc-json-types). */

import { isObject } from "../../../core/json_value.ts";
import { summaryOf } from "../documentation/documentation.ts";
import { textOf } from "../_provider.ts";
import { type LibrarySymbol, MOST_SYMBOLS } from "./library.ts";
import type { Fields } from "./registry.ts";
import {
  boundsText,
  functionText,
  genericsText,
  listIn,
  only,
  typeText,
  whereText,
} from "./_rustdoc_types.ts";

/** Modules within modules. */
const DEEPEST = 24;

/** Of one crate. */
export interface Crate {
  readonly version: string;
  readonly summary: string;
  readonly symbols: readonly LibrarySymbol[];
}

/** Null for what is no such JSON. */
export function readRustdoc(value: unknown, pause: () => void): Crate | null {
  if (!isObject(value) || !isObject(value.index)) return null;
  const reader = new Reader(value.index, pause);
  const root = reader.item(value.root);
  if (root === null) return null;
  reader.tellModule(root, textOf(root.name), 0);
  return {
    version: textOf(value.crate_version),
    summary: summaryOf(textOf(root.docs)).summary ?? "",
    symbols: reader.found.slice(0, MOST_SYMBOLS),
  };
}

class Reader {
  readonly #index: Fields;
  readonly #pause: () => void;
  readonly #told = new Set<string>();
  readonly found: LibrarySymbol[] = [];

  constructor(index: Fields, pause: () => void) {
    this.#index = index;
    this.#pause = pause;
  }

  item(id: unknown): Fields | null {
    const key = typeof id === "string" || typeof id === "number" ? String(id) : "";
    const item = Object.hasOwn(this.#index, key) ? this.#index[key] : null;
    return isObject(item) ? item : null;
  }

  tellModule(module: Fields, path: string, depth: number): void {
    const [kind, value] = only(module.inner);
    const key = `${String(module.id)} ${path}`;
    if (depth > DEEPEST || this.#told.has(key) || !isObject(value)) return;
    this.#told.add(key);
    const items = kind === "enum" ? value.variants : value.items;
    for (const id of listIn(items)) {
      const item = this.item(id);
      if (item !== null && (item.visibility === "public" || kind === "enum")) {
        this.#tell(item, path, textOf(item.name), depth);
      }
    }
  }

  #tell(item: Fields, path: string, name: string, depth: number): void {
    if (this.found.length > MOST_SYMBOLS) return;
    this.#pause();
    const [kind, inner] = only(item.inner);
    const value: Fields = isObject(inner) ? inner : {};
    const place = `${path}::${name}`;
    const generics = genericsText(value.generics);
    const where = whereText(value.generics);
    switch (kind) {
      case "module":
        this.#add(item, place, "module", `mod ${name}`);
        this.tellModule(item, place, depth + 1);
        return;
      case "use":
      case "import":
        this.#tellUse(value, path, depth);
        return;
      case "function":
        this.#add(item, place, "function", functionText(name, value));
        return;
      case "struct":
      case "union":
        this.#add(item, place, kind, `${kind} ${name}${generics}${where}`);
        this.#tellFields(value, place);
        this.#tellMethods(value, place);
        return;
      case "enum":
        this.#add(item, place, "enum", `enum ${name}${generics}${where}`);
        for (const id of listIn(value.variants)) {
          const variant = this.item(id);
          if (variant === null) continue;
          const own = textOf(variant.name);
          this.#add(variant, `${place}::${own}`, "variant", this.#variantText(variant, own));
        }
        this.#tellMethods(value, place);
        return;
      case "trait": {
        const bounds = boundsText(value.bounds, 0);
        const above = bounds === "" ? "" : `: ${bounds}`;
        this.#add(item, place, "trait", `trait ${name}${generics}${above}${where}`);
        this.#tellItems(value.items, place);
        return;
      }
      case "trait_alias":
        this.#add(
          item,
          place,
          "trait",
          `trait ${name}${generics} = ${boundsText(value.params, 0)}`,
        );
        return;
      case "type_alias":
      case "typedef":
        this.#add(item, place, "type", `type ${name}${generics} = ${typeText(value.type)}`);
        return;
      case "constant":
        this.#add(item, place, "constant", `const ${name}: ${typeText(value.type)}`);
        return;
      case "static":
        this.#add(item, place, "static", `static ${name}: ${typeText(value.type)}`);
        return;
      case "macro":
      case "proc_macro":
        this.#add(item, place, "macro", `${name}!`);
        return;
    }
  }

  /** What is used from elsewhere stands where it is used; of another crate, by its path alone. */
  #tellUse(use: Fields, path: string, depth: number): void {
    const target = this.item(use.id);
    const isAll = use.is_glob === true || use.glob === true;
    const name = textOf(use.name);
    if (target === null) {
      const source = textOf(use.source) + (isAll ? "::*" : "");
      this.found.push({
        name: `${path}::${isAll ? "*" : name}`,
        kind: "re-export",
        signature: `pub use ${source}`,
        summary: "",
      });
    } else if (isAll) this.tellModule(target, path, depth + 1);
    else if (depth < DEEPEST) this.#tell(target, path, name, depth + 1);
  }

  #tellFields(value: Fields, place: string): void {
    const [kind, inner] = only(value.kind);
    const fields = kind === "plain" && isObject(inner) ? inner.fields : value.fields;
    for (const id of listIn(fields)) {
      const field = this.item(id);
      if (field?.visibility !== "public") continue;
      const name = textOf(field.name);
      const [, type] = only(field.inner);
      this.#add(field, `${place}::${name}`, "field", `${name}: ${typeText(type)}`);
    }
  }

  /** Of what is done for the type itself: traits have their own. */
  #tellMethods(value: Fields, place: string): void {
    for (const id of listIn(value.impls)) {
      const [, done] = only(this.item(id)?.inner);
      if (!isObject(done) || (done.trait !== null && done.trait !== undefined)) continue;
      this.#tellItems(done.items, place, true);
    }
  }

  #tellItems(items: unknown, place: string, publicAlone = false): void {
    for (const id of listIn(items)) {
      const item = this.item(id);
      if (item === null || (publicAlone && item.visibility !== "public")) continue;
      const name = textOf(item.name);
      const [kind, inner] = only(item.inner);
      const value: Fields = isObject(inner) ? inner : {};
      if (kind === "function") {
        this.#add(item, `${place}::${name}`, "method", functionText(name, value));
      } else if (kind === "assoc_const") {
        this.#add(item, `${place}::${name}`, "constant", `const ${name}: ${typeText(value.type)}`);
      } else if (kind === "assoc_type") {
        this.#add(item, `${place}::${name}`, "type", `type ${name}`);
      }
    }
  }

  #variantText(variant: Fields, name: string): string {
    const [, inner] = only(variant.inner);
    const [kind, value] = only(isObject(inner) ? inner.kind : null);
    if (kind === "tuple") {
      const types = listIn(value).map((id) => typeText(only(this.item(id)?.inner)[1]));
      return `${name}(${types.join(", ")})`;
    }
    if (kind !== "struct" || !isObject(value)) return name;
    const fields = listIn(value.fields).map((id) => {
      const field = this.item(id);
      return `${textOf(field?.name)}: ${typeText(only(field?.inner)[1])}`;
    });
    return `${name} { ${fields.join(", ")} }`;
  }

  #add(item: Fields, name: string, kind: string, signature: string): void {
    if (this.found.length > MOST_SYMBOLS || this.#told.has(`${kind} ${name}`)) return;
    this.#told.add(`${kind} ${name}`);
    const isOld = item.deprecation !== null && item.deprecation !== undefined;
    const summary = summaryOf(textOf(item.docs)).summary ?? "";
    this.found.push({
      name,
      kind,
      signature,
      summary: isOld ? `Deprecated. ${summary}`.trim() : summary,
    });
  }
}
