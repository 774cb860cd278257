/** What tar(1) would pack or unpack, by its words: GNU tar 1.35, `options` in its tar.c. */

import { beneath, INPUTS, type Listing } from "./model.ts";

/** Options with a value that say which files are meant, the same for packing, unpacking and listing. */
const CHOOSE: ReadonlySet<string> = new Set([
  ...[
    "-X",
    "--exclude-from",
    "-T",
    "--files-from",
    "-N",
    "--after-date",
    "--newer",
    "--newer-mtime",
  ],
  ...["--exclude", "--exclude-ignore", "--exclude-ignore-recursive", "--exclude-tag"],
  ...["--exclude-tag-all", "--exclude-tag-under", "--add-file", "-C", "--directory"],
]);
/** Those without one. */
const CHOOSE_ALONE: ReadonlySet<string> = new Set([
  ...["-h", "--dereference", "--recursion", "--no-recursion", "--one-file-system", "--exclude-vcs"],
  ...["--exclude-vcs-ignores", "--exclude-backups", "--exclude-caches", "--exclude-caches-all"],
  ...["--exclude-caches-under", "--anchored", "--no-anchored", "--ignore-case", "--no-ignore-case"],
  ...["--wildcards", "--no-wildcards", "--wildcards-match-slash", "--no-wildcards-match-slash"],
  ...["--null", "--no-null", "--verbatim-files-from", "--no-verbatim-files-from", "--unquote"],
  ...["--no-unquote", "-P", "--absolute-names"],
]);
/** What unpacking and listing need beside. */
const UNPACK: ReadonlySet<string> = new Set([
  ...["-I", "--use-compress-program", "--strip-components", "--transform", "--xform"],
  ...["-K", "--starting-file", "-b", "--blocking-factor"],
]);
const UNPACK_ALONE: ReadonlySet<string> = new Set([
  ...["-z", "--gzip", "--gunzip", "--ungzip", "-j", "--bzip2", "-J", "--xz", "--lzip", "--lzma"],
  ...["--lzop", "--zstd", "-Z", "--compress", "--uncompress", "-a", "--auto-compress"],
  ...["-i", "--ignore-zeros", "--show-transformed-names", "-n", "--seek"],
]);
/** All others with a value. */
const VALUED: ReadonlySet<string> = new Set([
  ...["-f", "--file", "-g", "--listed-incremental", "-F", "--info-script", "--new-volume-script"],
  ...["-H", "--format", "-L", "--tape-length", "-V", "--label", "--checkpoint-action", "--group"],
  ...["--group-map", "--hole-detection", "--index-file", "--level", "--mode", "--mtime"],
  ...["--no-quote-chars", "--owner", "--owner-map", "--pax-option", "--quote-chars"],
  ...["--quoting-style", "--record-size", "--rmt-command", "--rsh-command", "--sort"],
  ...["--sparse-version", "--suffix", "--to-command", "--volno-file", "--warning"],
  ...["--xattrs-exclude", "--xattrs-include", "--set-mtime-command", "--set-mtime-format"],
  ...CHOOSE,
  ...UNPACK,
]);
/** Written with `=` or without a value. */
const OPTIONAL: ReadonlySet<string> = new Set(["--one-top-level", "--backup", "--checkpoint"]);
/** By these it leaves out a part of what its words name, or takes it from elsewhere. */
const LEAVES_OUT =
  /^(?:-[XTNC]|--(?:exclude|files-from|newer|after|add-file|no-recursion|directory)\b.*)$/;

const MODES: ReadonlyMap<string, string> = new Map([
  ...["create", "extract", "list", "append", "update"].map((word) => [`--${word}`, word] as const),
  ...[["-c", "create"], ["-x", "extract"], ["--get", "extract"]] as const,
  ...[["-r", "append"], ["-u", "update"], ["-t", "list"]] as const,
]);
const PACKS: ReadonlySet<string> = new Set(["create", "append", "update"]);

interface Item {
  /** Null for an operand. */
  readonly option: string | null;
  readonly value: string | null;
}

