/** Names for the parts of a bundle that come from nothing but what is in them, wherever the bundle was made. */

import { join } from "@std/path";
import { createHash } from "node:crypto";

/** How the bundler names a part: some words, then a hash, into which paths of this machine have gone. */
const PART = /^(.+)-[A-Z0-9]{8}\.js$/;
/** How parts name each other. */
const REFERENCE = /"\.\/([^"/]+\.js)"/g;

/**
 * The same texts under their new names, by old name and new. A hash of a part's text names it, in which the parts that it
 * imports stand for their texts, as deep as it takes to tell all of them apart: parts may import each other in circles.
 * Throws Error where two cannot be told apart.
 */
export function stableNames(
  texts: ReadonlyMap<string, string>,
): ReadonlyMap<string, { readonly name: string; readonly text: string }> {
  const rewrite = (text: string, names: ReadonlyMap<string, string>) =>
    text.replaceAll(REFERENCE, (whole, name: string) => {
      const to = names.get(name);
      return to === undefined ? whole : `"./${to}"`;
    });
  const rename = (name: string, text: string) => {
    const stem = PART.exec(name)?.[1];
    const hash = createHash("sha256").update(text).digest("hex").slice(0, 8).toUpperCase();
    return stem === undefined ? name : `${stem}-${hash}.js`;
  };
  const count = (names: ReadonlyMap<string, string>) => new Set(names.values()).size;

  let names: ReadonlyMap<string, string> = new Map(
    [...texts.keys()].map((name) => [name, PART.exec(name)?.[1] ?? name]),
  );
  for (let known = 0; known < count(names);) {
    known = count(names);
    const before = names;
    names = new Map([...texts].map(([name, text]) => [name, rename(name, rewrite(text, before))]));
  }
  if (count(names) < texts.size) throw new Error("two parts of the bundle are the same");
  return new Map(
    [...texts].map(([name, text]) => [
      name,
      { name: names.get(name) ?? name, text: rewrite(text, names) },
    ]),
  );
}

/** Gives the parts of the bundle in `folder` such names. Throws Error as {@linkcode stableNames}. */
export async function nameParts(folder: string): Promise<void> {
  const texts = new Map<string, string>();
  for await (const { name } of Deno.readDir(folder)) {
    if (name.endsWith(".js")) texts.set(name, await Deno.readTextFile(join(folder, name)));
  }
  const renamed = stableNames(texts);
  for (const old of renamed.keys()) await Deno.remove(join(folder, old));
  for (const { name, text } of renamed.values()) {
    await Deno.writeTextFile(join(folder, name), text);
  }
}
