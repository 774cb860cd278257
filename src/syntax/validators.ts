/** Which validator judges which file: by the ending of its name, loaded on first use. */

import type { Syntax } from "../core/syntax_tree.ts";
import type { Parsers } from "../core/syntax_tree.ts";
import {
  notJudged,
  PARSER_FAILS,
  syntaxError,
  type SyntaxProblem,
  type Validator,
} from "./problem.ts";

/** What validators need beside their modules. */
export interface SyntaxOptions {
  /**
   * Reads WebAssembly: that of `@astral-sh/ruff-wasm-web` by the name of `ruff`, asked for with the first Python, and
   * those of the parsers.
   */
  readonly modules: () => Promise<(name: string) => Uint8Array>;
  /** Milliseconds that the thread has had of a processor; those on the wall's clock unless given. */
  readonly clock?: () => number;
}

interface Language {
  /** Makes the validator. */
  load(options: SyntaxOptions): Promise<Validator>;
  /** Longest text that is judged, in UTF-16 code units; none where the validator keeps nothing of what it reads. */
  readonly most: number | null;
}

/**
 * A syntax tree takes up to a hundred times the memory of its text. Sources by hand stay far below this; the
 * slowest text of this length that was found takes five seconds.
 */
const MOST = 1 << 20;

const language = (load: Language["load"], most: number | null = MOST): Language => ({ load, most });

const JSON_TEXT = language(async () => (await import("./json.ts")).checkJson, null);
const YAML = language(async () => (await import("./yaml.ts")).checkYaml);
const PYTHON = language(async ({ modules }) =>
  (await import("./python.ts")).createPythonValidator((await modules())("ruff"))
);
const TYPESCRIPT = language(async () => (await import("./typescript.ts")).checkTypeScript);
const DECLARATIONS = language(async () => (await import("./typescript.ts")).checkDeclarations);

/** Endings in lower case. What is not named here is not validated. */
const LANGUAGES: Readonly<Record<string, Language>> = {
  ".json": JSON_TEXT,
  ".yaml": YAML,
  ".yml": YAML,
  ".toml": language(async () => (await import("./toml.ts")).checkToml),
  ".js": language(async () => (await import("./javascript.ts")).checkScript),
  ".mjs": language(async () => (await import("./javascript.ts")).checkModule),
  ".cjs": language(async () => (await import("./javascript.ts")).checkCommonJs),
  ".jsx": language(async () => (await import("./jsx.ts")).checkJsx),
  ".ts": TYPESCRIPT,
  ".mts": TYPESCRIPT,
  ".cts": TYPESCRIPT,
  ".tsx": language(async () => (await import("./typescript.ts")).checkTsx),
  ".d.ts": DECLARATIONS,
  ".d.mts": DECLARATIONS,
  ".d.cts": DECLARATIONS,
  ".py": PYTHON,
  ".pyi": PYTHON,
};

/** Validators and parsers for one thread, which keeps what it loaded. */
export function createSyntax(options: SyntaxOptions): Syntax {
  const loaded = new Map<Language, Validator>();
  let parsers: Parsers | null = null;
  return {
    async parsers() {
      const { createParsers } = await import("./tree/parsers.ts");
      return parsers ??= createParsers(await options.modules(), options.clock);
    },
    async check(path, text) {
      const language = languageOf(path);
      if (language === null) return;
      // A byte order mark belongs to the encoding, not to the text.
      const bare = text.startsWith("\ufeff") ? text.slice(1) : text;
      if (language.most !== null && bare.length > language.most) {
        const message = `it is too long (over ${language.most} characters) to be judged`;
        throw syntaxError(path, bare, notJudged(message));
      }
      const validator = loaded.get(language) ?? await language.load(options);
      loaded.set(language, validator);
      const problem = judge(validator, bare);
      if (problem !== null) throw syntaxError(path, bare, problem);
    },
  };
}

/** Parsers are of many hands: whatever one throws, the text is refused and the thread goes on. */
function judge(validator: Validator, text: string): SyntaxProblem | null {
  try {
    return validator(text);
  } catch {
    return PARSER_FAILS;
  }
}

/** Loads all modules: for threads that lose sight of the files they come from. */
export async function loadValidators(): Promise<void> {
  const options: SyntaxOptions = { modules: () => Promise.resolve(() => new Uint8Array()) };
  await Promise.all(Object.values(LANGUAGES).map(({ load }) => load(options)));
  await import("./tree/parsers.ts");
}

/** By the longest ending that is known. */
function languageOf(path: string): Language | null {
  const endings = /(?:(\.d)?(\.[^./]*))$/.exec(path.toLowerCase());
  if (endings === null) return null;
  const [whole, , last = ""] = endings;
  return own(whole) ?? own(last);
}

function own(ending: string): Language | null {
  return Object.hasOwn(LANGUAGES, ending) ? LANGUAGES[ending] ?? null : null;
}