/** Null where all that its words name is packed, and where nothing is written. */
export function tarListing(argv: readonly string[]): Listing | null {
  const [program = "tar"] = argv;
  const items = itemsOf(argv.slice(1));
  const has = (...options: readonly string[]) =>
    items.some(({ option }) => option !== null && options.includes(option));
  const does = items.flatMap(({ option }) => MODES.get(option ?? "") ?? [])[0];
  if (does === undefined || has("-A", "--catenate", "--concatenate", "--delete")) return null;
  if (PACKS.has(does)) {
    return items.some(({ option }) => option !== null && LEAVES_OUT.test(option))
      ? packing(program, items, has("--remove-files") ? "write" : "read")
      : null;
  }
  const elsewhere = has("-O", "--to-stdout", "--to-command");
  return does === "extract" && !elsewhere ? unpacking(program, items, has("-P")) : null;
}

function packing(program: string, items: readonly Item[], access: "read" | "write"): Listing {
  const kept = items.filter(({ option }) =>
    option === null || CHOOSE.has(option) || CHOOSE_ALONE.has(option)
  );
  const places: { readonly folder: string; readonly below: string | null }[] = [];
  const reads: string[] = [];
  let folder = ".";
  for (const { option, value } of kept) {
    if (option === "-C" || option === "--directory") folder = beneath(folder, value ?? ".");
    else if (option === null || option === "--add-file") {
      places.push({ folder, below: plain(value ?? "") });
      reads.push(beneath(folder, value ?? ""));
    } else if (/^(?:-T|--files-from)$/.test(option)) {
      // What it names may lie anywhere.
      places.push({ folder, below: null });
      reads.push(folder);
    }
  }
  const lists = filesOf(kept, /^(?:-[XT]|--(?:exclude|files)-from)$/);
  const named = (name: string): readonly string[] => {
    const of = places.filter(({ below }) =>
      below === null || below === "." || below === name || name.startsWith(`${below}/`)
    );
    return [...new Set((of.length > 0 ? of : places).map(({ folder }) => beneath(folder, name)))];
  };
  return {
    ask: [
      ...[program, "--create", "--file=/dev/null", "--verbose", "--quoting-style=escape"],
      ...kept.flatMap(wordsOf),
    ],
    reads: [...reads, ...lists.filter((file) => !INPUTS.has(file))],
    fed: lists.some((file) => INPUTS.has(file)),
    access,
    follows: kept.some(({ option }) => option === "-h" || option === "--dereference"),
    namesIn: (text) => printed(text).flatMap((name) => named(plain(name))),
  };
}

function unpacking(program: string, items: readonly Item[], absolute: boolean): Listing {
  const kept = items.filter(({ option }) =>
    option === null || CHOOSE.has(option) || CHOOSE_ALONE.has(option) || UNPACK.has(option) ||
    UNPACK_ALONE.has(option)
  ).filter(({ option }) => option !== "-C" && option !== "--directory");
  const folder = items.reduce(
    (from, { option, value }) =>
      option === "-C" || option === "--directory" ? beneath(from, value ?? ".") : from,
    ".",
  );
  const archive = items.findLast(({ option }) => option === "-f" || option === "--file")?.value ??
    "-";
  const top = items.find(({ option }) => option === "--one-top-level");
  const below = top === undefined ? null : top.value ?? stem(archive);
  const into = below === null ? folder : beneath(folder, below);
  const lists = filesOf(kept, /^(?:-[XT]|--(?:exclude|files)-from)$/);
  return {
    ask: [
      ...[program, "--list", `--file=${archive}`, "--quoting-style=escape"],
      ...["--show-transformed-names", ...kept.flatMap(wordsOf)],
    ],
    reads: [archive, ...lists].filter((file) => !INPUTS.has(file)),
    fed: [archive, ...lists].some((file) => INPUTS.has(file)),
    access: "write",
    follows: false,
    namesIn: (text) =>
      printed(text).map((name) =>
        absolute ? plain(name) : plain(name).replace(/^(?:.*\.\.)?\/+/, "")
      )
        .filter((name) => name !== "").map((name) => beneath(into, name)),
  };
}

