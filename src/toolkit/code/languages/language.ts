/**
 * What is to be known of a language: facts about its grammar, as data. A further language is one more such literal, a line
 * in `table.ts` and its grammar's package in `deno.json`.
 */

/** What symbols are, in all languages. */
export type SymbolKind =
  | "function"
  | "method"
  | "class"
  | "interface"
  | "struct"
  | "union"
  | "enum"
  | "member"
  | "trait"
  | "type"
  | "module"
  | "constant"
  | "variable"
  | "property"
  | "macro";

/** How a node of the kind that the rule is for declares a symbol. Words in lists are fields or kinds of the grammar. */
export interface SymbolRule {
  /** Null: it declares none itself, but what lies in it belongs to the type that it names (`impl` of Rust). */
  readonly kind: SymbolKind | null;
  /** What it is within a type. */
  readonly member?: SymbolKind;
  /** The fields of which the first that is there holds its name, or its names; `name` unless said. */
  readonly name?: readonly string[];
  /** Only where the parent is of one of these kinds. */
  readonly in?: readonly string[];
  /** Its names hang in declarators, as those of C do; where one of a function does, it is a function. */
  readonly declarators?: true;
  /** A field whose value makes it a function where it is one. */
  readonly value?: string;
  /** It declares what a function is assigned to, and nothing else: `a.b = function () {}`. */
  readonly assigned?: true;
  /** A statement outside of functions that C has none of: `T (*name)(void);`, read as what it would be within one. */
  readonly pointed?: true;
  /** Not where it is local to a function. */
  readonly outer?: true;
  /** Not between a function's head and a body of this kind that the grammar has apart, parameters as K&R had them; nor in it. */
  readonly headOf?: string;
  /** Only where it has this field: a use of a type is no declaration. */
  readonly needs?: string;
  /** A function without this field is the constructor of the type that it is in, or a macro's use: name and place tell. */
  readonly typed?: string;
  /** The field that names the type to which it belongs though it does not lie in it (Go's receiver). */
  readonly receiver?: string;
  /** The kind is that of a node below it, of the first that the table names here (Go's `type X struct`). */
  readonly kindBelow?: Readonly<Record<string, SymbolKind>>;
  /** A word at its beginning that says more of what it is: `const`, `struct`. */
  readonly kindByWord?: Readonly<Record<string, SymbolKind>>;
}

/** When others may use a symbol. */
export type ExportRule =
  /** It lies in an export statement, or one names it. `hidden`: words or marks that keep members private. */
  | { readonly by: "statement"; readonly hidden: readonly string[] }
  /** By its first letter. */
  | { readonly by: "capital" }
  /** It does not begin with `_`, or a list of that name holds it. */
  | { readonly by: "underscore"; readonly list: string }
  /** A modifier says so. `always`: kinds of symbols that need none. */
  | {
    readonly by: "modifier";
    readonly words: readonly string[];
    readonly kinds: readonly SymbolKind[];
  }
  /** Unless a word says otherwise, or a label before it in its type does. */
  | { readonly by: "default"; readonly hidden: readonly string[] };

/** How an import is written. */
export type ImportForm =
  /** A string. */
  | "string"
  /** A call of a function by one of the names, with a string first. */
  | "call"
  /** Names with dots, perhaps several. */
  | "dotted"
  /** Python's `from x import y`. */
  | "from"
  /** Rust's tree of paths. */
  | "use"
  /** Rust's `a::b` in code, where `a` may be a crate. */
  | "path"
  /** Rust's `mod x;`, which is a file. */
  | "module"
  /** A path in its own words: C's `<x>`, Java's name with dots. */
  | "words"
  /** A command by one of the names, with a word first. */
  | "command";

/** How a node tells of an import. */
export interface ImportRule {
  readonly form: ImportForm;
  /** The field that holds what is imported. */
  readonly field?: string;
  /** For calls and commands: what they are called. */
  readonly names?: readonly string[];
}

/** How what is imported is found. A language without such a rule has imports, and no edges. */
export type ModuleRule =
  /** Files by their paths or their packages, as runtimes of JavaScript do. */
  | { readonly by: "ecmascript" }
  /** Python's packages. */
  | { readonly by: "python" }
  /** Go's packages, which are folders. */
  | { readonly by: "go" }
  /** Rust's crates and their modules. */
  | { readonly by: "rust" }
  /** Names with dots: a file lies where its name says, whatever lies above. `builtin`: what those of the runtime begin with. */
  | { readonly by: "classes"; readonly builtin: readonly string[] }
  /** Paths, from the file or from where any path ends so; `<x>` may be the system's. */
  | { readonly by: "headers" }
  /** Paths, from the file or from the workspace. */
  | { readonly by: "scripts" };

