/**
 * The vocabulary as one table that every shell's script carries: what is asked for → what is offered. The scripts look
 * nothing up elsewhere, so that the tab key never starts Toolgate.
 */

import type { Term, Values, Vocabulary } from "./_vocabulary.ts";
import type { Operand } from "./_usage.ts";

/**
 * Questions with the same answer stand together. They are: `commands`, `tools`, `actions COMMAND`,
 * `operand COMMAND [ACTION]`, `flags COMMAND`, `arguments TOOL`, `value --FLAG`, `value TOOL ARGUMENT`.
 */
export interface Entry {
  readonly questions: readonly string[];
  /** Words, or one of `@file`, `@directory`, `@tool`, `@call` for what the script itself must find. */
  readonly offers: readonly Term[];
}

/** The table that all three scripts look words up in: answers, and the questions that they are to. */
export function lookupOf({ commands, flags, tools }: Vocabulary): readonly Entry[] {
  const answers: (readonly [string, readonly Term[]])[] = [
    ["commands", commands.map(({ word, help }) => ({ word, help }))],
    ["tools", tools.map(({ word, help }) => ({ word, help }))],
    ...commands.flatMap(({ word, actions, operand }) => [
      [`actions ${word}`, actions.map((action) => ({ word: action.word, help: "" }))] as const,
      [`operand ${word}`, offersOf(operand)] as const,
      ...actions.map((action) =>
        [`operand ${word} ${action.word}`, offersOf(action.operand)] as const
      ),
      [
        `flags ${word}`,
        flags.filter((flag) => flag.commands === null || flag.commands.includes(word))
          .map((flag) => ({ word: `--${flag.word}`, help: flag.help })),
      ] as const,
    ]),
    ["flags", flags.map((flag) => ({ word: `--${flag.word}`, help: flag.help }))],
    ...flags.flatMap(({ word, values }) =>
      values === null ? [] : [[`value --${word}`, offersOf(values)] as const]
    ),
    ...tools.flatMap((tool) =>
      [tool.word, ...tool.aliases].flatMap((name) => [
        [
          `arguments ${name}`,
          tool.arguments.map(({ word, help }) => ({ word: `${word}=`, help })),
        ] as const,
        ...tool.arguments.map(({ word, values }) =>
          [`value ${name} ${word}`, offersOf(values)] as const
        ),
      ])
    ),
  ];
  const given = answers.filter(([, offers]) => offers.length > 0);
  return [...Map.groupBy(given, ([, offers]) => JSON.stringify(offers)).values()].map((same) => ({
    questions: same.map(([question]) => question),
    offers: same[0]?.[1] ?? [],
  }));
}

/** Flags that a value follows. */
export function valueFlags({ flags }: Vocabulary): readonly string[] {
  return flags.filter(({ values }) => values !== null).map(({ word }) => `--${word}`);
}

function offersOf(values: Values | Operand): readonly Term[] {
  switch (values.kind) {
    case "words":
      return values.words.map((word) => ({ word, help: "" }));
    case "none":
    case "free":
      return [];
    default:
      return [{ word: `@${values.kind}`, help: "" }];
  }
}
