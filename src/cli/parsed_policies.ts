/** Policies as they were parsed: a start that finds its own there loads no parser. */

import type { CanonicalPath } from "../core/capability.ts";
import { openParsedTexts, type ParsedTexts } from "../host/storage/parsed_texts.ts";
import type { Policy } from "../policy/model.ts";
import { isWithin } from "../sandbox/within.ts";
import { stateFolder } from "./state_folder.ts";

/** Their folder, which no tool may write; null where there is none. */
export function parsedPoliciesFolder(): CanonicalPath | null {
  // From source, what parses is not one file that could be told from another.
  if (!Deno.build.standalone) return null;
  try {
    const folder = stateFolder();
    return folder === null ? null : `${folder}/policies` as CanonicalPath;
  } catch {
    // A sealed binary may have no right to look.
    return null;
  }
}

/** A policy that was parsed just now. */
interface Fresh {
  readonly text: string;
  readonly policy: Policy;
}

/** Policies as this very binary parsed them before, and those that it parses now. */
export class ParsedPolicies {
  readonly #folder = parsedPoliciesFolder();
  readonly #texts: ParsedTexts | null;
  readonly #fresh: Fresh[] = [];

  constructor() {
    this.#texts = this.#folder === null ? null : textsIn(this.#folder);
  }

  /** Null for one that has to be parsed. */
  get(text: string): Policy | null {
    return (this.#texts?.get(text) ?? null) as Policy | null;
  }

  /** One that had to be. */
  add(text: string, policy: Policy): void {
    this.#fresh.push({ text, policy });
  }

  /** Keeps them for the next start; not among somebody's files. */
  keep(workspace: CanonicalPath): void {
    if (this.#folder === null || isWithin(workspace, this.#folder)) return;
    for (const { text, policy } of this.#fresh) this.#texts?.put(text, policy);
  }
}

function textsIn(folder: CanonicalPath): ParsedTexts | null {
  try {
    const { size, mtime, ino } = Deno.statSync(Deno.execPath());
    return openParsedTexts(folder, [size, mtime?.getTime(), ino].join(" "));
  } catch {
    return null;
  }
}
