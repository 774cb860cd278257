/** What the tables of agreement are made of: asking the binary, asking programs of the field, comparing lists. */

import { join } from "@std/path";
import { ROOT } from "../../../scripts/compile.ts";
import type { Agreement, Explained } from "./profiles.ts";

const POLICY = `version: 1
paths: [{ allow: [read], match: ["**"] }]
limits: { entries: 100000, matches: 100000, output: 64MiB }
timeouts: { default: 300s }
`;

/** Calls a tool in a folder: its output. Throws Error where it has none. */
export type Ask = (root: string, tool: string, args: object) => Record<string, unknown>;

/** A symbol as an outline has it. */
export interface OutlinedSymbol {
  readonly name: string;
  readonly line: number;
  readonly end_line: number;
  readonly kind: string;
}

/** A file as an outline has it. */
export interface Outlined {
  readonly path: string;
  readonly lines: { readonly code: number; readonly comment: number; readonly blank: number };
  readonly symbols: readonly OutlinedSymbol[];
}

/** Does work with a way to ask the binary, under a policy that allows reading. */
export async function whileAsking<T>(binary: string, work: (ask: Ask) => T): Promise<T> {
  const folder = await Deno.makeTempDir({ prefix: "toolgate-bench-" });
  try {
    const policy = join(folder, "policy.yaml");
    await Deno.writeTextFile(policy, POLICY);
    return work((root, tool, args) => {
      const { stdout } = new Deno.Command(binary, {
        args: [
          "call",
          tool,
          "--json",
          JSON.stringify(args),
          "--policy",
          policy,
          "--format",
          "json",
        ],
        cwd: root,
        stderr: "null",
      }).outputSync();
      const { output, error } = JSON.parse(new TextDecoder().decode(stdout));
      if (output === null) throw new Error(`${tool}: ${error.message}`);
      return output;
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The files of a tree. */
export function outline(ask: Ask, root: string): readonly Outlined[] {
  const { files } = ask(root, "analyze_code_structure", { max_symbols: 100_000 });
  return files as readonly Outlined[];
}

/**
 * What a program of the field prints; null where it is not here, or fails. Through a file: some of Node's end before a pipe
 * has taken all that they printed.
 */
export function printed(program: string, args: readonly string[], cwd: string): string | null {
  const file = Deno.makeTempFileSync({ prefix: "toolgate-bench-" });
  try {
    const line = 'file=$1; shift; exec "$@" >"$file"';
    const { success } = new Deno.Command("/bin/sh", {
      args: ["-c", line, "sh", file, program, ...args],
      cwd,
      stderr: "null",
    }).outputSync();
    return success ? Deno.readTextFileSync(file) : null;
  } finally {
    Deno.removeSync(file);
  }
}

/**
 * A folder of sources to compare on that this repository has not: `TOOLGATE_SOURCES` names one that holds them by language
 * (`go`, `rust`, `java`, `cpp`, `shell`, `javascript`); null where there is none.
 */
export function sourcesOf(language: string): string | null {
  const given = Deno.env.get("TOOLGATE_SOURCES");
  if (given === undefined) return null;
  const folder = join(given, language);
  try {
    return Deno.realPathSync(folder);
  } catch {
    return null;
  }
}

/** Where Python's own packages lie; null where there is no Python. */
export function pythonLibrary(): string | null {
  const script = "import email, os; print(os.path.dirname(email.__file__))";
  return printed("python3", ["-c", script], ROOT)?.trim() ?? null;
}

/** Why a difference is none of two answers to the same question; null where it is one. */
export type Explain = (line: string, side: "here" | "there") => string | null;

/** Of two lists with repetitions: what both have, and what one of them has. Explained differences are counted by reason. */
export function compared(
  subject: string,
  against: string,
  theirs: readonly string[],
  ours: readonly string[],
  explain: Explain = () => null,
): Agreement {
  const left = new Map<string, number>();
  for (const each of theirs) left.set(each, (left.get(each) ?? 0) + 1);
  const reasons = new Map<string, string[]>();
  const differences: string[] = [];
  const differs = (line: string, side: "here" | "there") => {
    const reason = explain(line, side);
    if (reason === null) differences.push(`only ${side}: ${line}`);
    else tell(reasons, reason, `only ${side}: ${line}`);
  };
  let same = 0;
  for (const each of ours) {
    const count = left.get(each) ?? 0;
    if (count === 0) differs(each, "here");
    else {
      left.set(each, count - 1);
      same++;
    }
  }
  for (const [line, count] of left) for (let at = 0; at < count; at++) differs(line, "there");
  return {
    subject,
    against,
    compared: same + differences.length,
    same,
    differences,
    explained: explainedBy(reasons),
  };
}

/** Of two tables of numbers: those of which both have the same key. */
export function comparedNumbers(
  subject: string,
  against: string,
  theirs: ReadonlyMap<string, number>,
  ours: ReadonlyMap<string, number>,
  explain: (key: string, ours: number, theirs: number) => string | null = () => null,
): Agreement {
  const both = [...ours].filter(([key]) => theirs.has(key));
  const reasons = new Map<string, string[]>();
  const differences: string[] = [];
  let same = 0;
  for (const [key, own] of both) {
    const other = theirs.get(key) ?? 0;
    if (own === other) {
      same++;
      continue;
    }
    const reason = explain(key, own, other);
    if (reason === null) differences.push(`${key}: ${own}, there ${other}`);
    else tell(reasons, reason, `${key}: ${own}, there ${other}`);
  }
  return {
    subject,
    against,
    compared: same + differences.length,
    same,
    differences,
    explained: explainedBy(reasons),
  };
}

function tell(reasons: Map<string, string[]>, reason: string, difference: string): void {
  const told = reasons.get(reason);
  if (told === undefined) reasons.set(reason, [difference]);
  else told.push(difference);
}

function explainedBy(reasons: ReadonlyMap<string, readonly string[]>): readonly Explained[] {
  return [...reasons].map(([reason, all]) => ({ reason, count: all.length, all }));
}
