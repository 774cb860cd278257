/** Commits, as git prints them for programs. */

import type { Infer, JsonSchema } from "../../core/schema.ts";
import { splitNul, textOf } from "../../toolkit/git/names.ts";

/** A commit in results. */
export const COMMIT = {
  type: "object",
  properties: {
    hash: { type: "string", description: "The whole of it." },
    short_hash: { type: "string", description: "As short as is unique here." },
    author: {
      type: "object",
      properties: {
        name: { type: "string", description: "As the commit has it." },
        email: { type: "string", description: "Likewise." },
      },
      required: ["name", "email"],
      description: "Who wrote it.",
    },
    date: { type: "string", description: "When it was written: ISO 8601." },
    subject: { type: "string", description: "The first lines of its message, as one." },
    body: { type: "string", description: "The rest of its message." },
    parents: { type: "array", items: { type: "string" }, description: "Their whole hashes." },
    refs: {
      type: "array",
      items: { type: "string" },
      description: "What names it: HEAD, branches, and tags as tag: NAME.",
    },
  },
  required: ["hash", "short_hash", "author", "date", "subject", "body", "parents", "refs"],
} as const satisfies JsonSchema;

/** A commit, as results have it. */
export type Commit = Infer<typeof COMMIT>;

/** git-log(1), "PRETTY FORMATS". With `-z` a NUL ends each record too, and no part of a commit holds one. */
export const COMMIT_FORMAT = "--format=" +
  ["%H", "%h", "%an", "%ae", "%aI", "%s", "%b", "%P", "%D"].join("%x00");
const FIELDS = 9;

/** The commits of `log -z` with {@linkcode COMMIT_FORMAT}. */
export function readCommits(bytes: Uint8Array): readonly Commit[] {
  const fields = splitNul(bytes).map(textOf);
  const commits: Commit[] = [];
  for (let at = 0; at + FIELDS <= fields.length; at += FIELDS) {
    const record = fields.slice(at, at + FIELDS);
    const [hash = "", short_hash = "", name = "", email = "", date = "", subject = ""] = record;
    const [body = "", parents = "", refs = ""] = record.slice(6);
    commits.push({
      hash,
      short_hash,
      author: { name, email },
      date,
      subject,
      body: body.trimEnd(),
      parents: parents === "" ? [] : parents.split(" "),
      refs: refs === "" ? [] : refs.split(", ").flatMap((ref) => ref.split(" -> ")),
    });
  }
  return commits;
}
