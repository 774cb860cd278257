/** Names in /tmp, which programs have none of: where a line says one, a folder of Toolgate's own stands for it. */

import type { Assignment, Plan, Redirection, SimplePlan, Word, WordPart } from "../core/plan.ts";
import { BUILTINS, INNER_PROGRAMS } from "../core/plan.ts";
import type { IsOwnTemporary } from "../core/line_scope.ts";
import { type Effects, effectsOf } from "../programs/effects.ts";
import { certainText, wordText } from "./certain.ts";
import { looksAtFiles } from "./commands/file_test.ts";

const FOLDER = "/tmp";
/** At the beginning of a word, or of what an option or a variable is given: `-o/tmp/a`, `--out=/tmp/a`, `of=/tmp/a`. */
const NAMED = /^(?:-[A-Za-z]|-{0,2}[A-Za-z_][\w-]*=)?(?=\/tmp(?:\/|$))/;
/** Anywhere in a text, with what of the name is plain. */
const SAID = /(?<![\w./})*?\]-])\/tmp(?![\w.-])[\w./@%+,-]*/g;
/** Where nothing is, to see whether a program takes the word for a file. */
const PROBE = "/.toolgate-probe";
/** Builtins whose words are files or folders, or variables with their values. */
const OPENERS: readonly string[] = [
  ...["cd", "pushd", "source", "."],
  ...["export", "local", "declare", "typeset", "readonly"],
];
/** Programs one of whose words is text that may look like a path. */
const READERS: readonly string[] = ["sed", "awk", "gawk", "mawk", "perl", "grep", "rg", "jq"];
/** A path and nothing else, as far as its letters go. */
const PLAIN = /^[\w./@%+,:=-]+$/;
/** `-c`, `-e`, `-ne`: what follows is code. */
const BEFORE_CODE = /^-[A-Za-z]*[ce]$/;

/**
 * The plan with `$TMPDIR` in place of /tmp in what it opens, tests, goes to and gives to variables, and in what its
 * programs take for files; `temporary` says so. Where /tmp is said anywhere else too (in code, in a text that is compared
 * or searched for) the plan stays as it is: one name would mean two places.
 */
export function withOwnTemporary(plan: Plan, isOwn: IsOwnTemporary): Plan {
  if (!plan.line.includes(FOLDER)) return plan;
  const found = { moved: false };
  const root = moved(plan.root, (word) => {
    const other = movedWord(word, isOwn);
    if (other !== word) found.moved = true;
    return other;
  });
  return found.moved && !saysOther(root, isOwn, true) ? { ...plan, root, temporary: "kept" } : plan;
}

type Move = (word: Word) => Word;

/** Any part of a plan, down to what stands in its words. */
function moved<T>(part: T, move: Move): T {
  if (typeof part !== "object" || part === null) return part;
  if (Array.isArray(part)) return part.map((one) => moved(one, move)) as T;
  const { kind, op, operator } = part as Partial<Record<"kind" | "op" | "operator", string>>;
  const own = kind === "simple"
    ? movedCommand(part as unknown as SimplePlan, move)
    : kind === "for"
    ? { ...part, words: (part as unknown as SimplePlan).words.map(move) }
    : "target" in part
    ? { ...part, target: move((part as unknown as Opened).target) }
    : op === "unary" && looksAtFiles(operator ?? "") && "word" in part
    ? { ...part, word: move(part.word as Word) }
    : part;
  return Object.fromEntries(
    Object.entries(own).map(([name, value]) => [name, moved(value, move)]),
  ) as T;
}

type Opened = Extract<Redirection, { readonly target: Word }>;

function movedCommand(command: SimplePlan, move: Move): SimplePlan {
  const assignments = command.assignments.map((one): Assignment => ({
    ...one,
    value: move(one.value),
    ...(one.list === undefined
      ? {}
      : { list: one.list.map((item) => ({ ...item, value: move(item.value) })) }),
  }));
  return { ...command, assignments, words: movedWords(command, move) };
}

