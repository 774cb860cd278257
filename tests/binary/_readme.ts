/** The fenced blocks of the README: what its tests run. */

import { fromFileUrl } from "@std/path";

export interface Block {
  readonly language: string;
  readonly text: string;
  /** Of the line that opens it, from 1. */
  readonly line: number;
}

const README = fromFileUrl(new URL("../../README.md", import.meta.url));

export function readReadme(): string {
  return Deno.readTextFileSync(README);
}

/** In their order. Throws Error for a block that is not closed, or names no language. */
export function blocksOf(markdown: string): readonly Block[] {
  const blocks: Block[] = [];
  let open: { readonly language: string; readonly line: number; readonly lines: string[] } | null =
    null;
  for (const [index, line] of markdown.split("\n").entries()) {
    const fence = /^```(.*)$/.exec(line);
    if (fence === null) open?.lines.push(line);
    else if (open === null) {
      const language = fence[1] ?? "";
      if (!/^[a-z]+$/.test(language)) throw new Error(`line ${index + 1}: a block of no language`);
      open = { language, line: index + 1, lines: [] };
    } else {
      if (fence[1] !== "") throw new Error(`line ${index + 1}: a block within a block`);
      blocks.push({ language: open.language, line: open.line, text: `${open.lines.join("\n")}\n` });
      open = null;
    }
  }
  if (open !== null) throw new Error(`line ${open.line}: this block is not closed`);
  return blocks;
}

/** The only block of a language. Throws Error where there is none, or another. */
export function onlyBlock(language: string): Block {
  const [block, ...others] = blocksOf(readReadme()).filter((block) => block.language === language);
  if (block === undefined || others.length > 0) throw new Error(`not one block of ${language}`);
  return block;
}
