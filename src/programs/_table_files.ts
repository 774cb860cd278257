/**
 * The part of the command table that says what arguments name: which operands and options are files that are read
 * or written, and which are hosts. From each program's manual page. A value of an option that is not listed
 * counts as an operand, which at worst asks for more than is needed.
 */

import type { ArgumentPlaces, Place } from "./spec.ts";

/** `-n --lines` → text, and so on: several options of one kind. */
function options(
  kinds: Partial<Record<Place, string>>,
): Readonly<Record<string, Place>> {
  return Object.fromEntries(
    Object.entries(kinds).flatMap(([place, names]) =>
      names.split(" ").map((name) => [name, place as Place])
    ),
  );
}

function reads(kinds: Partial<Record<Place, string>> = {}): ArgumentPlaces {
  return { operands: "read...", options: options(kinds) };
}

function writes(kinds: Partial<Record<Place, string>> = {}): ArgumentPlaces {
  return { operands: "write...", options: options(kinds) };
}

const TEXT: ArgumentPlaces = { operands: "text..." };

/** Programs whose arguments name no file whose content they read or change. */
const TEXT_ONLY = [
  ...[
    "echo",
    "printf",
    "true",
    "false",
    "test",
    "[",
    "seq",
    "sleep",
    "expr",
    "basename",
    "dirname",
  ],
  ...[
    "which",
    "whereis",
    "whoami",
    "id",
    "groups",
    "uname",
    "arch",
    "nproc",
    "uptime",
    "free",
    "ps",
  ],
  ...["pgrep", "locale", "pwd", "printenv", "factor", "numfmt", "yes", "tr", "users", "who", "tty"],
  ...["logname", "cal", "getconf", "hostname", "kill", "realpath", "readlink"],
];

const GREP = options({
  script: "-e --regexp",
  "script-file": "-f --file",
  read: "--exclude-from",
  text: "-m --max-count -A --after-context -B --before-context -C --context -d --directories -D " +
    "--devices --include --exclude --exclude-dir --color --colour --label --binary-files",
});

const COMPRESS: ArgumentPlaces = {
  operands: "write...",
  options: options({ text: "-S --suffix -T --threads -b -p --processes", write: "-o --output" }),
  when: [{
    has: ["-c", "--stdout", "--to-stdout", "-l", "--list", "-t", "--test"],
    operands: "read...",
  }],
};

const COPY = options({
  into: "-t --target-directory",
  text: "-S --suffix -m --mode -o --owner -g --group",
});

/** Makes, extracts and lists by its first options. */
const TAR: ArgumentPlaces = {
  operands: "text...",
  options: options({
    read: "-f --file -T --files-from -X --exclude-from",
    into: "-C --directory",
    text:
      "--exclude --transform --strip-components --owner --group --mode --mtime --format -H -b -N " +
      "--newer",
    run:
      "-I --use-compress-program -F --info-script --checkpoint-action --to-command --rsh-command",
    write: "-g --listed-incremental --index-file",
  }),
  when: [
    {
      has: ["-c", "--create", "-r", "--append", "-u", "--update", "-A", "--catenate", "--delete"],
      operands: "read...",
      options: options({
        write: "-f --file -g --listed-incremental --index-file",
        read: "-T --files-from -X --exclude-from -C --directory",
        text: "--exclude --transform --owner --group --mode --mtime --format -H -b -N --newer",
        run: "-I --use-compress-program -F --info-script --checkpoint-action --rsh-command",
      }),
    },
    { has: ["-x", "--extract", "--get"], here: true },
  ],
};

const CURL = options({
  sent:
    "-d --data --data-binary --data-urlencode --data-ascii --json -F --form -H --header --variable",
  write:
    "-o --output -c --cookie-jar -D --dump-header --trace --trace-ascii --stderr --etag-save " +
    "--hsts --alt-svc --libcurl",
  into: "--output-dir",
  read: "-T --upload-file -K --config -E --cert --key --cacert --capath -b --cookie --netrc-file " +
    "--etag-compare --proxy-cacert --proxy-cert --crlfile",
  host: "--url -x --proxy --preproxy --socks5 --socks5-hostname --socks4 --socks4a --doh-url",
  text:
    "-X --request --data-raw --form-string -u --user -U --proxy-user -A --user-agent -e --referer -m " +
    "--max-time --connect-timeout --retry --retry-delay --retry-max-time -w --write-out -r --range " +
    "-C --continue-at -y -Y --limit-rate --resolve --connect-to -Q --quote -z --time-cond --ciphers " +
    "--max-redirs --interface --local-port -P --ftp-port --unix-socket --abstract-unix-socket",
});

