/** What a tool is made of, for people to read: `wc [-l] -- FILES...`. */

import { isPlaceholder } from "./_word.ts";
import { needText } from "./_needs.ts";
import { type CommandManifest, isGroup, type ModuleManifest, type Word } from "./manifest.ts";

/** On one line; groups stand in brackets, parameters in `<>`. */
export function templateText(command: CommandManifest["command"]): string {
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

/** The files that a module is granted, a line for each kind; Markdown. */
export function needsText({ module, needs }: ModuleManifest): readonly string[] {
  const all = [["reads", needs.read], ["writes", needs.write]] as const;
  const lines = all.filter(([, list]) => list.length > 0)
    .map(([verb, list]) => `- ${verb} ${list.map((need) => `\`${needText(need)}\``).join(", ")}`);
  const start =
    `The module \`${module}\` runs in a process of its own, without programs and network.`;
  return lines.length === 0
    ? [`${start} It is granted no files.`]
    : [`${start} Where the policy allows it, it`, "", ...lines];
}
