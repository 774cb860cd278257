/** As `compile.ts`, for a quick start: the judges of programs and connections are loaded when a request needs them. */

import { type Actions, compile, type PlacedPolicy, type RulebookOptions } from "./_compile.ts";
import type { Rulebook } from "./rulebook.ts";

export { type PlacedPolicy, PolicyConflict, type RulebookOptions } from "./_compile.ts";

/** See `compileRulebook`. `prepare` is to be awaited before `decide`. */
export function compileRulebookLazily(
  policies: readonly PlacedPolicy[],
  options: RulebookOptions,
): Rulebook {
  let loaded: Actions | null = null;
  return compile(policies, options, {
    get() {
      if (loaded === null) throw new Error("decide() was called before prepare()");
      return loaded;
    },
    prepare(capabilities) {
      if (loaded !== null || !capabilities.some(isAction)) return null;
      return import("./judge/actions.ts").then((module) => {
        loaded = module;
      });
    },
  });
}

function isAction({ kind }: { readonly kind: string }): boolean {
  return kind === "process.spawn" || kind === "net.connect";
}