const WGET = options({
  write: "-O --output-document -o --output-file -a --append-output --save-cookies --rejected-log " +
    "--warc-file",
  into: "-P --directory-prefix",
  read: "-i --input-file --load-cookies --post-file --body-file --certificate --private-key " +
    "--ca-certificate --config",
  text:
    "-t --tries -T --timeout -w --wait -U --user-agent --header --user --password --referer -Q " +
    "--quota -l --level -A --accept -R --reject -D --domains --post-data --body-data --method -e " +
    "--execute --limit-rate --max-redirect",
});

/** git(1): its texts, so that a message is no file; the rest is looked at. */
const GIT = options({
  text:
    "-m --message --author --date --grep -S -G -n --max-count --since --until --after --before " +
    "--format --pretty -c --skip -L --committer -b -B --abbrev --color --decorate --sort --points-at " +
    "--contains -e --diff-filter --word-diff-regex -U --unified",
  read: "-F --file -C --git-dir --work-tree --pathspec-from-file",
  write: "--output",
});

/** By name; names that one entry covers share it. */
const SHARED: readonly (readonly [names: string, places: ArgumentPlaces])[] = [
  [TEXT_ONLY.join(" "), TEXT],
  [
    "cat tac rev nl paste cut expand unexpand fold fmt pr tsort comm join cmp column strings od " +
    "hexdump wc head tail md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum " +
    "base64 base32 basenc readelf nm objdump file stat sort du zcat bzcat xzcat zstdcat iconv jq",
    reads(),
  ],
  ["ls dir vdir df tree exa eza", reads()],
];

