/** What is known of programs that read, search, sort and change text. */

import type { OptionsLiteral, ProgramLiteral, ProgramTable } from "./spec.ts";

function reads(options: OptionsLiteral = {}): ProgramLiteral {
  return { risk: "safe", operands: "read...", options };
}

const GREP: OptionsLiteral = {
  "-e --regexp": "script",
  "-f --file": "script-file",
  "--exclude-from": "read",
  "-m --max-count -A --after-context -B --before-context -C --context -d --directories -D --devices":
    "text",
  "--include --exclude --exclude-dir --label --binary-files": "text",
  "--color --colour": { is: "text", optional: true },
};

/** Runs commands of its own from its arguments, its files or its terminal. */
const EDITOR: ProgramLiteral = {
  risk: "dangerous",
  inspect: "prompt",
  because: "runs commands from its arguments and its files",
};

const VISUAL: ProgramLiteral = {
  ...EDITOR,
  review: { ways: [["-c", "!PROGRAM"]], instead: "leave changes to the file tools" },
};

/** Programs that read text and write text. */
export const TEXT: ProgramTable = {
  "cat tac rev expand unexpand pr tsort readelf sum cksum b2sum md5sum sha1sum sha224sum sha256sum":
    reads(),
  "sha384sum sha512sum base32 basenc": reads(),
  "head": reads({ "-n --lines -c --bytes": "text" }),
  tail: reads({ "-n --lines -c --bytes -s --sleep-interval --pid --max-unchanged-stats": "text" }),
  cut: reads({
    "-d --delimiter -f --fields -c --characters -b --bytes --output-delimiter": "text",
  }),
  paste: reads({ "-d --delimiters": "text" }),
  nl: reads({ "-b -d -f -h -i -l -n -s -v -w": "text" }),
  od: reads({ "-A -j -N -t -w -S": "text" }),
  hexdump: reads({ "-e -n -s": "text", "-f": "read" }),
  fold: reads({ "-w --width": "text" }),
  fmt: reads({ "-w --width -g --goal -p --prefix": "text" }),
  strings: reads({ "-n -t -e --bytes --radix": "text" }),
  column: reads({
    "-s --separator -o --output-separator -c --output-width -N --table-columns -C --table-column":
      "text",
    "-R --table-right -T --table-truncate -E --table-noextreme -W --table-wrap -H --table-hide":
      "text",
    "-O --table-order -n --table-name -l --table-columns-limit -r --tree -i --tree-id": "text",
    "-p --tree-parent": "text",
  }),
  comm: reads({ "--output-delimiter": "text" }),
  join: reads({ "-1 -2 -t -o -e -j -a -v": "text" }),
  cmp: reads({ "-n --bytes -i --ignore-initial": "text" }),
  wc: reads({ "--files0-from": { is: "read", lists: true }, "--total": "text" }),
  base64: reads({ "-w --wrap": "text" }),
  tr: { risk: "safe", operands: "text..." },
  nm: reads({ "--plugin": "library" }),
  objdump: { risk: "moderate", operands: "read..." },
  diff: reads({
    "-x --exclude -I --ignore-matching-lines -L --label -F -U -C -W --unified --context --color":
      "text",
    "-X --exclude-from --from-file --to-file -S --starting-file": "read",
  }),
  sort: reads({
    "-k --key -t --field-separator -S --buffer-size --parallel --batch-size --sort": "text",
    "-o --output": "write",
    "-T --temporary-directory": "write",
    "--files0-from": { is: "read", lists: true },
    "--random-source": "read",
    "--compress-program": "command",
  }),
  shuf: {
    ...reads({
      "-o --output": "write",
      "--random-source": "read",
      "-n --head-count -i --input-range": "text",
    }),
    when: [{ has: "-e --echo", operands: "text..." }],
  },
  iconv: reads({ "-f -t --from-code --to-code": "text", "-o --output": "write" }),
  jq: {
    risk: "safe",
    operands: "text read...",
    options: { "-f --from-file": "script-file", "--indent -L": "text" },
    pairs: { "--arg --argjson": "text", "--slurpfile --rawfile": "read" },
  },
  "grep egrep fgrep": {
    risk: "safe",
    operands: "text read...",
    options: GREP,
    alone: "-r -R --recursive --dereference-recursive",
  },
  rg: {
    risk: "safe",
    operands: "text read...",
    alone: "always",
    options: {
      ...GREP,
      "-g --glob -t --type -T --type-not --iglob -j --threads --sort --sortr -r --replace -E":
        "text",
      "--encoding --max-depth --max-filesize --type-add -M --max-columns": "text",
      "--ignore-file": "read",
      "--pre --hostname-bin": "command",
    },
    when: [{ has: "--files", operands: "read..." }],
    // What is to be ignored, in folders above too.
    beyond: "workspace",
  },
  "bat batcat": {
    risk: "safe",
    options: { "--pager": "command" },
    starts: ["less"],
    beyond: "workspace",
  },
  "awk gawk mawk nawk original-awk": {
    risk: "safe",
    inspect: "awk",
    operands: "text read...",
    options: {
      "-F --field-separator": "text",
      // gawk(1): what is set may name what is run.
      "-v --assign": "text",
      "-f --file -E --exec": "script-file",
      "-e --source": "script",
      "-i --include -l --load": "library",
    },
    review: {
      ways: [["-f", "script.awk"], ['BEGIN{system("PROGRAM")}']],
      instead: "leave it to grep, cut and sort",
    },
  },
  "sed gsed": {
    risk: "safe",
    inspect: "sed",
    operands: "text read...",
    options: {
      "-e --expression": "script",
      "-f --file": "script-file",
      "-l --line-length": "text",
      // Whatever stands behind the letter ends the name of the copy that is kept.
      "-i --in-place": {
        is: "suffix",
        optional: true,
        risk: "moderate",
        because: "changes its files",
      },
      "-n -E -r -s -u -z --quiet --silent --regexp-extended --separate --unbuffered": "flag",
      "--null-data --posix --debug --sandbox --follow-symlinks --binary -b": "flag",
    },
    when: [{ has: "-i --in-place", operands: "text write..." }],
    review: { ways: [["-f", "script.sed"], ["1e PROGRAM"]], instead: 'write "sed -n"' },
  },
  uniq: {
    risk: "safe",
    operands: "read write",
    options: { "-f -s -w --skip-fields --skip-chars --check-chars": "text" },
    mostOperands: 1,
  },
  xxd: {
    risk: "safe",
    operands: "read write",
    options: { "-l -s -c -g -o -n": "text" },
    mostOperands: 1,
  },
  tee: { risk: "moderate", operands: "write...", options: { "--output-error": "text" } },
  split: {
    risk: "moderate",
    operands: "read write",
    options: {
      "-b -l -n -a -C --bytes --lines --number --suffix-length --line-bytes -t --separator": "text",
      "--additional-suffix": "suffix",
      "--filter": "command",
    },
    stem: "xaa",
    here: true,
  },
  csplit: {
    risk: "moderate",
    operands: "read text...",
    options: { "-n --digits": "text", "-b --suffix-format": "suffix", "-f --prefix": "write" },
    stem: "xx",
    here: true,
  },
  patch: {
    risk: "moderate",
    operands: "write read",
    options: {
      "-i --input": "read",
      "-o --output -r --reject-file": "write",
      "-d --directory": "into",
      "-p --strip -F --fuzz -D --ifdef -V --version-control": "text",
      "-z --suffix": "suffix",
      "-B --prefix -Y --basename-prefix": "prefix",
    },
    here: true,
    // The files that the patch names.
    beyond: "workspace",
  },
  "vi vim vim.basic vim.tiny nvim ex emacs": VISUAL,
  "ed nano less more dc m4": EDITOR,
  man: {
    risk: "moderate",
    options: { "-P --pager": "command", "-H --html": { is: "command", optional: true } },
    starts: "any",
  },
};