/** What complexity is counted from. Each list names kinds of nodes. */
export interface FlowTable {
  /** Functions, in which all else is counted. */
  readonly functions: readonly string[];
  /** Fields, or kinds, of the parameters, and the kinds of what stands there and is none. */
  readonly parameters: readonly string[];
  readonly noParameters?: readonly string[];
  readonly ifs: readonly string[];
  /** What an `else` is, and what an `elif` is, where there are nodes for them. */
  readonly elses: readonly string[];
  readonly elseIfs: readonly string[];
  readonly loops: readonly string[];
  readonly switches: readonly string[];
  /** Cases; a default that is of the same kind begins with the word or is the pattern given. */
  readonly cases: readonly string[];
  readonly handlers: readonly string[];
  readonly conditionals: readonly string[];
  /** Signs of a binary expression that decide: `&&`, `or`. */
  readonly logical: readonly string[];
  /** Kinds of nodes in which these signs decide nothing: `T&&` of C++. */
  readonly noLogical?: readonly string[];
  /** Jumps, which count where they name a label. */
  readonly jumps: readonly string[];
  readonly labels: readonly string[];
  /** Calls, and the field that names the function. */
  readonly calls: Readonly<Record<string, string>>;
  /** Count for McCabe alone: guards, comprehensions' clauses. */
  readonly otherBranches?: readonly string[];
  /** Nodes that branch where they have the field: Rust's `let … else`. */
  readonly alternatives?: Readonly<Record<string, string>>;
  /** Functions without a name that are counted in what they stand in, as one level deeper. */
  readonly lambdas?: readonly string[];
  /** A function may be but a frame for others: these then count apart. */
  readonly frames?: true;
  /** A function that holds but one other, of these kinds, and returns adds no nesting to it: decorators. */
  readonly decorators?: { readonly holds: readonly string[]; readonly returns: readonly string[] };
  /** A member is called by its bare name alone within its type. */
  readonly bareMembers?: true;
}

/** A regular expression, and what stands for each of its matches. It is asked of whole texts, so it may not look far. */
export interface Respelling {
  readonly pattern: string;
  readonly by: string;
}

/** Words by which uses of a preprocessor's macros are told from the code around them. */
export interface MacroTable {
  /** A regular expression: the names that macros have, by custom. */
  readonly shape: string;
  /** Others, of the standard library. */
  readonly names: readonly string[];
  /** Words of the language that are no names; those in the other lists need not be among them. */
  readonly keywords: readonly string[];
  /** Those that are types. */
  readonly types: readonly string[];
  /** Those that a declaration begins with. */
  readonly declares: readonly string[];
  /** Those that a type's name stands behind. */
  readonly typeKeys: readonly string[];
}

/** A language. */
export interface Language {
  /** As people call it, and cloc does. */
  readonly name: string;
  /** As its module calls it: `tree_sitter_<grammar>`. */
  readonly grammar: string;
  /** The npm package that the grammar comes in, which `deno.json` names; `tree-sitter-<grammar>` unless said. */
  readonly package?: string;
  /** Endings of its files' names, in lower case. */
  readonly endings: readonly string[];
  /** Names of programs in a first line `#!…` that mean it. */
  readonly interpreters?: readonly string[];
  /** Kinds of comments, the first line's `#!` among them. */
  readonly comments: readonly string[];
  /** Strings that stand alone as a statement are comments: the kinds of the statement and of the string. */
  readonly docstrings?: { readonly statement: string; readonly string: string };
  readonly symbols: Readonly<Record<string, SymbolRule>>;
  /** Kinds of functions: what lies in them is local. */
  readonly functions: readonly string[];
  /** Kinds of nodes in which nothing is declared that others could name: no outline looks into them. */
  readonly closed?: readonly string[];
  /** What stands around a declaration and belongs to it: `export`, decorators, templates. */
  readonly wrappers: readonly string[];
  /** What may stand before a declaration, between it and its comment. */
  readonly attributes?: readonly string[];
  /** Kinds of nodes that a declaration's first line ends before. */
  readonly bodies: readonly string[];
  /** Kinds of leaves that are names. */
  readonly names: readonly string[];
  /** Kinds of nodes that hold several names to bind. */
  readonly patterns?: readonly string[];
  /** Code around `@` in which a pattern may be code that is none alone; those that are tried first stand first. */
  readonly contexts?: readonly string[];
  readonly exports: ExportRule;
  readonly imports: Readonly<Record<string, ImportRule>>;
  readonly modules?: ModuleRule;
  readonly flow: FlowTable;
  /** Where a preprocessor goes through the text before the compiler does. */
  readonly macros?: MacroTable;
  /** What the grammar does not always take: read once more with another sign in its place, of the same length. */
  readonly respelled?: Respelling;
}