function movedWords({ words, calls }: SimplePlan, move: Move): readonly Word[] {
  const [first] = words;
  const name = first === undefined ? null : certainText(first);
  // What a function does with its words is written elsewhere.
  if (name === null || calls === true) return words;
  if (OPENERS.includes(name)) return words.map(move);
  if (name === "test" || name === "[") {
    return words.map((word, index) => {
      const before = words[index - 1];
      return before !== undefined && looksAtFiles(wordText(before)) ? move(word) : word;
    });
  }
  if ([...BUILTINS, ...INNER_PROGRAMS].some((one) => one === name)) return words;
  const argv = words.map(wordText);
  if (argv.includes("ln")) return words;
  // A link would keep the folder's own name.
  return words.map((word, index) => {
    const moves = index === 0 ? argv[0]!.startsWith(`${FOLDER}/`) : isFile(argv, index);
    return NAMED.test(argv[index]!) && moves ? move(word) : word;
  });
}

/** Whether the program takes the word for a file; one whose arguments are not known, whether it is written as one. */
function isFile(argv: readonly string[], index: number): boolean {
  const word = argv[index]!;
  const there = effectsOf({ argv: argv.with(index, word.replace(NAMED, `$&${PROBE}`)) });
  if ([...filesOf(there), ...there.paths].some((path) => path.startsWith(PROBE))) return true;
  const here = effectsOf({ argv });
  return here.touchesAnything && there.touchesAnything && PLAIN.test(word) &&
    !BEFORE_CODE.test(argv[index - 1]!) && !argv.some((one) => READERS.includes(one));
}

function filesOf({ reads, writes, deletes }: Effects): readonly string[] {
  return [...reads, ...writes, ...deletes].map(({ path }) => path);
}

function movedWord(word: Word, isOwn: IsOwnTemporary): Word {
  const [first, ...rest] = word;
  if (first?.kind !== "text") return word;
  const before = NAMED.exec(first.text)?.[0];
  if (before === undefined) return word;
  const path = first.text.slice(before.length);
  if (!isOwn(path, rest.length > 0)) return word;
  const parts: readonly WordPart[] = [
    { kind: "text", text: before },
    OWN,
    { kind: "text", text: path.slice(FOLDER.length) },
    ...rest,
  ];
  return parts.filter((part) => part.kind !== "text" || part.text !== "");
}

/** `"${TMPDIR:-/tmp}"`: where there is no such folder the name stays what it was, and is refused as that. */
const OWN: WordPart = {
  kind: "parameter",
  name: "TMPDIR",
  quoted: true,
  operation: { operator: ":-", word: [{ kind: "text", text: FOLDER }] },
};
const OWN_TEXT = wordText([OWN]);

/** Whether a name that would stand for another is said where it is only text. `shown`: what is echoed nobody reads on. */
function saysOther(part: unknown, isOwn: IsOwnTemporary, shown: boolean): boolean {
  if (typeof part !== "object" || part === null) return false;
  if (Array.isArray(part)) {
    if (isWord(part) && says(part, isOwn)) return true;
    return part.some((one) => saysOther(one, isOwn, shown));
  }
  const { kind, name, operation, words, redirections } = part as {
    readonly kind?: string;
    readonly name?: string;
    readonly operation?: { readonly operator: string } | null;
    readonly words?: readonly Word[];
    readonly redirections?: readonly Redirection[];
  };
  if (kind === "parameter" && name === "TMPDIR" && operation?.operator === ":-") return false;
  if (kind === "simple" && shown && redirections?.every((one) => !("target" in one)) === true) {
    const [first] = words ?? [];
    const command = first === undefined ? null : certainText(first);
    if (command === "echo" || command === "printf") {
      return saysOther(words!.flat().filter((one) => one.kind !== "text"), isOwn, false);
    }
  }
  const inner = shown && (kind === undefined || ["list", "group", "if", "simple"].includes(kind));
  return Object.values(part).some((one) => saysOther(one, isOwn, inner));
}

function isWord(list: readonly unknown[]): list is Word {
  const [first] = list as readonly { readonly kind?: string; readonly position?: number }[];
  return first !== undefined && PARTS.has(first.kind ?? "") && first.position === undefined;
}

const PARTS: ReadonlySet<string> = new Set<WordPart["kind"]>([
  ...[
    "text",
    "glob",
    "parameter",
    "substitution",
    "arithmetic",
    "process",
    "blank",
    "home",
  ] as const,
]);

function says(word: Word, isOwn: IsOwnTemporary): boolean {
  const text = wordText(word).replaceAll(OWN_TEXT, "");
  return [...text.matchAll(SAID)].some(([path]) => isOwn(path, false));
}
