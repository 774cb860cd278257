/** A command template for people to read: `wc [-l] -- FILES...`. */

import { isPlaceholder } from "./_word.ts";
import { isGroup, type PluginManifest, type Word } from "./manifest.ts";

/** On one line; groups stand in brackets, parameters in `<>`. */
export function templateText(command: PluginManifest["command"]): string {
  return command.map((part) => {
    if (!isGroup(part)) return wordText(part);
    const { when, is } = part;
    const condition = is === undefined ? `if ${when}` : `if ${when} is ${String(is)}`;
    return `[${condition}: ${part.words.map(wordText).join(" ")}]`;
  }).join(" ");
}

function wordText(word: Word): string {
  const text = word.map((piece) =>
    isPlaceholder(piece) ? `<${piece.parameter}${piece.each ? "..." : ""}>` : piece
  ).join("");
  return /^[^\s"'\\`]+$/.test(text) ? text : JSON.stringify(text);
}
