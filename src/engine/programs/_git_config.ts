/** Who commits: the policy's identity, or that which the user's own settings of git name, and nothing else of them. */

import type { GitIdentity } from "../../core/git/settings.ts";

/**
 * A file of git's settings with `user.name` and `user.email`, in `folder`; null where nobody is named. Programs get it
 * in place of the user's, which may name programs to run and files to read. A repository's own settings stand above it.
 */
export function writeGitConfig(folder: string, named: GitIdentity | null): string | null {
  const identity: Identity = named === null
    ? identityOf(configFiles().map(readOrNothing))
    : [["name", named.name], ["email", named.email]];
  if (identity.length === 0) return null;
  const lines = identity.map(([key, value]) => `\t${key} = ${quoted(value)}\n`);
  const path = `${folder}/gitconfig`;
  try {
    Deno.writeTextFileSync(path, `[user]\n${lines.join("")}`, { mode: 0o400, createNew: true });
    return path;
  } catch {
    return null;
  }
}

/** git-config(1), FILES: the later counts. */
function configFiles(): readonly string[] {
  const named = variable("GIT_CONFIG_GLOBAL");
  if (named !== undefined) return [named];
  const home = variable("HOME");
  const config = variable("XDG_CONFIG_HOME") ??
    (home === undefined ? undefined : `${home}/.config`);
  return [
    ...(config === undefined ? [] : [`${config}/git/config`]),
    ...(home === undefined ? [] : [`${home}/.gitconfig`]),
  ];
}

function readOrNothing(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return "";
  }
}

/** Undefined also where the runtime's permissions do not name the variable. */
function variable(name: string): string | undefined {
  return Deno.permissions.querySync({ name: "env", variable: name }).state === "granted"
    ? Deno.env.get(name)
    : undefined;
}

type Identity = readonly (readonly [key: "name" | "email", value: string])[];

/** What git-config(1), Syntax, takes for `user.name` and `user.email`; what is included from elsewhere is not read. */
export function identityOf(texts: readonly string[]): Identity {
  const found = new Map<"name" | "email", string>();
  for (const text of texts) {
    let section = "";
    for (const line of text.split(/\r?\n/)) {
      const header = /^\s*\[\s*([^\]]*?)\s*\]\s*(.*)$/.exec(line);
      if (header !== null) section = (header[1] ?? "").toLowerCase();
      const rest = header === null ? line : header[2] ?? "";
      const [, key = "", value = ""] = /^\s*([A-Za-z][A-Za-z0-9-]*)\s*=\s*(.*)$/.exec(rest) ?? [];
      const name = key.toLowerCase();
      if (section !== "user" || (name !== "name" && name !== "email")) continue;
      const plain = plainValue(value);
      if (plain !== "") found.set(name, plain);
    }
  }
  return [...found];
}

/** Without quotes, escapes and a comment behind it. */
function plainValue(value: string): string {
  let text = "";
  let quoted = false;
  let blank = "";
  for (let at = 0; at < value.length; at++) {
    const character = value[at]!;
    if (character === '"') {
      quoted = !quoted;
      text += blank;
      blank = "";
    } else if (!quoted && (character === "#" || character === ";")) break;
    else if (!quoted && /\s/.test(character)) blank += character;
    else {
      const escaped = character === "\\" ? value[++at] ?? "" : character;
      text += blank + escaped;
      blank = "";
    }
  }
  return text.trim();
}

function quoted(value: string): string {
  return `"${value.replace(/[\\"]/g, "\\$&").replace(/[\n\t\0]/g, " ")}"`;
}
