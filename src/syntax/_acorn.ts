/** What the validators of JavaScript share: how acorn is asked, and what it answers. */

import { type Options, Parser } from "acorn";
import { furtherOf, problemAt, type SyntaxProblem, TOO_DEEP } from "./problem.ts";

const MODULE: Options = { ecmaVersion: "latest", sourceType: "module", allowHashBang: true };

/** The body of a function. */
const COMMON_JS: Options = {
  ecmaVersion: "latest",
  sourceType: "script",
  allowHashBang: true,
  allowReturnOutsideFunction: true,
};

/** Made once: code that V8 compiled for one class does not fit another, and one for each text took four times as long. */
const QUICK = Parser.extend(rememberNames);

/** `either`: a module or the body of a function. */
export function judge(text: string, kind: "module" | "commonjs" | "either"): SyntaxProblem | null {
  if (kind !== "either") return judgeAs(text, kind === "module" ? MODULE : COMMON_JS);
  const asModule = judgeAs(text, MODULE);
  const asCommonJs = asModule === null ? null : judgeAs(text, COMMON_JS);
  return furtherOf(asModule, asCommonJs);
}

function judgeAs(text: string, options: Options): SyntaxProblem | null {
  try {
    QUICK.parse(text, options);
    return null;
  } catch (error) {
    if (error instanceof RangeError) return TOO_DEEP;
    if (!(error instanceof SyntaxError) || !hasPlace(error)) throw error;
    return problemAt(text, error.pos, error.message.replace(/ \(\d+:\d+\)$/, ""));
  }
}

/** acorn puts the offset on its errors, in UTF-16 code units. Its lines end where no editor's do, too. */
function hasPlace(error: Error): error is Error & { readonly pos: number } {
  return "pos" in error && typeof error.pos === "number";
}

/** A list that knows what is in it: a scope's names, which the parser looks for once for each declaration. */
class Names extends Array<string> {
  readonly #known = new Set<string>();

  override push(name: string): number {
    this.#known.add(name);
    return super.push(name);
  }

  override indexOf(name: string): number {
    return this.#known.has(name) ? super.indexOf(name) : -1;
  }
}

/** What acorn keeps of a scope; its types tell of neither. */
interface Scope {
  var: string[];
  lexical: string[];
  functions: string[];
}
type Scoped = new (options: Options, input: string) => {
  enterScope(flags: number): void;
  currentScope(): Scope;
};

/** Time would else grow with the square of the declarations: 15 s for a megabyte of them. */
function rememberNames(parser: typeof Parser): typeof Parser {
  const Base = parser as unknown as Scoped;
  class Quick extends Base {
    override enterScope(flags: number): void {
      super.enterScope(flags);
      const scope = this.currentScope();
      scope.var = new Names();
      scope.lexical = new Names();
      scope.functions = new Names();
    }
  }
  return Quick as unknown as typeof Parser;
}
