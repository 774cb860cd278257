/** Reads the Dockerfiles of the README: the few instructions that they need, each in one form, and nothing else. */

/** What such a file makes of its base. */
export interface Image {
  readonly base: string;
  /** From the build's folder to an absolute path of the image. */
  readonly copies: readonly { readonly from: string; readonly to: string; readonly mode: number }[];
  readonly workdir: string;
  readonly user: { readonly uid: number; readonly gid: number };
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
}

/** Throws Error that names the first line that is none of these, and what is missing or there twice. */
export function parseDockerfile(text: string): Image {
  const found = new Map<string, string>();
  const copies: Image["copies"][number][] = [];
  for (const line of text.split("\n")) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const [, instruction = "", rest = ""] = /^([A-Z]+) (\S.*)$/.exec(line) ?? [];
    if (instruction === "COPY") {
      copies.push(copyOf(line, rest));
      continue;
    }
    if (!["FROM", "WORKDIR", "USER", "ENTRYPOINT", "CMD"].includes(instruction)) {
      throw new Error(`Dockerfile: not understood: ${line}`);
    }
    if (found.has(instruction)) throw new Error(`Dockerfile: ${instruction} is there twice`);
    if (found.size === 0 && instruction !== "FROM") {
      throw new Error("Dockerfile: it does not start with FROM");
    }
    found.set(instruction, rest);
  }
  const of = (instruction: string, form: RegExp): RegExpExecArray => {
    const match = form.exec(found.get(instruction) ?? "");
    if (match === null) throw new Error(`Dockerfile: ${instruction} is missing, or not understood`);
    return match;
  };
  const [, uid, gid] = of("USER", /^([1-9]\d*):([1-9]\d*)$/);
  return {
    base: of("FROM", /^[a-z0-9./_-]+:[a-z0-9.-]+$/)[0],
    copies,
    workdir: of("WORKDIR", /^(?:\/[a-z-]+)+$/)[0],
    user: { uid: Number(uid), gid: Number(gid) },
    entrypoint: wordsOf(of("ENTRYPOINT", /^\[.*\]$/)[0]),
    command: wordsOf(of("CMD", /^\[.*\]$/)[0]),
  };
}

function copyOf(line: string, rest: string): Image["copies"][number] {
  const [, mode, from, to] = /^--chmod=([0-7]{3}) ([\w.-]+) ((?:\/[\w.-]+)+)$/.exec(rest) ?? [];
  if (mode === undefined || from === undefined || to === undefined) {
    throw new Error(`Dockerfile: not understood: ${line}`);
  }
  return { from, to, mode: parseInt(mode, 8) };
}

/** The form without a shell, which the base does not have. */
function wordsOf(json: string): readonly string[] {
  const words: unknown = JSON.parse(json);
  if (!Array.isArray(words) || words.length === 0) throw new Error(`Dockerfile: no words: ${json}`);
  return words.map((word) => {
    if (typeof word !== "string") throw new Error(`Dockerfile: no word: ${JSON.stringify(word)}`);
    return word;
  });
}
