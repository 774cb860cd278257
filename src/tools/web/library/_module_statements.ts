/** What statements of a `.d.ts` without declarations hand on: lists of exports, and imports. */

/** Something that a module hands on: by its own name, or from elsewhere. */
export type Export =
  | { readonly kind: "own"; readonly name: string; readonly as: string }
  | { readonly kind: "from"; readonly from: string; readonly name: string; readonly as: string }
  | { readonly kind: "all"; readonly from: string }
  | { readonly kind: "module"; readonly from: string; readonly as: string }
  /** `export = name` */
  | { readonly kind: "is"; readonly name: string };

const NAME = "[\\p{ID_Start}$_][\\p{ID_Continue}$]*";
const COMMENTS = /\/\*[^]*?\*\/|\/\/[^\n]*/g;

/** Of one statement without a declaration of its own. */
export function exportsOf(statement: string): readonly Export[] {
  const text = statement.replace(COMMENTS, " ").trim();
  const from = /\bfrom\s*["']([^"']+)["']/.exec(text)?.[1];
  const all = new RegExp(`^export\\s+(?:type\\s+)?\\*\\s*(?:as\\s+(${NAME})\\s*)?from\\b`, "u")
    .exec(text);
  if (all !== null && from !== undefined) {
    const [, as] = all;
    return [as === undefined ? { kind: "all", from } : { kind: "module", from, as }];
  }
  const list = /^export\s+(?:type\s+)?\{([^}]*)\}/.exec(text)?.[1];
  if (list !== undefined) {
    return namesOf(list).map(({ name, as }) =>
      from === undefined ? { kind: "own", name, as } : { kind: "from", from, name, as }
    );
  }
  const is = new RegExp(`^export\\s*=\\s*(${NAME})`, "u").exec(text)?.[1];
  if (is !== undefined) return [{ kind: "is", name: is }];
  const usual = new RegExp(`^export\\s+default\\s+(${NAME})\\s*;?$`, "u").exec(text)?.[1];
  return usual === undefined ? [] : [{ kind: "own", name: usual, as: "default" }];
}

/** The name of what is declared and exported as `default` at once; null where none is. */
export function declaredDefault(statement: string): string | null {
  return new RegExp(
    `^export\\s+default\\s+(?:(?:declare|abstract|async)\\s+)*(?:class|function|interface)\\s*\\*?\\s*(${NAME})`,
    "u",
  ).exec(statement.slice(0, 2000).replace(COMMENTS, " "))?.[1] ?? null;
}

/** Local names by what they stand for; `*` for a whole module. */
export function importsOf(
  statement: string,
): readonly (readonly [string, { readonly from: string; readonly name: string }])[] {
  const text = statement.replace(COMMENTS, " ").trim();
  const required = new RegExp(`^import\\s+(${NAME})\\s*=\\s*require\\(\\s*["']([^"']+)["']`, "u")
    .exec(text);
  if (required?.[1] !== undefined && required[2] !== undefined) {
    return [[required[1], { from: required[2], name: "*" }]];
  }
  const from = /\bfrom\s*["']([^"']+)["']/.exec(text)?.[1];
  if (from === undefined) return [];
  const whole = new RegExp(`\\*\\s*as\\s+(${NAME})`, "u").exec(text)?.[1];
  const usual = new RegExp(`^import\\s+(?:type\\s+)?(${NAME})\\s*(?:,|from\\b)`, "u").exec(text)
    ?.[1];
  const list = /\{([^}]*)\}/.exec(text)?.[1] ?? "";
  return [
    ...(whole === undefined ? [] : [[whole, { from, name: "*" }] as const]),
    ...(usual === undefined ? [] : [[usual, { from, name: "default" }] as const]),
    ...namesOf(list).map(({ name, as }) => [as, { from, name }] as const),
  ];
}

/** `a, type b as c` */
function namesOf(list: string): readonly { readonly name: string; readonly as: string }[] {
  return list.split(",").flatMap((part) => {
    const words = part.trim().replace(/^type\s+(?!as\b)/, "").split(/\s+as\s+/);
    const [name = "", as = name] = words;
    return name === "" ? [] : [{ name: unquoted(name), as: unquoted(as) }];
  });
}

function unquoted(name: string): string {
  return name.replace(/^["'](.*)["']$/, "$1");
}

/** Whether `export` stands at its declaration, and not in a list alone. */
export function isDeclaredExport(
  statements: readonly { readonly kind: string; readonly text: string }[],
  name: string,
): boolean {
  const escaped = name.replace(/\$/g, "\\$");
  const pattern = new RegExp(
    `^export\\s+(?!\\{|\\*|=)[^{=(]*?(?<![\\p{ID_Continue}$])${escaped}(?![\\p{ID_Continue}$])`,
    "u",
  );
  return statements.some(({ kind, text }) =>
    kind === "export_statement" && exportsOf(text).length === 0 && pattern.test(text.slice(0, 2000))
  );
}