function filesOf(items: readonly Item[], options: RegExp): readonly string[] {
  return items.flatMap(({ option, value }) =>
    option !== null && options.test(option) && value !== null ? [value] : []
  );
}

/** What `--one-top-level` without a value makes of an archive's name. */
function stem(archive: string): string {
  return archive.replace(/^.*\//, "").replace(/\.(?:t[a-z]+|tar(?:\.\w+)?)$/, "");
}

function wordsOf({ option, value }: Item): readonly string[] {
  if (option === null) {
    return value?.startsWith("-") === true ? [`--add-file=${value}`] : [value ?? ""];
  }
  if (value === null) return [option];
  return option.startsWith("--") ? [`${option}=${value}`] : [option, value];
}

/** Options and operands in their order; the first word is a cluster without its dash too. */
function itemsOf(words: readonly string[]): readonly Item[] {
  const items: Item[] = [];
  let at = 0;
  const [first = ""] = words;
  if (first !== "" && !first.startsWith("-")) {
    at = 1;
    for (const letter of first) {
      const option = `-${letter}`;
      items.push({ option, value: VALUED.has(option) ? words[at++] ?? null : null });
    }
  }
  for (; at < words.length; at++) {
    const word = words[at]!;
    if (word === "--") {
      for (const rest of words.slice(at + 1)) items.push({ option: null, value: rest });
      break;
    }
    if (word.startsWith("--")) at += long(word, words[at + 1], items);
    else if (word.startsWith("-") && word !== "-") at += cluster(word, words[at + 1], items);
    else items.push({ option: null, value: word });
  }
  return items;
}

/** How many words more it took. */
function long(word: string, next: string | undefined, items: Item[]): number {
  const equals = word.indexOf("=");
  const option = wholeName(equals === -1 ? word : word.slice(0, equals));
  if (equals !== -1) {
    items.push({ option, value: word.slice(equals + 1) });
    return 0;
  }
  const takes = VALUED.has(option) && !OPTIONAL.has(option);
  items.push({ option, value: takes ? next ?? null : null });
  return takes ? 1 : 0;
}

/** Long options may be cut where no other begins so (getopt_long(3)). */
function wholeName(name: string): string {
  const known = [...VALUED, ...CHOOSE_ALONE, ...UNPACK_ALONE, ...MODES.keys(), ...OPTIONAL];
  if (known.includes(name)) return name;
  const begun = new Set(known.filter((one) => one.startsWith(name)));
  return begun.size === 1 ? [...begun][0]! : name;
}

function cluster(word: string, next: string | undefined, items: Item[]): number {
  for (let at = 1; at < word.length; at++) {
    const option = `-${word[at]}`;
    if (!VALUED.has(option)) items.push({ option, value: null });
    else {
      const rest = word.slice(at + 1);
      items.push({ option, value: rest === "" ? next ?? null : rest });
      return rest === "" ? 1 : 0;
    }
  }
  return 0;
}

/** Lines of tar's in its style `escape`. */
function printed(text: string): readonly string[] {
  return text.split("\n").filter((line) => line !== "").map((line) =>
    line.replaceAll(/\\([abfnrtv\\ ]|[0-7]{3})/g, (_, what: string) => {
      const letter = ESCAPES.get(what);
      return letter ?? (what.length === 3 ? String.fromCharCode(parseInt(what, 8)) : what);
    })
  );
}

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ...[["a", "\x07"], ["b", "\b"], ["f", "\f"], ["n", "\n"]] as const,
  ...[["r", "\r"], ["t", "\t"], ["v", "\v"]] as const,
]);

/** Without the slash of a folder, and without `./` in front. */
function plain(name: string): string {
  const cut = name.replace(/\/+$/, "").replace(/^(?:\.\/+)+/, "");
  return cut === "" ? name.startsWith("/") ? "/" : "." : cut;
}