const OWN: Readonly<Record<string, ArgumentPlaces>> = {
  head: reads({ text: "-n --lines -c --bytes" }),
  tail: reads({ text: "-n --lines -c --bytes -s --sleep-interval --pid --max-unchanged-stats" }),
  cut: reads({ text: "-d --delimiter -f --fields -c --characters -b --bytes --output-delimiter" }),
  paste: reads({ text: "-d --delimiters" }),
  nl: reads({ text: "-b -d -f -h -i -l -n -s -v -w" }),
  od: reads({ text: "-A -j -N -t -w -S" }),
  hexdump: reads({ text: "-e -n -s", read: "-f" }),
  fold: reads({ text: "-w --width" }),
  fmt: reads({ text: "-w --width -g --goal -p --prefix" }),
  strings: reads({ text: "-n -t -e --bytes --radix" }),
  column: reads({ text: "-s -t -o -c -N -R --separator --output-separator" }),
  comm: reads({ text: "--output-delimiter" }),
  join: reads({ text: "-1 -2 -t -o -e -j -a -v" }),
  cmp: reads({ text: "-n --bytes -i --ignore-initial" }),
  wc: reads({ read: "--files0-from", text: "--total" }),
  du: reads({ read: "--files0-from -X --exclude-from", text: "-d --max-depth -t -B --exclude" }),
  base64: reads({ text: "-w --wrap" }),
  stat: reads({ text: "-c --format --printf" }),
  file: reads({ read: "-f --files-from -m --magic-file", text: "-F -P -e" }),
  ls: reads({ text: "-I --ignore --hide -T -w --width --sort --time --time-style --block-size" }),
  tree: reads({ text: "-L -P -I --charset --filelimit", write: "-o" }),
  iconv: reads({ text: "-f -t --from-code --to-code", write: "-o --output" }),
  sort: reads({
    text: "-k --key -t --field-separator -S --buffer-size --parallel --batch-size --sort",
    write: "-o --output -T --temporary-directory",
    read: "--files0-from --random-source",
    run: "--compress-program",
  }),
  shuf: {
    operands: "read...",
    options: options({ write: "-o --output", read: "--random-source", text: "-n -i" }),
    when: [{ has: ["-e", "--echo"], operands: "text..." }],
  },
  date: {
    operands: "text...",
    options: options({ read: "-f --file", text: "-r --reference -d --date" }),
  },
  jq: {
    operands: "text read...",
    options: options({
      "script-file": "-f --from-file",
      text: "--indent -L",
    }),
    pairs: options({ text: "--arg --argjson", read: "--slurpfile --rawfile" }),
  },
  diff: reads({
    text:
      "-x --exclude -I --ignore-matching-lines -L --label -F -U -C -W --unified --context --color",
    read: "-X --exclude-from --from-file --to-file -S",
  }),
  grep: { operands: "text read...", options: GREP },
  rg: {
    operands: "text read...",
    options: {
      ...GREP,
      ...options({
        text:
          "-g --glob -t --type -T --type-not --iglob -j --threads --sort --sortr -r --replace -E " +
          "--encoding --max-depth --max-filesize --type-add -M --max-columns",
        read: "--ignore-file",
        run: "--pre --hostname-bin",
      }),
    },
    when: [{ has: ["--files"], operands: "read..." }],
  },
  fd: {
    operands: "text read...",
    options: options({
      text: "-e --extension -t --type -d --max-depth -E --exclude -j -S --size",
      read: "--ignore-file --search-path --base-directory",
    }),
  },
  awk: { operands: "text read...", options: options({ text: "-F -v", "script-file": "-f" }) },
  sed: {
    operands: "text read...",
    options: options({
      script: "-e --expression",
      "script-file": "-f --file",
      text: "-l --line-length",
    }),
    when: [{ has: ["-i", "--in-place"], operands: "text write..." }],
  },
  uniq: {
    operands: "read write",
    options: options({ text: "-f -s -w --skip-fields --skip-chars --check-chars" }),
  },
  xxd: { operands: "read write", options: options({ text: "-l -s -c -g -o -n" }) },
  tee: writes({ text: "--output-error" }),
  touch: writes({ text: "-d --date -t", read: "-r --reference" }),
  rm: writes(),
  rmdir: writes(),
  unlink: writes(),
  shred: writes({ text: "-n -s", read: "--random-source" }),
  truncate: writes({ text: "-s --size", read: "-r --reference" }),
  mkdir: { operands: "folder...", options: options({ text: "-m --mode" }) },
  mkfifo: writes({ text: "-m --mode" }),
  mknod: { operands: "write text...", options: options({ text: "-m --mode" }) },
  mktemp: { operands: "write", options: options({ folder: "-p --tmpdir", text: "--suffix" }) },
  cp: { operands: "read... write", options: COPY, copies: true },
  install: {
    operands: "read... write",
    options: COPY,
    copies: true,
    when: [{ has: ["-d", "--directory"], operands: "folder..." }],
  },
  mv: { operands: "write... write", options: COPY, copies: true },
  // Through another name a program could write what this one may not: a hard link is as good as writing.
  ln: {
    operands: "write... write",
    options: COPY,
    copies: true,
    when: [{ has: ["-s", "--symbolic"], operands: "read... write", options: COPY, copies: true }],
  },
  chmod: { operands: "text write...", options: options({ "script-file": "--reference" }) },
  chown: {
    operands: "text write...",
    options: options({ "script-file": "--reference", text: "--from" }),
  },
  chgrp: { operands: "text write...", options: options({ "script-file": "--reference" }) },
  dd: { operands: "probe..." },
  split: {
    operands: "read write",
    options: options({
      text: "-b -l -n -a -C --bytes --lines --number -t --additional-suffix",
      run: "--filter",
    }),
    here: true,
  },
  csplit: {
    operands: "read text...",
    options: options({ text: "-b -n", write: "-f --prefix" }),
    here: true,
  },
  gzip: COMPRESS,
  gunzip: COMPRESS,
  bzip2: COMPRESS,
  bunzip2: COMPRESS,
  xz: COMPRESS,
  unxz: COMPRESS,
  zstd: COMPRESS,
  zip: {
    operands: "write read...",
    options: options({ text: "-x -i -n -P -b", run: "-TT --unzip-command" }),
  },
  unzip: {
    operands: "read text...",
    options: options({ into: "-d", text: "-x -P" }),
    here: true,
    when: [{ has: ["-l", "-t", "-p", "-v", "-Z"], operands: "read text..." }],
  },
  tar: TAR,
  cpio: {
    operands: "text...",
    options: options({ read: "-F -I", write: "-O", into: "-D" }),
    here: true,
  },
  patch: {
    operands: "write read",
    options: options({
      read: "-i --input",
      write: "-o --output -r --reject-file",
      into: "-d --directory",
      text: "-p -F -B -D -V",
    }),
    here: true,
  },
  rsync: {
    operands: "read... write",
    options: options({
      text: "--exclude --include --max-size --min-size --timeout --bwlimit --chmod -f --filter",
      read: "--exclude-from --include-from --files-from --password-file",
      write: "--backup-dir --log-file --partial-dir -T --temp-dir",
      run: "-e --rsh --rsync-path",
    }),
    copies: true,
  },
  curl: {
    operands: "host...",
    options: CURL,
    when: [{
      has: ["-O", "--remote-name", "-J", "--remote-name-all"],
      operands: "host...",
      here: true,
    }],
  },
  wget: {
    operands: "host...",
    options: WGET,
    here: true,
    when: [{ has: ["-O", "--output-document", "--spider"], operands: "host..." }],
  },
  git: { operands: "probe...", options: GIT },
  find: { operands: "probe..." },
};

/** What the arguments of each program name, by the program's name. */
export const ARGUMENT_PLACES: ReadonlyMap<string, ArgumentPlaces> = new Map([
  ...SHARED.flatMap(([names, places]) => names.split(" ").map((name) => [name, places] as const)),
  ...["egrep", "fgrep"].map((name) => [name, OWN["grep"]!] as const),
  ...Object.entries(OWN),
]);
