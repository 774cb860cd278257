/** Which tools a text most likely means. */

import type { ToolDescription } from "../core/tool.ts";

/** What a word is worth by where it was found. */
const WORTH = { name: 8, partOfName: 4, description: 2, function: 1 } as const;

/**
 * Tools that hold a word of the text, those that hold most words first, then by where the words stand:
 * name or alias, part of one, description, and last what the tool works on (category, permission group,
 * arguments, answers).
 */
export function rankTools(
  text: string,
  tools: readonly ToolDescription[],
): readonly ToolDescription[] {
  const words = [...new Set(text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean))];
  const whole = text.trim().toLowerCase();
  return tools
    .map((tool) => {
      const names = [tool.name, ...tool.aliases];
      const worths = words.map((word) => worthOf(word, names, tool)).filter((worth) => worth > 0);
      const exact = names.includes(whole) ? 1 : 0;
      const sum = worths.reduce((total, worth) => total + worth, 0);
      return { tool, rank: [exact, worths.length, sum] as const };
    })
    .filter(({ rank }) => rank[1] > 0)
    .sort((a, b) => b.rank[0] - a.rank[0] || b.rank[1] - a.rank[1] || b.rank[2] - a.rank[2])
    .map(({ tool }) => tool);
}

function worthOf(word: string, names: readonly string[], tool: ToolDescription): number {
  if (names.some((name) => name.split(/[._]/).includes(word))) return WORTH.name;
  if (names.some((name) => name.includes(word))) return WORTH.partOfName;
  if (tool.description.toLowerCase().includes(word)) return WORTH.description;
  const works = [
    tool.category,
    tool.permission ?? "",
    tool.risk,
    ...[tool.input, tool.output].flatMap(({ properties = {} }) =>
      Object.entries(properties).flatMap(([name, { description = "" }]) => [name, description])
    ),
  ];
  return works.some((part) => part.toLowerCase().includes(word)) ? WORTH.function : 0;
}
