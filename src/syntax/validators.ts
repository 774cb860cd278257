/** Which validator judges which file: by the ending of its name, loaded on first use. */

import { syntaxError, type Validator } from "./problem.ts";

/** Endings in lower case. What is not named here is not validated. */
const VALIDATORS: ReadonlyMap<string, () => Promise<Validator>> = new Map([
  [".json", async () => (await import("./json.ts")).checkJson],
  [".yaml", async () => (await import("./yaml.ts")).checkYaml],
  [".yml", async () => (await import("./yaml.ts")).checkYaml],
  [".toml", async () => (await import("./toml.ts")).checkToml],
  [".js", async () => (await import("./javascript.ts")).checkScript],
  [".mjs", async () => (await import("./javascript.ts")).checkModule],
  [".cjs", async () => (await import("./javascript.ts")).checkCommonJs],
]);

/** Throws SYNTAX_INVALID where the file's name has a validator and the text does not pass it. */
export async function checkSyntax(path: string, text: string): Promise<void> {
  const load = VALIDATORS.get(/\.[^./]*$/.exec(path.toLowerCase())?.[0] ?? "");
  if (load === undefined) return;
  const problem = (await load())(text);
  if (problem !== null) throw syntaxError(path, text, problem);
}

/** Loads all of them: for threads that lose sight of the files they come from. */
export async function loadValidators(): Promise<void> {
  await Promise.all([...VALIDATORS.values()].map((load) => load()));
}
