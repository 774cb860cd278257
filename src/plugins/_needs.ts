/** The files that a module needs: `{path}`, `data/list.csv`, `{folder}/**`, each with the arguments of a call put in. */

import type { ArgumentProblem } from "../core/parse_arguments.ts";
import { converted } from "../config/collection.ts";
import type { Field } from "../config/field.ts";
import { wordField } from "./_command_field.ts";
import { expandWord } from "./_expand.ts";
import type { ModuleManifest, PathNeed, PluginArguments, Word } from "./manifest.ts";
import { isPlaceholder, placeholdersOf } from "./_word.ts";

/** Behind a folder: with all that lies below. */
const TREE = "/**";

/** Characters of globs: only the ending is one here. */
const GLOB = /[*?[\]{}]/;

/** A path of a call. */
export interface NeededPath {
  readonly path: string;
  readonly tree: boolean;
}

/** Files that a call needs, or what keeps it from being made. */
export type NeededPaths =
  | { readonly read: readonly NeededPath[]; readonly write: readonly NeededPath[] }
  | { readonly problems: readonly ArgumentProblem[] };

/** A need as a manifest writes it: `in/**` for all below, `{path}` for an argument. */
export const needField: Field<PathNeed> = converted(wordField, (word, place) => {
  const last = word.at(-1);
  // The workspace itself.
  const whole = word.length === 1 && last === "**";
  const tree = whole || (typeof last === "string" && last.endsWith(TREE));
  const path: Word = whole
    ? ["."]
    : tree && typeof last === "string"
    ? [...word.slice(0, -1), last.slice(0, -TREE.length)].filter((piece) => piece !== "")
    : word;
  const texts = path.filter((piece) => typeof piece === "string");
  if (path.length === 0) return place.report("names no path; ** is the workspace");
  if (texts.some((text) => GLOB.test(text))) {
    return place.report(
      "is no glob: it ends in /** for a folder with all below, else it is one file",
    );
  }
  if (path.some((piece) => isPlaceholder(piece) && piece.dash)) {
    return place.report("is no word of a command; write {name}");
  }
  return { path, tree };
});

/** Most paths that lists in placeholders come to: each is judged. */
const MOST_PATHS = 1_000;

/** The needs of one call. Those whose arguments were not given fall away; problems are reported, not thrown. */
export function expandNeeds({ needs }: ModuleManifest, args: PluginArguments): NeededPaths {
  const problems: ArgumentProblem[] = [];
  const expand = (list: readonly PathNeed[]): readonly NeededPath[] => {
    const paths: NeededPath[] = [];
    for (const { path, tree } of list) {
      if (placeholdersOf(path).some(({ parameter }) => !Object.hasOwn(args, parameter))) continue;
      for (const { text, problem } of expandWord(path, args)) {
        if (problem !== null) problems.push(problem);
        else if (text === "") problems.push({ path: "", message: "an empty path is no file" });
        else if (paths.length >= MOST_PATHS) {
          problems.push({ path: "", message: `it comes to more than ${MOST_PATHS} paths` });
        } else paths.push({ path: text, tree });
        if (problems.length > 0) return paths;
      }
    }
    return paths;
  };
  const read = expand(needs.read);
  const write = expand(needs.write);
  return problems.length > 0 ? { problems } : { read, write };
}

/** For people: `{path}, data/**`. */
export function needText({ path, tree }: PathNeed): string {
  const text = path.map((piece) =>
    isPlaceholder(piece) ? `{${piece.parameter}${piece.each ? "..." : ""}}` : piece
  ).join("");
  return tree ? text === "." ? "**" : `${text}${TREE}` : text;
}
