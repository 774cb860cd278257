/** What unzip(1) would unpack, by its words: Info-ZIP's UnZip 6.0. */

import { beneath, type Listing } from "./model.ts";

/** By these it writes nothing. */
const LOOKS = /^-[a-zA-Z]*[lptvZc]/;

/** Null where nothing is written. */
export function unzipListing(argv: readonly string[]): Listing | null {
  const patterns: string[] = [];
  let [archive, folder, flat]: [string | null, string, boolean] = [null, ".", false];
  let at = 1;
  for (; at < argv.length; at++) {
    const word = argv[at]!;
    if (word === "-x") break;
    if (word.startsWith("-d")) folder = word.length > 2 ? word.slice(2) : argv[++at] ?? ".";
    else if (word.startsWith("-P") && archive === null) at += word.length > 2 ? 0 : 1;
    else if (word.startsWith("-") && word !== "-") {
      if (archive === null && LOOKS.test(word)) return null;
      if (word.includes("j")) flat = true;
    } else if (archive === null) archive = word;
    else patterns.push(word);
  }
  if (archive === null) return null;
  // Behind `-x` patterns go on to the next option.
  const left: string[] = [];
  for (at++; at < argv.length; at++) {
    const word = argv[at]!;
    if (word.startsWith("-d")) folder = word.length > 2 ? word.slice(2) : argv[++at] ?? ".";
    else left.push(word);
  }
  return {
    ask: [
      ...[argv[0] ?? "unzip", "-Z1", archive, ...patterns],
      ...(left.length > 0 ? ["-x", ...left] : []),
    ],
    reads: [archive, `${archive}.zip`],
    fed: false,
    access: "write",
    follows: false,
    namesIn: (text) =>
      text.split("\n").flatMap((line) => {
        const plain = line.replace(/^(?:\.{0,2}\/)+/, "").replace(/\/$/, "");
        const name = flat ? plain.replace(/^.*\//, "") : plain;
        return name === "" ? [] : [beneath(folder, name)];
      }),
  };
}
