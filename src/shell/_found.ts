/** Scripts that `find` starts with each path that it finds: what their parameters stand for. */

import {
  BUILTINS,
  type PlanNode,
  type Redirection,
  type Word,
  type WordPart,
} from "../core/plan.ts";
import { NO_SETTINGS } from "./_settings.ts";
import { certainText } from "./certain.ts";

/** `find START -exec sh -c SCRIPT NAME {} ;`: the shell without what is put in, and what stands for that. */
export interface FoundBy {
  readonly shell: readonly string[];
  /** Parameters that are a path which was found (`1`), or several (`@`). */
  readonly parameters: readonly string[];
  /** Where the paths begin. */
  readonly starts: readonly string[];
}

/** Null for all other forms: what is found stands as the last word alone, behind the script. */
export function foundBy(argv: readonly string[], index: number): FoundBy | null {
  // Options before the paths.
  if (argv[index - 1] !== "-exec" || /^-[HLPOD]/.test(argv[1] ?? "")) return null;
  const end = argv.findIndex((word, at) => at > index && word === "{}");
  const shell = argv.slice(index, end);
  const closes = argv[end + 1] === ";" || argv[end + 1] === "+";
  if (end === -1 || !closes || shell.some((word) => word.includes("{}"))) return null;
  const options = shell.findIndex((word, at) => at > 0 && !word.startsWith("-"));
  const behind = options === -1 ? -1 : shell.length - options - 1;
  if (behind !== 0 && behind !== 1) return null;
  const own = argv.slice(1, index).findIndex((word) => /^[-(!]/.test(word));
  const starts = argv.slice(1, 1 + own);
  return {
    shell,
    parameters: behind === 0 ? ["0"] : argv[end + 1] === "+" ? ["1", "@"] : ["1"],
    starts: starts.length === 0 ? ["."] : starts,
  };
}

function subshell(body: PlanNode): PlanNode {
  return { kind: "group", subshell: true, settings: NO_SETTINGS, redirections: [], body };
}

/** Whether it only prints its words, in every shell: `printf -v` sets a variable, and `%n` in a format that is a path. */
function prints(name: string, [format]: readonly Word[]): boolean {
  if (name !== "printf") return name === "echo";
  const text = format === undefined ? null : certainText(format);
  return text !== null && !text.startsWith("-");
}

/**
 * The script with the paths themselves where a quoted parameter stands for them; null where one stands elsewhere than as a
 * whole argument of a program, as a file that is read, or in what is printed: a name of a program, a file to write to and a
 * place to go to are not known. What prints the output of others (`echo "$(wc -l < "$1")"`) stands behind these.
 */
export function withFound(node: PlanNode, { parameters, starts }: FoundBy): PlanNode | null {
  const isPath = (part: WordPart): boolean =>
    part.kind === "parameter" && part.quoted && part.operation === null &&
    part.subscript === undefined && part.indirect !== true && parameters.includes(part.name);
  // Whatever it is: it is printed. `ran`: what runs to say it.
  const printed = (word: Word, ran: PlanNode[]): Word =>
    word.map((part) => {
      if (isPath(part)) return { kind: "text", text: starts[0] ?? "." };
      const body = part.kind === "substitution" && part.quoted ? put(part.body) : null;
      if (body === null) return part;
      ran.push(subshell(body));
      return { kind: "text", text: "" };
    });
  const paths = (word: Word): readonly Word[] => {
    const whole = word.filter((part) => part.kind !== "text" || part.text !== "");
    const [part] = whole;
    return whole.length === 1 && part !== undefined && isPath(part)
      ? starts.map((text): Word => [{ kind: "text", text }])
      : [word];
  };
  const put = (one: PlanNode): PlanNode | null => {
    switch (one.kind) {
      case "simple": {
        const redirections = one.redirections.flatMap((redirection): readonly Redirection[] =>
          redirection.kind === "read"
            ? paths(redirection.target).map((target) => ({ ...redirection, target }))
            : [redirection]
        );
        const plain = { ...one, redirections };
        const [first, ...rest] = one.words;
        const name = first === undefined ? null : certainText(first);
        if (rest.every((word) => certainText(word) !== null)) return plain;
        if (name === null) return null;
        if (prints(name, rest)) {
          const ran: PlanNode[] = [];
          const words = [first!, ...rest.map((word) => printed(word, ran))];
          const print = { ...plain, words };
          if (ran.length === 0) return print;
          const items = [...ran, print].map((node) => ({ when: "always", node }) as const);
          return { kind: "list", items };
        }
        if (name === "printf" || BUILTINS.some((builtin) => builtin === name)) return null;
        return { ...plain, words: [first!, ...rest.flatMap(paths)] };
      }
      case "pipeline": {
        const stages = one.stages.map(put).filter((stage) => stage !== null);
        return stages.length === one.stages.length ? { ...one, stages } : null;
      }
      case "list": {
        const items = one.items.flatMap((item) => {
          const inner = put(item.node);
          return inner === null ? [] : [{ ...item, node: inner }];
        });
        return items.length === one.items.length ? { ...one, items } : null;
      }
      default:
        return one;
    }
  };
  return put(node);
}
